import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect as connectTls } from 'node:tls'
import { type buildConnector, Client, errors } from 'undici'
import { assert } from '../assert.ts'
import { resolveHost } from './resolve.ts'
import { addressAllowed, isOwnAddress, readTarget, type Target, type TargetRules } from './target.ts'

// Limits of one attempt, reliability.md 7.3.
const ATTEMPT_MS = 5_000
const LOOK_UP_MS = 1_000
const CONNECT_MS = 2_000
const IDLE_MS = 4_000
const MAX_BODY_BYTES = 4_096
// Headers of honest receivers fit; a fixed number keeps a command-line flag of Node from changing it.
const MAX_HEADER_BYTES = 16_384
// Open sockets are at most the attempts in flight plus this many, however many receivers there are.
const MAX_IDLE_SOCKETS = 256

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * `failed.error`: `dns`, `connect`, `tls` (nothing was sent), `timeout`, `reset`, `protocol`, `aborted` (something may
 * have been sent), `redirect refused` (the only one with a status).
 */
type Outcome =
  | { kind: 'answered'; status: number }
  | { kind: 'refused_target'; why: string }
  | { kind: 'failed'; error: string; status: number | null }

/** How one attempt ended. `elapsedMs` covers all of it, reading the answer included. */
export type Attempted = Outcome & { elapsedMs: number }

export type Answered = Extract<Attempted, { kind: 'answered' }>

export type PostRequest = {
  url: string
  body: Buffer
  headers: Record<string, string>
  keepAlive: boolean
  signal?: AbortSignal
}

/** `close` lets the attempts in flight end (5 s at most) and closes every socket; `post` after it is our own bug. */
export type Poster = { post(request: PostRequest): Promise<Attempted>; close(): Promise<void> }

export type Address = { address: string; family: 4 | 6 }

export type PosterOptions = TargetRules & {
  resolve?: (host: string, signal: AbortSignal) => Promise<Address[]>
  ca?: string
}

/** One undici client with one socket at most; `gone` ends a look-up or connection still being made. */
type Line = { origin: string; client: Client; gone: AbortController }

/** Nothing was sent: the socket was never opened, or closed before the first byte of the request. */
class NotConnected extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super('no connection was made')
    this.outcome = outcome
  }
}

/** Makes outbound POST attempts under reliability.md 7.3 and 7.5. Never throws for what a receiver does; no redirect is followed and nothing is repeated. */
export function createPoster(options: PosterOptions): Poster {
  const idle = new Set<Line>()
  const running = new Set<Promise<Attempted>>()
  let closed = false

  function takeLine(target: Target, keepAlive: boolean): Line {
    // The newest idle socket is the least likely to be closed by the receiver at this moment.
    const line = keepAlive ? [...idle].findLast((each) => each.origin === target.url.origin) : undefined
    if (line === undefined) return openLine(target, options, (lost) => idle.delete(lost))
    idle.delete(line)
    return line
  }

  function giveBack(line: Line): void {
    if (closed || line.client.destroyed) dropLine(line)
    else idle.add(line)
    const [oldest] = idle
    if (idle.size <= MAX_IDLE_SOCKETS || oldest === undefined) return
    idle.delete(oldest)
    dropLine(oldest)
  }

  async function attempt(request: PostRequest): Promise<Attempted> {
    const startedAt = performance.now()
    const done = (outcome: Outcome) => ({ ...outcome, elapsedMs: Math.round(performance.now() - startedAt) })
    const reading = readTarget(request.url, options)
    if (reading.kind === 'refused') return done({ kind: 'refused_target', why: reading.why })
    const line = takeLine(reading.target, request.keepAlive)
    // undici heeds a signal only once it has a socket, so an ended attempt takes its line down instead.
    const deadline = startDeadline(request.signal, () => dropLine(line))
    const sent = await send(line, { request, url: reading.target.url, deadline }).finally(deadline.stop)
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
      for (const line of idle) dropLine(line)
      idle.clear()
      await Promise.allSettled(running)
    },
  }
}

async function send(line: Line, sending: { request: PostRequest; url: URL; deadline: Deadline }) {
  const { request, url, deadline } = sending
  const { headers, body } = request
  const options = { path: url.pathname + url.search, headers, body, reset: !request.keepAlive }
  try {
    const answer = await line.client.request({ ...options, method: 'POST' })
    // The status line and headers are complete and in time, so the outcome stands whatever the body does.
    return { outcome: judge(answer.statusCode), reusable: await readsToEnd(answer.body) }
  } catch (error) {
    return { outcome: failureOf(error, deadline), reusable: false }
  }
}

function judge(status: number): Outcome {
  return REDIRECTS.has(status)
    ? { kind: 'failed', error: 'redirect refused', status }
    : { kind: 'answered', status }
}

