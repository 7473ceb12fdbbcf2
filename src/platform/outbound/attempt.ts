import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import requestOn from 'undici/lib/api/api-request.js'
import errors from 'undici/lib/core/errors.js'
import Client from 'undici/lib/dispatcher/client.js'
import { assert } from '../assert.ts'
import { connectChecked, limitsOf, NotConnected, type PosterOptions, type PostOutcome } from './connect.ts'
import { newIdleClients } from './idle-clients.ts'
import { acceptInterimContinue } from './interim-answers.ts'
import { parseTarget, type Target } from './target.ts'

export type { PosterOptions } from './connect.ts'

const IDLE_MS = 4_000
// Enough for well-behaved receivers. Set here, so that no command-line flag of Node changes it.
const MAX_HEADER_BYTES = 16_384
// Open sockets are at most the attempts in flight plus this many, however many receivers there are.
const MAX_IDLE_SOCKETS = 512
// Made once: an error for each socket that is closed took a twentieth of the time of webhooks.
const GIVEN_UP = new Error('the connection was given up')

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The outcome of one attempt. `elapsedMs` covers all of it, reading the answer included. */
export type PostAttempt = PostOutcome & { elapsedMs: number }

type PostRequest = {
  url: string
  body: Buffer
  headers: Record<string, string>
  keepAlive: boolean
  signal?: AbortSignal
  /**
   * Whether the request may arrive twice. Then a kept connection that turns out to be closed does not use up the attempt: the request
   * is sent again at once over a new connection, within the same deadline.
   */
  mayRepeat?: boolean
  /** Called when the connection is made, before the first byte; when it returns true nothing is sent. Not with `keepAlive`. */
  isLate?: () => boolean
}

/** `close` lets the attempts under way end (within their own limit) and closes every socket; calling `post` after it is our own bug. */
export type Poster = { post(request: PostRequest): Promise<PostAttempt>; close(): Promise<void> }

/** One undici client with one socket at most; aborting `gone` ends a look-up or connection that is still being made. */
type PosterClient = { origin: string; client: Client; gone: AbortController }

/**
 * Makes a poster of outbound POST attempts under reliability.md 7.3 and 7.5. `post` never throws for what a receiver does, follows no
 * redirect, and repeats only what `mayRepeat`.
 */
export function createPoster(options: PosterOptions): Poster {
  const idle = newIdleClients<PosterClient>(MAX_IDLE_SOCKETS)
  const running = new Set<Promise<PostAttempt>>()
  let closed = false

  const newClient = (target: Target, { isLate }: PostRequest): PosterClient =>
    openClient(target, options, { onLost: idle.delete, isLate })

  function giveBack(postClient: PosterClient): void {
    const surplus = closed || postClient.client.destroyed ? postClient : idle.add(postClient)
    if (surplus !== undefined) dropClient(surplus)
  }

  async function attempt(request: PostRequest): Promise<PostAttempt> {
    const startedAt = performance.now()
    const done = (outcome: PostOutcome) => ({
      ...outcome,
      elapsedMs: Math.round(performance.now() - startedAt),
    })
    const reading = parseTarget(request.url, options)
    if (reading.kind === 'refused') return done({ kind: 'refused_target', why: reading.why })
    const { target } = reading
    const kept = request.keepAlive ? idle.take(target.url.origin) : undefined
    let postClient = kept ?? newClient(target, request)
    // undici heeds a signal only once it has a socket, so the deadline drops the client instead.
    const { attemptMs } = limitsOf(options)
    const deadline = startDeadline({ signal: request.signal, attemptMs, act: () => dropClient(postClient) })
    const sending = { request, url: target.url, deadline, options }
    const sendAgain = () => {
      dropClient(postClient)
      postClient = newClient(target, request)
      return send(postClient, sending)
    }
    const sent = await send(postClient, sending)
      .then((first) => (kept && request.mayRepeat && wasClosed(first.outcome) ? sendAgain() : first))
      .finally(deadline.stop)
    if (sent.reusable && request.keepAlive) giveBack(postClient)
    else dropClient(postClient)
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
      for (const postClient of idle.takeAll()) dropClient(postClient)
      await Promise.allSettled(running)
    },
  }
}

type SendInput = { request: PostRequest; url: URL; deadline: AttemptDeadline; options: PosterOptions }

