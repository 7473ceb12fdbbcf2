import { hash } from 'node:crypto'

const BYTES = 8

/**
 * The first eight bytes of the SHA-256 of a text: enough to detect that a row is not what was written, in a column that every payment
 * fills. It does not protect against an attacker who recomputes it (reliability.md 2.11).
 */
export function shortDigest(text: string): Buffer {
  // Through a text instead of a Buffer, for the reason given in `api/http/bodies/fingerprint.ts`.
  return Buffer.from(hash('sha256', text, 'binary').slice(0, BYTES), 'binary')
}

/** SQL for the same digest of an expression that is a text. */
export const shortDigestSql = (text: string): string => `substr(sha256(convert_to(${text}, 'UTF8')), 1, ${BYTES})`
