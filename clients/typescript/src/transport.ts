// Sends one call until it is answered or given up. Every POST has an Idempotency-Key, which all its attempts share, and endpoints that do
// not read keys do no harm when they are asked twice: so each call may be sent again after an answer that was not heard.

import { readAnswer } from './answer.ts'
import type { Call, Client } from './client.ts'
import { ConnectionError, type GatewayError, ownFacts, refusalOf, TimeoutError } from './errors.ts'
import { delayBefore, delayInFlight, isUnderWay, mayPass, pause } from './retry.ts'
import type { Signer } from './signing.ts'
import { VERSION } from './version.ts'

/** What is asked of `fetch`. The one of every runtime fulfils it. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal; redirect: 'manual' },
) => Promise<FetchAnswer>

export type FetchAnswer = {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
  arrayBuffer(): Promise<ArrayBuffer>
}

export type Settings = {
  apiKey: string
  baseUrl: string
  timeoutMs: number
  maxRetries: number
  fetch: Fetch
  signer: Signer | undefined
}

type Method = 'GET' | 'POST'

/** What is remembered of a call from attempt to attempt. */
type Course = {
  attempts: number
  retries: number
  /** Whether an attempt may have been done without our hearing of it. */
  unclear: boolean
  clockMended: boolean
  underWaySince: number | undefined
  readonly url: string
  /** Written once: under one key the bytes must stay the same. */
  readonly body: string | undefined
  readonly idempotencyKey: string | undefined
  readonly maxRetries: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

type Outcome = { done: unknown } | { error: GatewayError; date: string | null }

// The service takes a timestamp that is at most 60 s ahead.
const CLOCK_TOLERANCE_MS = 45_000

/** A client for the generated calls. */
export function openTransport(settings: Settings): Client {
  const transport = new Transport(settings)
  // What the answer is, the generated types say.
  const by = (method: Method) => (call: Call) => transport.send(method, call) as Promise<never>
  return { get: by('GET'), post: by('POST') }
}

class Transport {
  readonly #settings: Settings
  // How far the service's clock is ahead of ours, once it has refused ours.
  #aheadMs = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async send(method: Method, call: Call): Promise<unknown> {
    const course = this.#begin(method, call)
    await this.#settings.signer?.ready()
    for (;;) {
      course.attempts += 1
      const outcome = await this.#attempt(method, call, course)
      if ('done' in outcome) return outcome.done
      if (this.#mendClock(method, outcome, course)) continue
      const delay = nextDelay(outcome.error, course)
      if (delay === null) throw outcome.error
      await pause(delay, course.signal)
    }
  }

  #begin(method: Method, call: Call): Course {
    const { maxRetries, timeoutMs, baseUrl } = this.#settings
    const { call: options = {}, body } = call
    return {
      url: urlOf(baseUrl, call),
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      attempts: 0,
      retries: 0,
      unclear: false,
      clockMended: false,
      underWaySince: undefined,
      idempotencyKey: method === 'POST' ? checkedKey(options.idempotencyKey ?? crypto.randomUUID()) : undefined,
      maxRetries: options.maxRetries ?? maxRetries,
      timeoutMs: options.timeoutMs ?? timeoutMs,
      signal: options.signal,
    }
  }

  async #attempt(method: Method, call: Call, course: Course): Promise<Outcome> {
    const { timeoutMs, signal, url, body } = course
    signal?.throwIfAborted()
    const ending = new AbortController()
    let late = false
    const timer = setTimeout(() => {
      late = true
      ending.abort()
    }, timeoutMs)
    const end = () => ending.abort()
    signal?.addEventListener('abort', end, { once: true })
    try {
      const answer = await this.#settings.fetch(url, {
        method,
        headers: await this.#headersOf(method, call, course),
        ...(body === undefined ? {} : { body }),
        signal: ending.signal,
        redirect: 'manual',
      })
      return await this.#judge(answer, course)
    } catch (cause) {
      signal?.throwIfAborted()
      course.unclear ||= method === 'POST'
      return { error: notHeard(cause, late, course), date: null }
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
    }
  }

  /** Throws what reading the body throws: then nobody knows what the answer was. */
  async #judge(answer: FetchAnswer, course: Course): Promise<Outcome> {
    const { body, last } = await readAnswer(answer, course)
    if (answer.status >= 200 && answer.status < 300) return { done: body }
    const after = Number(answer.headers.get('retry-after') ?? Number.NaN)
    const { attempts, idempotencyKey } = course
    // A 503 says that nothing was done.
    course.unclear ||= idempotencyKey !== undefined && answer.status >= 500 && answer.status !== 503
    const error = refusalOf({
      status: answer.status,
      body,
      requestId: last.requestId,
      retryAfterSeconds: Number.isFinite(after) ? after : undefined,
      idempotencyKey,
      attempts,
      mayBeDone: course.unclear,
    })
    return { error, date: answer.headers.get('date') }
  }

  async #headersOf(
    method: Method,
    { security, headers = {}, body }: Call,
    { idempotencyKey, url, body: written }: Course,
  ) {
    const nowMs = Date.now() + this.#aheadMs
    const sent: Record<string, string> = { accept: 'application/json', 'user-agent': `gateway-typescript/${VERSION}` }
    if (security !== undefined) sent.authorization = `Bearer ${this.#settings.apiKey}`
    if (body !== undefined) sent['content-type'] = headers['Content-Type'] ?? 'application/json'
    if (method === 'POST') sent['x-timestamp'] = String(Math.floor(nowMs / 1000))
    if (idempotencyKey !== undefined) sent['idempotency-key'] = idempotencyKey
    const { signer } = this.#settings
    if (signer === undefined || security === undefined) return sent
    return { ...sent, ...(await signer.sign({ method, url, headers: sent, body: written, nowMs })) }
  }

  /**
   * Takes over the service's clock where a POST or a signature was refused and ours is far from the Date of the answer. What refuses a
   * timestamp is not kept under the key; another refusal of this kind comes a second time, and is then believed.
   */
  #mendClock(method: Method, { error, date }: Extract<Outcome, { error: unknown }>, course: Course): boolean {
    const heard = Date.parse(date ?? '')
    const isOfTime =
      (method === 'POST' && error.status === 400 && error.code === 'bad_request') || error.code === 'invalid_signature'
    if (course.clockMended || !isOfTime || Number.isNaN(heard)) return false
    const aheadMs = heard - Date.now()
    if (Math.abs(aheadMs - this.#aheadMs) < CLOCK_TOLERANCE_MS) return false
    this.#aheadMs = aheadMs
    course.clockMended = true
    return true
  }
}

