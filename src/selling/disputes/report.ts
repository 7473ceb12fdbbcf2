import { hasForbiddenControl } from '../../platform/text/text.ts'

/** The problems that a customer may report (contract.md G48). */
const REPORT_REASONS = ['not_delivered', 'wrong_amount', 'double_charge', 'other'] as const
export type ReportReason = (typeof REPORT_REASONS)[number]

/** A customer's report as it is stored: raw input, never cut or changed. */
export type CustomerReport = { reason: ReportReason; details: string | null; contact: string | null }

/** The field that makes a report invalid; `card_number`: a text contains one. */
export type ReportFault = 'reason' | 'details' | 'contact' | 'card_number'

const MAX_DETAILS_CHARACTERS = 2000
const MAX_CONTACT_CHARACTERS = 160
const MIN_CARD_DIGITS = 13
const MAX_CARD_DIGITS = 19

// Digits with blanks and hyphens of any kind between them; a line feed ends a number.
const DIGIT_RUNS = /\d+(?:(?:[^\S\r\n]|\p{Pd})*\d+)*/gu
const CARRIAGE_RETURN = '\r'

/** Parses the form of a report. Returns its first faulty field, in the order of the form, if it is invalid. */
export function parseReport(form: Readonly<Record<string, string>>): CustomerReport | ReportFault {
  const reason = REPORT_REASONS.find((known) => known === fieldOf(form, 'reason'))
  if (reason === undefined) return 'reason'
  // A browser sends every line feed of a text as two characters, and counts it as one.
  const details = fieldOf(form, 'details').replaceAll('\r\n', '\n')
  if (!isText(details, { most: MAX_DETAILS_CHARACTERS, lines: true })) return 'details'
  const contact = fieldOf(form, 'contact')
  if (!isText(contact, { most: MAX_CONTACT_CHARACTERS, lines: false })) return 'contact'
  if (containsCardNumber(details) || containsCardNumber(contact)) return 'card_number'
  return { reason, details: nullIfBlank(details), contact: nullIfBlank(contact) }
}

/** Returns a field's text, blank if it was not sent. Ignores inherited properties, such as `constructor`. */
const fieldOf = (form: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(form, name) ? (form[name] ?? '') : ''

const nullIfBlank = (text: string): string | null => (text.trim() === '' ? null : text)

function isText(text: string, { most, lines }: { most: number; lines: boolean }): boolean {
  if ([...text].length > most) return false
  if (hasForbiddenControl(text, lines) || text.includes(CARRIAGE_RETURN)) return false
  return !/\p{Surrogate}/u.test(text)
}

/**
 * Whether a text contains a payment card's number (A55): 13 to 19 digits, in one run or in groups, that pass the Luhn
 * test. Groups are not split, so that two phone numbers side by side are not taken for a card number.
 */
function containsCardNumber(text: string): boolean {
  return [...text.matchAll(DIGIT_RUNS)].some(([run]) => {
    const groups = run.match(/\d+/g) ?? []
    return groups.some((_, first) => startsWithCardNumber(groups.slice(first)))
  })
}

function startsWithCardNumber(groups: readonly string[]): boolean {
  let digits = ''
  for (const group of groups) {
    digits += group
    if (digits.length > MAX_CARD_DIGITS) return false
    if (digits.length >= MIN_CARD_DIGITS && passesLuhn(digits)) return true
  }
  return false
}

/** The check digit of payment cards: every second digit from the right counts twice, nines cast out. */
function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index])
    const counted = index % 2 === 0 ? digit : digit * 2
    sum += counted > 9 ? counted - 9 : counted
  }
  return sum % 10 === 0
}