async function send(postClient: PosterClient, { request, url, deadline, options }: SendInput) {
  const { headers, body } = request
  const sent = { path: url.pathname + url.search, headers, body, reset: !request.keepAlive }
  try {
    const answer = await requestOn.call(postClient.client, { ...sent, method: 'POST' })
    // The status line and headers are complete and in time, so the outcome stands whatever the body does.
    const outcome = classifyStatus(answer.statusCode)
    const retryAfter = answer.headers['retry-after']
    if (outcome.kind === 'answered' && typeof retryAfter === 'string') outcome.retryAfter = retryAfter
    const chunks: Uint8Array[] = []
    const read = await readToEnd(answer.body, chunks, limitsOf(options).bodyBytes)
    if (outcome.kind === 'answered') copyKeptBytes(outcome, { read, chunks }, options)
    return { outcome, reusable: read !== null }
  } catch (error) {
    return { outcome: classifyFailure(error, deadline), reusable: false }
  }
}

/** Whether the connection ended before any answer: the receiver closed it while it was idle. */
const wasClosed = (outcome: PostOutcome) => outcome.kind === 'failed' && outcome.error === 'reset'

function classifyStatus(status: number): PostOutcome {
  return REDIRECTS.has(status) ? { kind: 'failed', error: 'redirect refused', status } : { kind: 'answered', status }
}

/** Copies to the outcome what this poster keeps of the answer's bytes. */
function copyKeptBytes(
  outcome: Extract<PostOutcome, { kind: 'answered' }>,
  { read, chunks }: { read: Buffer | null; chunks: readonly Uint8Array[] },
  { keepBody, keepFirstBytes }: PosterOptions,
): void {
  if (keepBody) outcome.body = read
  if (keepFirstBytes === undefined || chunks.length === 0) return
  outcome.firstBytes = (read ?? Buffer.concat(chunks)).subarray(0, keepFirstBytes)
}

/**
 * Returns the body when it ended by itself within its limit and the deadline, else null; its socket may be used again only after a body.
 */
async function readToEnd(body: AsyncIterable<Uint8Array>, chunks: Uint8Array[], limit: number): Promise<Buffer | null> {
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

function classifyFailure(error: unknown, { ended }: AttemptDeadline): PostOutcome {
  // A header or path that undici will not send is our own mistake, not the receiver's.
  if (error instanceof errors.InvalidArgumentError) throw error
  if (ended !== null) return { kind: 'failed', error: ended, status: null }
  if (error instanceof NotConnected) return error.outcome
  const code = error instanceof Error && 'code' in error ? error.code : ''
  const reset = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
  return { kind: 'failed', error: reset ? 'reset' : 'protocol', status: null }
}

type AttemptDeadline = { ended: 'timeout' | 'aborted' | null; stop: () => void }

/** Starts the deadline of the whole attempt, which the caller's signal may bring forward. No listener outlives the attempt. */
function startDeadline({
  signal,
  attemptMs,
  act,
}: {
  signal: AbortSignal | undefined
  attemptMs: number
  act: () => void
}): AttemptDeadline {
  const finish = (reason: 'timeout' | 'aborted') => {
    deadline.ended = reason
    act()
  }
  const timer = setTimeout(finish, attemptMs, 'timeout')
  const abort = () => finish('aborted')
  const stop = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  const deadline: AttemptDeadline = { ended: null, stop }
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  return deadline
}

function openClient(
  target: Target,
  options: PosterOptions,
  { onLost, isLate }: { onLost: (postClient: PosterClient) => void; isLate: PostRequest['isLate'] },
): PosterClient {
  const gone = new AbortController()
  const connect: buildConnector.connector = (_where, callback) => {
    connectChecked(target, options, gone.signal)
      .then((socket) => refuseIfLate(socket, isLate))
      .then(
        (socket) => callback(null, acceptInterimContinue(socket)),
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
  const postClient = { origin: target.url.origin, client, gone }
  client.on('disconnect', () => onLost(postClient))
  return postClient
}

function refuseIfLate(socket: Socket, isLate: PostRequest['isLate']): Socket {
  if (!isLate?.()) return socket
  socket.destroy()
  throw new NotConnected({ kind: 'failed', error: 'late', status: null })
}

function dropClient(postClient: PosterClient): void {
  postClient.gone.abort(GIVEN_UP)
  // The promise settles when the socket is closed, which no caller needs to wait for.
  postClient.client.destroy(GIVEN_UP).catch(() => {})
}
