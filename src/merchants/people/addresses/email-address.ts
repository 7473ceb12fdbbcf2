import { invalidRequest } from '../../../platform/refusal.ts'
import { formatEmailKey } from '../../../platform/text/email-key.ts'
import { hasForbiddenControl } from '../../../platform/text/text.ts'

/** An address: `text` as its owner writes it, `key` as it is compared. */
export type EmailAddress = { text: string; key: string }

const EMAIL_FORM = /^[^@\s<>(),;:"\\[\]]+@[^@\s<>(),;:"\\[\]]+$/
const MAX_CHARACTERS = 254

/** Parses a typed address. Throws 400. */
export function parseEmail(typed: string): EmailAddress {
  const text = typed.trim().normalize('NFC')
  if (
    !EMAIL_FORM.test(text) ||
    text.length > MAX_CHARACTERS ||
    hasForbiddenControl(text, false) ||
    /\p{Surrogate}/u.test(text)
  )
    throw invalidRequest('email is not a valid email address', 'email')
  return { text, key: formatEmailKey(text) }
}
