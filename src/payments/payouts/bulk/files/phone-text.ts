import { explainInvalidPhone, isLandline, parsePhone } from '../../../../platform/text/phone.ts'
import { echo } from '../../../../platform/text/text.ts'
import { SCIENTIFIC } from './amount-text.ts'
import { cleanCell } from './read-file.ts'

const TWO_NUMBERS = /\d{9,}\s*[/,;&]\s*\+?\d{9,}/
// A number whose zero Excel has taken away: it takes the cell for an amount.
const WITHOUT_ZERO = /^7\d{8}$/
const TEXT_FIRST = 'in Excel, format the column as Text, and write the number again'

/** Says why a cell holds no phone that can be paid; null if it does. */
export function findPhoneFault(cell: string): string | null {
  const text = cleanCell(cell)
  if (text === '') return 'the phone is empty'
  const shown = echo(text)
  if (SCIENTIFIC.test(text))
    return `${shown} is the short form in which Excel shows a long number, and its last digits are lost; ${TEXT_FIRST}`
  const phone = parsePhone(text)
  if (phone !== null) return isLandline(phone) ? `${shown} is a landline, which has no mobile money` : null
  if (TWO_NUMBERS.test(text)) return `${shown} is more than one phone number; leave one of them`
  return `${shown} is not a valid phone number${explainInvalidPhone(text)}`
}

/** Whether Excel has taken the zero from the front of a number; it is understood without. */
export const hasLostZero = (cell: string): boolean => WITHOUT_ZERO.test(cleanCell(cell))

/** Whether a cell holds what is dialled in Uganda, or what Excel has made of it. */
export function looksLikePhone(cell: string): boolean {
  const text = cleanCell(cell)
  return SCIENTIFIC.test(text) || /^256[37]/.test(parsePhone(text) ?? '')
}
