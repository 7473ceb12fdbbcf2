import { createHmac } from 'node:crypto'
import type { Vault } from '../../platform/secrets.ts'
import { randomText } from '../../platform/text/ids.ts'

// Capital letters and digits that cannot be confused on paper: no 0 and O, no 1, I and L.
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 12 // 59 bits.
const CODE_PATTERN = new RegExp(`^[${ALPHABET}]{${CODE_LENGTH}}$`)
// People and printers put blanks, hyphens and dashes of any kind between the groups.
const SEPARATORS = /[\s\p{Pd}]/gu
const MAX_TYPED_CHARACTERS = 100 // A longer text is no code, and is refused unread.

/** A new code as it is printed, `XXXX-XXXX-XXXX`. */
export function newCardCode(): string {
  const text = randomText(ALPHABET, CODE_LENGTH)
  return [text.slice(0, 4), text.slice(4, 8), text.slice(8)].join('-')
}

/** Parses a typed code, in any case and with any blanks and hyphens, to its twelve characters. Null if the text cannot be a code. */
export function parseCardCode(text: string): string | null {
  if (text.length > MAX_TYPED_CHARACTERS) return null
  const code = text.replace(SEPARATORS, '').toUpperCase()
  return CODE_PATTERN.test(code) ? code : null
}

/** Returns the hash that the database stores for a code. It is keyed: a copy of the database alone does not allow trying codes. */
export function hashCardCode(vault: Pick<Vault, 'derive'>, merchantId: number, code: string): Buffer {
  return createHmac('sha256', vault.derive('gift card codes')).update(`${merchantId} ${code}`).digest()
}
