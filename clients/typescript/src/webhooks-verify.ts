// Webhooks as Standard Webhooks describes them. Only WebCrypto, which every runtime has.
import type { GatewayEvent } from './events.ts'

export type VerifyOptions = {
  /** The secret of your address, `whsec_...`; several while you change it. */
  secret: string | readonly string[]
  /** How old or how far ahead the time of the attempt may be: 300 where it is absent. */
  toleranceSeconds?: number | undefined
}

/** The headers of the request as your framework has them. */
export type HeadersLike = { get(name: string): string | null } | Record<string, string | readonly string[] | undefined>

export type SignatureFault = 'missing_header' | 'too_old' | 'too_new' | 'wrong_signature' | 'unreadable_body'

/** A webhook that must not be believed: answer it 400. */
export class SignatureError extends Error {
  readonly reason: SignatureFault

  constructor(reason: SignatureFault, text: string) {
    super(`${text} (${reason})`)
    this.name = 'SignatureError'
    this.reason = reason
  }
}

const TOLERANCE_S = 300
// During a change of secret there are two. Whoever sends a thousand wants to keep us busy.
const MOST_SIGNATURES = 10
const PREFIX = 'whsec_'
const STRICT_BASE64 = /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/

/**
 * Checks the signature and the time of a webhook, and returns its event. `raw` is the body as it came: a parsed one that is written again
 * has other bytes. Throws SignatureError.
 */
export async function verifyWebhook(
  raw: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  { secret, toleranceSeconds = TOLERANCE_S }: VerifyOptions,
): Promise<GatewayEvent> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const sent = readHeader(headers, 'webhook-signature')
  const body = typeof raw === 'string' ? new TextEncoder().encode(raw) : new Uint8Array(raw)
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (!(await isSignedBy(secrets, signed, sent)))
    throw new SignatureError('wrong_signature', 'no signature of this webhook is made with your secret')
  checkAge(timestamp, toleranceSeconds)
  return parseEvent(body)
}

function readHeader(headers: HeadersLike, name: string): string {
  const value =
    typeof headers.get === 'function' ? headers.get(name) : plainHeader(headers as Record<string, unknown>, name)
  if (typeof value === 'string' && value !== '') return value
  throw new SignatureError('missing_header', `there is no header ${name}`)
}

function plainHeader(headers: Record<string, unknown>, name: string): unknown {
  const key = Object.keys(headers).find((one) => one.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

/** Looks at every signature with every secret, whatever it has found: how long that takes tells nothing. */
async function isSignedBy(secrets: readonly string[], signed: Uint8Array<ArrayBuffer>, sent: string): Promise<boolean> {
  const signatures = sent
    .split(' ')
    .slice(0, MOST_SIGNATURES)
    .flatMap((one) => (one.startsWith('v1,') ? (fromBase64(one.slice(3)) ?? []) : []))
  let found = false
  for (const secret of secrets) {
    const hash = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', keyOf(secret), hash, false, ['verify'])
    // WebCrypto compares in constant time.
    for (const one of signatures) found = (await crypto.subtle.verify('HMAC', key, one, signed)) || found
  }
  return found
}

/** The bytes that the base64 behind the prefix stands for; a secret that is no base64 stands for itself. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (secret === '') throw new TypeError('the secret of the webhook is empty')
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
  return fromBase64(text) ?? new TextEncoder().encode(text)
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | null =>
  STRICT_BASE64.test(text) ? Uint8Array.from(atob(text), (char) => char.charCodeAt(0)) : null

function join(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function checkAge(timestamp: string, toleranceSeconds: number): void {
  const age = Date.now() / 1000 - (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN)
  if (age < -toleranceSeconds) throw new SignatureError('too_new', 'the webhook is from the future: look at your clock')
  if (!(age <= toleranceSeconds))
    throw new SignatureError('too_old', 'the webhook is old: it may have been sent again by somebody')
}

function parseEvent(body: Uint8Array): GatewayEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof event?.event === 'string') return event
  } catch {}
  throw new SignatureError('unreadable_body', 'the body is no event')
}
