import { hash } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import type { Dispatcher } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import type { AnswerEvidence, CallDeadline } from '../rail.ts'
import type { Op1Installation } from './installation.ts'

/** A request to the operator. `headers` lacks those that every call carries. */
export type OperatorRequest = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

/**
 * How far a request got, and the answer as far as it was read. `status` is null when no status line was read. `whole`: the body
 * arrived completely.
 */
export type OperatorReply = {
  stage: AnswerEvidence['stage']
  status: number | null
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  whole: boolean
  /** The code of the error that ended the exchange, if one did. */
  transport: string | null
  elapsedMs: number
}

/** Submits, questions and token calls have their own sockets, so that none of them waits for another. */
export type PoolName = 'submit' | 'status' | 'token'
export type Wire = {
  ask(pool: PoolName, request: OperatorRequest, deadline: CallDeadline): Promise<OperatorReply>
  close(): Promise<void>
}

const MIN_STATUS_CONNECTIONS = 16
const TOKEN_CONNECTIONS = 4
const STATUS_HEADERS_SECONDS = 10
const KEEP_ALIVE_MS = 4000
const MAX_BODY_BYTES = 256 * 1024
const SECOND_MS = 1000

/** The settings of an installation that a connection needs. Times are in seconds where the name says nothing else. */
type WireSettings = Pick<Op1Installation, 'baseUrl' | 'submitConnections' | 'tokenTimeoutMs'> & {
  timeouts: Pick<Op1Installation['timeouts'], 'connect' | 'headers' | 'body'>
}

/** Every payment needs a question: with fewer sockets than the posts have, the ends would fall behind the posts. */
export const countStatusConnections = ({ submitConnections }: Pick<Op1Installation, 'submitConnections'>): number =>
  Math.max(MIN_STATUS_CONNECTIONS, submitConnections)

/** Whether a host name, or an address in its place, resolves. */
export const resolveName = (hostname: string): Promise<boolean> =>
  lookup(hostname.replace(/^\[|\]$/g, '')).then(
    () => true,
    () => false,
  )

/** Opens the sockets of one installation. Redirects are not followed, and nothing is repeated. */
export function openWire(settings: WireSettings): Wire {
  const { baseUrl, timeouts, submitConnections, tokenTimeoutMs } = settings
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  const open = (connections: number, headersTimeout: number) =>
    new Pool(origin, {
      connections,
      headersTimeout,
      // One request on a socket at a time, because a broken socket loses every request on it.
      pipelining: 1,
      connect: { timeout: timeouts.connect * SECOND_MS },
      bodyTimeout: timeouts.body * SECOND_MS,
      // Shorter than the operator's own timeout, because the reset of a stale socket looks like an unclear answer.
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    })
  const pools: Record<PoolName, Pool> = {
    submit: open(submitConnections, timeouts.headers * SECOND_MS),
    status: open(countStatusConnections(settings), Math.min(timeouts.headers, STATUS_HEADERS_SECONDS) * SECOND_MS),
    token: open(TOKEN_CONNECTIONS, tokenTimeoutMs),
  }
  return {
    ask: (pool, request, deadline) => exchange(pools[pool], { ...request, path: `${prefix}${request.path}` }, deadline),
    close: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.destroy()))
    },
  }
}

/**
 * Sends one request. Never rejects. The stage says how far it got: before `sent` not a byte was given to a connected socket
 * (rails.md 3.9).
 */
function exchange(pool: Dispatcher, request: OperatorRequest, deadline: CallDeadline): Promise<OperatorReply> {
  return new Promise((resolve) => {
    const reader = new ReplyReader(performance.now(), deadline, resolve)
    const giveUp = () => reader.giveUp('DEADLINE')
    if (deadline.signal.aborted || deadline.isOver()) return giveUp()
    deadline.signal.addEventListener('abort', giveUp, { once: true })
    reader.whenDone = () => deadline.signal.removeEventListener('abort', giveUp)
    pool.dispatch({ ...request, body: request.body ?? null }, reader)
  })
}

