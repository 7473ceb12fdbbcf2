import { hash } from 'node:crypto'

const BYTES = 8

/**
 * The first eight bytes of the SHA-256 of a text: enough to see that a row is not what was written, in a column that every payment
 * fills. It is no protection against somebody who computes it anew (reliability.md 2.11).
 */
export function shortDigest(text: string): Buffer {
  // By way of a text, as in `http/fingerprint.ts`.
  return Buffer.from(hash('sha256', text, 'binary').slice(0, BYTES), 'binary')
}

/** The same in SQL, of an expression that is a text. */
export const shortDigestSql = (text: string): string =>
  `substr(sha256(convert_to(${text}, 'UTF8')), 1, ${BYTES})`