// What a header can hold, without blanks at its ends, which the service drops.
const KEY_FORMAT = /^[!-~](?:[ -~]{0,253}[!-~])?$/

function checkedKey(key: string): string {
  if (KEY_FORMAT.test(key)) return key
  throw new TypeError('idempotencyKey must be 1 to 255 characters of ASCII')
}

/** How long to wait before the next attempt; null: the error is the answer. */
function nextDelay(error: GatewayError, course: Course): number | null {
  const { maxRetries, timeoutMs, attempts, retries } = course
  if (isUnderWay(error)) {
    course.underWaySince ??= Date.now()
    const over = maxRetries === 0 || Date.now() - course.underWaySince >= timeoutMs
    return over ? null : delayInFlight(attempts, Math.random())
  }
  if (!mayPass(error) || retries >= maxRetries) return null
  course.retries += 1
  return delayBefore(retries, error.retryAfterSeconds, Math.random())
}

function notHeard(
  cause: unknown,
  late: boolean,
  { attempts, timeoutMs, idempotencyKey, unclear }: Course,
): ConnectionError {
  const known =
    idempotencyKey === undefined ? '' : '; it may have been done, so repeat it with the same Idempotency-Key'
  const facts = ownFacts('no_answer', { idempotencyKey, attempts, mayBeDone: unclear })
  if (late) return new TimeoutError(`no answer within ${timeoutMs} ms${known}`, facts, { cause })
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ConnectionError(`no answer: ${reason}${known}`, facts, { cause })
}

function urlOf(baseUrl: string, { url, path = {}, query = {} }: Call): string {
  const place = url.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name]
    // Without it the address would be that of another endpoint.
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text that is not empty`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  const text = search.toString()
  return `${baseUrl}${place}${text === '' ? '' : `?${text}`}`
}
