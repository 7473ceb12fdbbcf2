import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import requestOn from 'undici/lib/api/api-request.js'
import errors from 'undici/lib/core/errors.js'
import Client from 'undici/lib/dispatcher/client.js'
import { assert } from '../assert.ts'
import { connectChecked, limitsOf, NotConnected, type Outcome, type PosterOptions } from './connect.ts'
import { idleLines } from './idle-lines.ts'
import { letContinuePass } from './interim-answers.ts'
import { readTarget, type Target } from './target.ts'

export type { PosterOptions } from './connect.ts'

const IDLE_MS = 4_000
// Enough for honest receivers. Set here so that no command-line flag of Node changes it.
const MAX_HEADER_BYTES = 16_384
// Open sockets are at most the attempts in flight plus this many, however many receivers there are.
const MAX_IDLE_SOCKETS = 512
// Made once: to make an error for each socket that is closed took a twentieth of what webhooks cost.
const GIVEN_UP = new Error('the connection was given up')

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** How one attempt ended. `elapsedMs` covers all of it, reading the answer included. */
export type Attempted = Outcome & { elapsedMs: number }

export type Answered = Extract<Attempted, { kind: 'answered' }>

export type PostRequest = {
  url: string
  body: Buffer
  headers: Record<string, string>
  keepAlive: boolean
  signal?: AbortSignal
  /**
   * Whether it may arrive twice. Then a connection that was kept open and turns out to be closed costs no attempt: it is sent at once
   * over a new one, within the same deadline.
   */
  mayRepeat?: boolean
  /** Asked when the connection is made, before the first byte; where it says yes nothing is sent. Not with `keepAlive`. */
  isLate?: () => boolean
}

/** `close` lets the attempts in flight end (within their own limit) and closes every socket; `post` after it is our own bug. */
export type Poster = { post(request: PostRequest): Promise<Attempted>; close(): Promise<void> }

/** One undici client with one socket at most; `gone` ends a look-up or connection still being made. */
type Line = { origin: string; client: Client; gone: AbortController }

/** Makes outbound POST attempts under reliability.md 7.3 and 7.5. Never throws for what a receiver does; no redirect is followed, and only what `mayRepeat` is repeated. */
export function createPoster(options: PosterOptions): Poster {
  const idle = idleLines<Line>(MAX_IDLE_SOCKETS)
  const running = new Set<Promise<Attempted>>()
  let closed = false

  const newLine = (target: Target, { isLate }: PostRequest): Line =>
    openLine(target, options, { onLost: idle.delete, isLate })

  function giveBack(line: Line): void {
    const tooMany = closed || line.client.destroyed ? line : idle.add(line)
    if (tooMany !== undefined) dropLine(tooMany)
  }

  async function attempt(request: PostRequest): Promise<Attempted> {
    const startedAt = performance.now()
    const done = (outcome: Outcome) => ({ ...outcome, elapsedMs: Math.round(performance.now() - startedAt) })
    const reading = readTarget(request.url, options)
    if (reading.kind === 'refused') return done({ kind: 'refused_target', why: reading.why })
    const { target } = reading
    const kept = request.keepAlive ? idle.take(target.url.origin) : undefined
    let line = kept ?? newLine(target, request)
    // undici heeds a signal only once it has a socket, so an ended attempt takes its line down instead.
    const { attemptMs } = limitsOf(options)
    const deadline = startDeadline({ signal: request.signal, attemptMs, act: () => dropLine(line) })
    const sending = { request, url: target.url, deadline, options }
    const sendAgain = () => {
      dropLine(line)
      line = newLine(target, request)
      return send(line, sending)
    }
    const sent = await send(line, sending)
      .then((first) => (kept && request.mayRepeat && wasClosed(first.outcome) ? sendAgain() : first))
      .finally(deadline.stop)
    if (sent.reusable && request.keepAlive) giveBack(line)
    else dropLine(line)
    return done(sent.outcome)
  }

  return {
    post(request) {
      assert(!closed, 'nothing is posted after close')
      const attempted = attempt(request).finally(() => running.delete(attempted))
      running.add(attempted)
      return attempted
    },
    async close() {
      closed = true
      for (const line of idle.takeAll()) dropLine(line)
      await Promise.allSettled(running)
    },
  }
}

type Sending = { request: PostRequest; url: URL; deadline: Deadline; options: PosterOptions }