/** Whether the body ended by itself within 4 KB and the deadline; only then may its socket be used again. */
async function readsToEnd(body: AsyncIterable<Uint8Array>): Promise<boolean> {
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) return false
    }
    return true
  } catch {
    // A cut, late or malformed body changes nothing about the outcome: the caller drops the socket.
    return false
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
function startDeadline(signal: AbortSignal | undefined, act: () => void): Deadline {
  const end = (reason: 'timeout' | 'aborted') => {
    deadline.ended = reason
    act()
  }
  const timer = setTimeout(end, ATTEMPT_MS, 'timeout')
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

function openLine(target: Target, options: PosterOptions, onLost: (line: Line) => void): Line {
  const gone = new AbortController()
  const connect: buildConnector.connector = (_where, callback) => {
    connectChecked(target, options, gone.signal).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
  const client = new Client(target.url.origin, {
    connect,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The attempt's own deadline rules; undici's timers are too coarse for it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const line = { origin: target.url.origin, client, gone }
  client.on('disconnect', () => onLost(line))
  return line
}

function dropLine(line: Line): void {
  line.gone.abort()
  // The promise settles when the socket is closed; nobody needs to wait for that.
  line.client.destroy().catch(() => {})
}

/** Runs for every new socket: one look-up, every answer checked, a socket to a checked address, its far end checked again. */
async function connectChecked(target: Target, options: PosterOptions, gone: AbortSignal): Promise<Socket> {
  const addresses = await lookUp(target, options, gone)
  const own = ownAddresses(options)
  const allowed = (address: string) => addressAllowed(address) && !isOwnAddress(address, own)
  if (!target.exempt && !addresses.every(({ address }) => allowed(address))) throw refused()
  if (gone.aborted) throw notConnected('connect')
  const socket = dial(target, addresses, options.ca)
  await opened(socket, target, gone)
  if (target.exempt || allowed(socket.remoteAddress ?? '')) return socket
  socket.destroy()
  throw refused()
}

function refused(): NotConnected {
  return new NotConnected({ kind: 'refused_target', why: 'private address' })
}

function notConnected(error: 'dns' | 'connect' | 'tls'): NotConnected {
  return new NotConnected({ kind: 'failed', error, status: null })
}

async function lookUp(target: Target, options: PosterOptions, gone: AbortSignal): Promise<Address[]> {
  if (target.literal !== null) return [addressOf(target.literal)]
  const limit = AbortSignal.any([gone, AbortSignal.timeout(LOOK_UP_MS)])
  const late = new Promise<never>((_resolve, reject) => {
    limit.addEventListener('abort', () => reject(notConnected('dns')))
  })
  const ask = options.resolve ?? (target.exempt ? askSystem : resolveHost)
  const answers = ask(target.host, limit)
  const found = await Promise.race([answers, late]).catch(() => [])
  if (found.length === 0) throw notConnected('dns')
  return found.map(({ address }) => addressOf(address))
}

// Names on the allow-list are local ones, often known to the hosts file only.
async function askSystem(host: string): Promise<Address[]> {
  return (await lookup(host, { all: true })).map(({ address }) => addressOf(address))
}

function addressOf(address: string): Address {
  return { address, family: isIP(address) === 6 ? 6 : 4 }
}

function ownAddresses({ ownHosts }: TargetRules): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return [...ownHosts, ...interfaces.map(({ address }) => address)]
}

function dial(target: Target, addresses: Address[], ca: string | undefined): Socket {
  const [first] = addresses
  assert(first, 'only checked addresses are dialled, and there is at least one')
  const giveChecked: LookupFunction = (_host, wanted, callback) =>
    wanted.all ? callback(null, addresses) : callback(null, first.address, first.family)
  const where = { host: target.literal ?? target.host, port: target.port, lookup: giveChecked }
  if (target.url.protocol === 'http:') return connectPlain(where)
  // Said outright, so that no environment variable can switch the verification off. No session is resumed either: Node
  // does not compare the name of the certificate again when one is.
  const verified = { minVersion: 'TLSv1.2', rejectUnauthorized: true, ca } as const
  const named = target.literal === null ? { servername: target.host } : {}
  return connectTls({ ...where, ...verified, ...named, ALPNProtocols: ['http/1.1'] })
}

async function opened(socket: Socket, target: Target, gone: AbortSignal): Promise<void> {
  let error: 'connect' | 'tls' = 'connect'
  // A socket may report an error while nobody else listens yet, or no longer; unheard, it would end the process.
  socket.setNoDelay(true).on('error', () => {})
  socket.once('connect', () => {
    error = 'tls'
  })
  const limit = AbortSignal.any([gone, AbortSignal.timeout(CONNECT_MS)])
  const event = target.url.protocol === 'http:' ? 'connect' : 'secureConnect'
  try {
    await once(socket, event, { signal: limit })
  } catch {
    socket.destroy()
    throw notConnected(limit.aborted ? 'connect' : error)
  }
}
