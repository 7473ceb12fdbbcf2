import { createHmac } from 'node:crypto'
import { randomText } from '../platform/ids.ts'
import type { Vault } from '../platform/secrets.ts'

// Capital letters and digits that cannot be confused on paper: no 0 and O, no 1, I and L.
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const LENGTH = 12 // 59 bits.
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)
// What people and their printers put between groups: blanks, hyphens and dashes of any kind.
const BETWEEN = /[\s\p{Pd}]/gu
const LONGEST_TEXT = 100 // What is longer was no code and is not taken apart.

/** A new code as it is printed, `XXXX-XXXX-XXXX`. */
export function newCardCode(): string {
  const text = randomText(ALPHABET, LENGTH)
  return [text.slice(0, 4), text.slice(4, 8), text.slice(8)].join('-')
}

/** The twelve characters of a code that somebody typed, whatever its case, blanks and hyphens; null when it cannot be one. */
export function readCardCode(text: string): string | null {
  if (text.length > LONGEST_TEXT) return null
  const code = text.replace(BETWEEN, '').toUpperCase()
  return CODE.test(code) ? code : null
}

/** The hash of a code that the database keeps. Without the key behind it nobody can try codes against it. */
export function hashCardCode(vault: Pick<Vault, 'derive'>, merchantId: number, code: string): Buffer {
  return createHmac('sha256', vault.derive('gift card codes')).update(`${merchantId} ${code}`).digest()
}
