import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Vault } from '../../../platform/secrets.ts'
import { randomText } from '../../../platform/text/ids.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const RANDOM_CHARACTERS = 24
const TOKEN_PATTERN = /^([0-9a-z]{8,9})-([a-z0-9]{24})-([0-9a-f]{32})$/
// The longest time that a session lasts (reliability.md A68).
const TOKEN_LASTS_MS = 12 * 3_600_000
// A header cannot carry a control character, so no API client can use a key with this prefix.
const KEY_PREFIX = '\u0001form '

/** A token is valid in one session, for the form at one address. */
export type TokenScope = { sessionId: string; address: string }

/** Makes the token of a one-time form. */
export function newOneTimeToken(vault: Vault, scope: TokenScope, nowMs: number): string {
  const start = `${nowMs.toString(36)}-${randomText(ALPHABET, RANDOM_CHARACTERS)}`
  return `${start}-${signToken(vault, scope, start)}`
}

/** Verifies a token and returns the Idempotency-Key of its form, or why the token is refused. */
export function verifyFormToken(
  vault: Vault,
  scope: TokenScope,
  { token, nowMs }: { token: string; nowMs: number },
): { key: string } | { refused: 'foreign' | 'expired' } {
  const [, at = '', random = '', mac = ''] = TOKEN_PATTERN.exec(token) ?? []
  if (mac === '' || !equalsInConstantTime(mac, signToken(vault, scope, `${at}-${random}`)))
    return { refused: 'foreign' }
  const age = nowMs - Number.parseInt(at, 36)
  return age > TOKEN_LASTS_MS ? { refused: 'expired' } : { key: `${KEY_PREFIX}${random}` }
}

const signToken = (vault: Vault, { sessionId, address }: TokenScope, start: string) =>
  createHmac('sha256', vault.derive('dashboard form tokens'))
    .update(`${sessionId}\n${address}\n${start}`)
    .digest('hex')
    .slice(0, 32)

/** Compares two texts in constant time. */
export const equalsInConstantTime = (left: string, right: string): boolean =>
  timingSafeEqual(createHash('sha256').update(left).digest(), createHash('sha256').update(right).digest())