/** Collects one reply. The status line counts even if the connection breaks after it. */
class ReplyReader implements Dispatcher.DispatchHandler {
  whenDone = () => {}
  readonly #startedAt: number
  readonly #deadline: CallDeadline
  readonly #resolve: (heard: OperatorReply) => void
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #stage: OperatorReply['stage'] = 'connect'
  #status: number | null = null
  #headers: OperatorReply['headers'] = {}
  #controller: Dispatcher.DispatchController | null = null
  #done = false

  constructor(startedAt: number, deadline: CallDeadline, resolve: (heard: OperatorReply) => void) {
    this.#startedAt = startedAt
    this.#deadline = deadline
    this.#resolve = resolve
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The request was given up while connecting, or the process stood still: abort here, before a byte is written.
    if (this.#deadline.isOver()) this.#end(false, 'DEADLINE')
    if (this.#done) {
      controller.abort(new Error('given up'))
      return
    }
    this.#controller = controller
    this.#stage = 'sent'
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: OperatorReply['headers']): void {
    // Interim (1xx) answers mean nothing.
    if (status < 200) return
    this.#stage = 'answered'
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > MAX_BODY_BYTES) this.giveUp('BODY_TOO_LARGE')
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#end(true, null)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(false, transportCode(error))
  }

  giveUp(transport: string): void {
    this.#end(false, transport)
    this.#controller?.abort(new Error(transport))
  }

  #end(whole: boolean, transport: string | null): void {
    if (this.#done) return
    this.#done = true
    this.whenDone()
    this.#resolve({
      stage: this.#stage,
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
      whole,
      transport,
      elapsedMs: performance.now() - this.#startedAt,
    })
  }
}

function transportCode(error: Error & { code?: unknown; cause?: unknown }): string {
  const { code, cause } = error
  if (typeof code === 'string') return code
  return cause instanceof Error ? transportCode(cause) : error.name
}

/** Makes the reply of a request that was never sent, because our own gate, breaker or a missing token stopped it. */
export const replyNotSent = (transport: string): OperatorReply => ({
  stage: 'gate',
  status: null,
  headers: {},
  body: Buffer.alloc(0),
  whole: false,
  transport,
  elapsedMs: 0,
})

/** Whether nothing of the request can have reached the operator. */
export const neverLeft = ({ stage }: OperatorReply): boolean => stage === 'gate' || stage === 'connect'

const MAX_HEAD_CHARACTERS = 200
const LONG_NUMBERS = /[0-9]{9,15}/g
// The database takes no NUL, and the other control characters would spoil a page or a log line.
const CONTROLS = /\p{Cc}+/gu

/** Cleans a text of the operator so that it may be stored and shown to staff, at most `maxLength` characters. */
export const toStorableText = (text: string, maxLength: number): string =>
  text.replace(CONTROLS, ' ').slice(0, maxLength)

const maskNumbers = (head: string) => head.replace(LONG_NUMBERS, (digits) => `***${digits.slice(-3)}`)

/** Builds the evidence of an exchange, with no secret and no whole phone number (rails.md 4.8). */
export function buildEvidence(
  heard: OperatorReply,
  about: { at: Date; operation: AnswerEvidence['operation']; operatorCode?: string | null },
): AnswerEvidence {
  const { stage, status, body, transport, elapsedMs } = heard
  const { at, operation, operatorCode } = about
  const head = toStorableText(body.toString('utf8', 0, 4 * MAX_HEAD_CHARACTERS), MAX_HEAD_CHARACTERS)
  return {
    at,
    operation,
    elapsedMs,
    stage,
    ...(status === null ? {} : { httpStatus: status }),
    ...(operatorCode === null || operatorCode === undefined ? {} : { operatorCode }),
    ...(transport === null ? {} : { transport }),
    ...(body.length === 0 ? {} : { bodySha256: hash('sha256', body, 'hex'), bodyHead: maskNumbers(head) }),
  }
}
