import type { IncomingMessage } from 'node:http'
import { badRequest, Refusal } from '../../platform/refusal.ts'
import { isControl } from '../../platform/text/text.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { parseXTimestamp } from '../../platform/time/times.ts'
import { toCountedAddress } from '../rate-limits/client-address.ts'

// Of what is signed too (signatures/).
export const MAX_AGE_S = 300
export const MAX_AHEAD_S = 60
const MAX_KEY_CHARACTERS = 255
const REQUEST_ID_FORMAT = /^[A-Za-z0-9._-]{1,128}$/

/** Returns the bearer token of the one Authorization header. Throws 401 (spec 7.1). */
export function parseBearerToken(request: IncomingMessage): string {
  const header = request.headers.authorization
  if (header === undefined || countHeader(request, 'authorization') > 1) throw unauthorized('missing bearer token')
  const match = /^Bearer +([^\s,]+)$/i.exec(header)
  if (!match?.[1]) throw unauthorized('missing bearer token')
  return match[1]
}

const WHERE_KEYS_ARE = 'the secret keys of your account are on the dashboard under Developers, Keys'

/** A 401 whose hint says where keys are. `token`: what was sent in place of a key. */
export function unauthorized(message: 'missing bearer token' | 'invalid api key', token = ''): Refusal {
  if (message === 'missing bearer token')
    return refused(message, `send the header "Authorization: Bearer sk_test_..."; ${WHERE_KEYS_ARE}`)
  if (/^pk_(?:test|live)_/.test(token))
    return refused(message, `this is a public key, and requests need the secret one; ${WHERE_KEYS_ARE}`)
  return refused(message, `it is unknown, was rotated or was revoked; ${WHERE_KEYS_ARE}`)
}

const refused = (message: string, hint: string) => new Refusal(401, 'unauthorized', message, { hint })

/** Refuses a POST whose X-Timestamp is missing, no integer, too old or ahead (spec 5.4; G52, G53). */
export function checkTimestamp(header: string | string[] | undefined, clock: Clock): void {
  if (header === undefined || header === '')
    throw badRequest('X-Timestamp header required. Send the current Unix time in seconds.')
  const seconds = typeof header === 'string' ? parseXTimestamp(header.trim()) : null
  if (seconds === null) throw badRequest('X-Timestamp must be an integer Unix timestamp')
  const age = Math.floor(clock.nowMs() / 1000) - seconds
  if (age > MAX_AGE_S) throw badRequest(`request timestamp is ${age}s old - max allowed skew is ${MAX_AGE_S}s`)
  if (-age > MAX_AHEAD_S) throw badRequest('request timestamp is too far in the future - check your system clock')
}

/** Returns the trimmed Idempotency-Key; null when absent or blank. Throws 400 for what is no key (G56). */
export function parseIdempotencyKey(request: IncomingMessage): string | null {
  const header = request.headers['idempotency-key']
  if (header === undefined) return null
  const key = typeof header === 'string' ? header.trim() : ''
  if (typeof header === 'string' && key === '') return null
  if (countHeader(request, 'idempotency-key') > 1 || key.length > MAX_KEY_CHARACTERS)
    throw badRequest(`Idempotency-Key must be 1 to ${MAX_KEY_CHARACTERS} characters`)
  if (hasControl(key)) throw badRequest('Idempotency-Key must not contain control characters')
  return key
}

export const keyRequired = () =>
  badRequest('Idempotency-Key header required', {
    hint: 'send a name of your own for this one request, best a UUID, and the same name when you repeat it',
  })

/** 403 for a live key where only test mode is served. */
export const testKeyRequired = () =>
  new Refusal(403, 'forbidden', 'this endpoint is for tests: it needs a test key, and does nothing in live mode', {
    hint: 'send the full secret key of test mode, sk_test_...',
  })

/** Returns the caller's own request id if it is well-formed, else null. */
export function parseRequestId(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && REQUEST_ID_FORMAT.test(header) ? header : null
}

/**
 * Returns the client's address as limits count it: `hops` from the right of X-Forwarded-For where that many proxies are trusted, else
 * the socket's.
 */
export const clientAddress = (request: IncomingMessage, hops: number): string =>
  toCountedAddress(addressBehindProxies(request, hops))

/** Returns the client's address as its socket or the trusted proxy says it. */
export function addressBehindProxies(request: IncomingMessage, hops: number): string {
  const socket = request.socket.remoteAddress ?? ''
  if (hops === 0) return socket
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return forwarded.at(-hops) ?? socket
}

/** Returns the query as single texts: blank is absent, the same name twice is refused (contract.md 2.0). */
export function parseQuery(query: unknown): Record<string, string | undefined> {
  const parsed: Record<string, string | undefined> = Object.create(null)
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    if (Array.isArray(value)) throw badRequest(`invalid request: query parameter ${name.slice(0, 40)} is given twice`)
    const text = String(value)
    if (hasControl(text))
      throw badRequest(`invalid request: query parameter ${name.slice(0, 40)} contains control characters`)
    if (text.trim() !== '') parsed[name] = text
  }
  return parsed
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (isControl(text.charCodeAt(at))) return true
  return false
}

/** Counts how often a header was sent, from the raw list: Node joins or drops repeats. */
function countHeader(request: IncomingMessage, name: string): number {
  let count = 0
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const sent = request.rawHeaders[at]
    if (sent?.length === name.length && sent.toLowerCase() === name) count += 1
  }
  return count
}
