import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { randomText } from '../platform/ids.ts'
import type { Vault } from '../platform/secrets.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const RANDOM_CHARACTERS = 24
const FORM = /^([0-9a-z]{8,9})-([a-z0-9]{24})-([0-9a-f]{32})$/
// The longest time that a session lasts (reliability.md A68).
const LASTS_MS = 12 * 3_600_000
// A header cannot carry a control character, so no API client can use a key with this prefix.
const RESERVED = '\u0001form '

/** A token is valid in one session, for the form at one address. */
export type TokenPlace = { sessionId: string; address: string }

/** Makes the token of a one-time form. */
export function newFormToken(vault: Vault, scope: TokenPlace, nowMs: number): string {
  const start = `${nowMs.toString(36)}-${randomText(ALPHABET, RANDOM_CHARACTERS)}`
  return `${start}-${signed(vault, scope, start)}`
}

/** Verifies a token and returns the Idempotency-Key of its form, or why the token is refused. */
export function keyOfForm(
  vault: Vault,
  scope: TokenPlace,
  { token, nowMs }: { token: string; nowMs: number },
): { key: string } | { refused: 'foreign' | 'expired' } {
  const [, at = '', random = '', mac = ''] = FORM.exec(token) ?? []
  if (mac === '' || !same(mac, signed(vault, scope, `${at}-${random}`))) return { refused: 'foreign' }
  const age = nowMs - Number.parseInt(at, 36)
  return age > LASTS_MS ? { refused: 'expired' } : { key: `${RESERVED}${random}` }
}

const signed = (vault: Vault, { sessionId, address }: TokenPlace, start: string) =>
  createHmac('sha256', vault.derive('dashboard form tokens'))
    .update(`${sessionId}\n${address}\n${start}`)
    .digest('hex')
    .slice(0, 32)

/** Compares two texts in constant time. */
export const same = (left: string, right: string): boolean =>
  timingSafeEqual(createHash('sha256').update(left).digest(), createHash('sha256').update(right).digest())
