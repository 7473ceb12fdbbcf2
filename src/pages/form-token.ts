import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { randomText } from '../platform/ids.ts'
import type { Vault } from '../platform/secrets.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const RANDOM_CHARACTERS = 24
const FORM = /^([0-9a-z]{8,9})-([a-z0-9]{24})-([0-9a-f]{32})$/
// As long as a session lasts at most (reliability.md A68).
const LASTS_MS = 12 * 3_600_000
// No header of a request can carry a control character, so no API client can use such a key.
const RESERVED = '\u0001form '

/** What a token belongs to: one session, one form at one address. */
export type TokenPlace = { sessionId: string; address: string }

/** The token of a new one-time form. */
export function newFormToken(vault: Vault, place: TokenPlace, nowMs: number): string {
  const start = `${nowMs.toString(36)}-${randomText(ALPHABET, RANDOM_CHARACTERS)}`
  return `${start}-${signed(vault, place, start)}`
}

/** The Idempotency-Key of a form with this token, or why it has none. */
export function keyOfForm(
  vault: Vault,
  place: TokenPlace,
  { token, nowMs }: { token: string; nowMs: number },
): { key: string } | { refused: 'foreign' | 'expired' } {
  const [, at = '', random = '', mac = ''] = FORM.exec(token) ?? []
  if (mac === '' || !same(mac, signed(vault, place, `${at}-${random}`))) return { refused: 'foreign' }
  const age = nowMs - Number.parseInt(at, 36)
  return age > LASTS_MS ? { refused: 'expired' } : { key: `${RESERVED}${random}` }
}

const signed = (vault: Vault, { sessionId, address }: TokenPlace, start: string) =>
  createHmac('sha256', vault.derive('dashboard form tokens'))
    .update(`${sessionId}\n${address}\n${start}`)
    .digest('hex')
    .slice(0, 32)

/** Compares two texts in constant time. */
export const same = (one: string, other: string): boolean =>
  timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest())