async function send(line: Line, { request, url, deadline, options }: Sending) {
  const { headers, body } = request
  const asked = { path: url.pathname + url.search, headers, body, reset: !request.keepAlive }
  try {
    const answer = await requestOn.call(line.client, { ...asked, method: 'POST' })
    // The status line and headers are complete and in time, so the outcome stands whatever the body does.
    const outcome = judge(answer.statusCode)
    const chunks: Uint8Array[] = []
    const read = await readToEnd(answer.body, chunks, limitsOf(options).bodyBytes)
    if (outcome.kind === 'answered') keepOf(outcome, { read, chunks }, options)
    return { outcome, reusable: read !== null }
  } catch (error) {
    return { outcome: failureOf(error, deadline), reusable: false }
  }
}

/** Whether the connection ended before any answer: a receiver has closed it while it was idle. */
const wasClosed = (outcome: Outcome) => outcome.kind === 'failed' && outcome.error === 'reset'

function judge(status: number): Outcome {
  return REDIRECTS.has(status)
    ? { kind: 'failed', error: 'redirect refused', status }
    : { kind: 'answered', status }
}

/** What this poster hands on of an answer. */
function keepOf(
  outcome: Extract<Outcome, { kind: 'answered' }>,
  { read, chunks }: { read: Buffer | null; chunks: readonly Uint8Array[] },
  { keepBody, keepFirstBytes }: PosterOptions,
): void {
  if (keepBody) outcome.body = read
  if (keepFirstBytes === undefined || chunks.length === 0) return
  outcome.begins = (read ?? Buffer.concat(chunks)).subarray(0, keepFirstBytes)
}

/** The body when it ended by itself within its limit and the deadline, else null; only after it may its socket be used again. */
async function readToEnd(
  body: AsyncIterable<Uint8Array>,
  chunks: Uint8Array[],
  limit: number,
): Promise<Buffer | null> {
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes > limit) return null
    }
    return Buffer.concat(chunks)
  } catch {
    // A cut, late or malformed body changes nothing about the outcome: the caller drops the socket.
    return null
  }
}

function failureOf(error: unknown, { ended }: Deadline): Outcome {
  // A header or path that undici will not send is our own mistake, not the receiver's.
  if (error instanceof errors.InvalidArgumentError) throw error
  if (ended !== null) return { kind: 'failed', error: ended, status: null }
  if (error instanceof NotConnected) return error.outcome
  const code = error instanceof Error && 'code' in error ? error.code : ''
  const reset = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
  return { kind: 'failed', error: reset ? 'reset' : 'protocol', status: null }
}

type Deadline = { ended: 'timeout' | 'aborted' | null; stop: () => void }

/** One deadline for the whole attempt, which the caller's signal may bring forward. No listener outlives the attempt. */
function startDeadline({
  signal,
  attemptMs,
  act,
}: {
  signal: AbortSignal | undefined
  attemptMs: number
  act: () => void
}): Deadline {
  const end = (reason: 'timeout' | 'aborted') => {
    deadline.ended = reason
    act()
  }
  const timer = setTimeout(end, attemptMs, 'timeout')
  const abort = () => end('aborted')
  const stop = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  const deadline: Deadline = { ended: null, stop }
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  return deadline
}

function openLine(
  target: Target,
  options: PosterOptions,
  { onLost, isLate }: { onLost: (line: Line) => void; isLate: PostRequest['isLate'] },
): Line {
  const gone = new AbortController()
  const connect: buildConnector.connector = (_where, callback) => {
    connectChecked(target, options, gone.signal)
      .then((socket) => inTime(socket, isLate))
      .then(
        (socket) => callback(null, letContinuePass(socket)),
        (error: Error) => callback(error, null),
      )
  }
  const client = new Client(target.url.origin, {
    connect,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Switched off: undici's timers are too coarse, and the attempt has its own deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const line = { origin: target.url.origin, client, gone }
  client.on('disconnect', () => onLost(line))
  return line
}

function inTime(socket: Socket, isLate: PostRequest['isLate']): Socket {
  if (!isLate?.()) return socket
  socket.destroy()
  throw new NotConnected({ kind: 'failed', error: 'late', status: null })
}

function dropLine(line: Line): void {
  line.gone.abort(GIVEN_UP)
  // The promise settles when the socket is closed; nobody needs to wait for that.
  line.client.destroy(GIVEN_UP).catch(() => {})
}
