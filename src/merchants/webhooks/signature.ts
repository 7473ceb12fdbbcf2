import { createHmac } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

const STRICT_BASE64 = /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/

const USER_AGENT = 'gateway-webhooks/1.0'

type StandardHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>

type SignedAttempt = {
  id: string
  at: Date
  body: Buffer
  /** The current one first, then the previous one during its overlap. */
  secrets: readonly string[]
}

/** Returns the headers that every attempt has. `alias`: a second name for X-Service-Signature, where the operator has set one. */
export function attemptHeaders(signed: SignedAttempt, alias: string | null): Record<string, string> {
  const signature = serviceSignature(signed.secrets[0] ?? '', signed.body)
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Service-Signature': signature,
    ...(alias === null ? {} : { [alias]: signature }),
    ...standardHeaders(signed),
  }
}

/** Returns X-Service-Signature: the lowercase hex HMAC-SHA256 of the bytes, keyed with the whole `whsec_` text (contract.md 5). */
export function serviceSignature(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

/**
 * Returns the three Standard Webhooks headers of one attempt (reliability.md 7.1).
 * `at` is the time of this attempt, not of the event, because receivers judge freshness by it.
 */
export function standardHeaders(input: SignedAttempt): StandardHeaders {
  const timestamp = String(Math.floor(input.at.getTime() / 1000))
  const signed = Buffer.concat([Buffer.from(`${input.id}.${timestamp}.`), input.body])
  const signatures = input.secrets.map((secret) => `v1,${standardSignature(secret, signed)}`)
  return {
    'webhook-id': input.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

function standardSignature(secret: string, signed: Buffer): string {
  return createHmac('sha256', standardKey(secret)).update(signed).digest('base64')
}

function standardKey(secret: string): Buffer {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret
  // Node decodes base64 leniently, so a hand-made secret would silently lose characters without this check.
  return STRICT_BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.from(text)
}
