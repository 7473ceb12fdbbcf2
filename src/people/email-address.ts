import { invalidRequest } from '../platform/refusal.ts'
import { hasForbiddenControl } from '../platform/text.ts'

/** An address: `text` as its owner writes it, `key` as it is compared. */
export type EmailAddress = { text: string; key: string }

const FORM = /^[^@\s<>(),;:"\\[\]]+@[^@\s<>(),;:"\\[\]]+$/
const LONGEST = 254

/** Parses a typed address. Throws 400. */
export function readEmail(typed: string): EmailAddress {
  const text = typed.trim().normalize('NFC')
  if (
    !FORM.test(text) ||
    text.length > LONGEST ||
    hasForbiddenControl(text, false) ||
    /\p{Surrogate}/u.test(text)
  )
    throw invalidRequest('email is not a valid email address')
  const key = text.toLowerCase().normalize('NFC')
  return { text, key }
}
