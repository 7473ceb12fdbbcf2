import { invalidRequest } from '../refusal.ts'

const COUNTRY = '256'
const NATIONAL_DIGITS = 9 // Every Ugandan number has nine digits behind the country code.
const MIN_DIGITS = 9
const MAX_DIGITS = 15 // The longest number E.164 knows.
const MAX_WRITTEN_DIGITS = MAX_DIGITS + 2 // A leading `00` is not part of the number.
const [ZERO, NINE, PLUS] = [0x30, 0x39, 0x2b]
const SCIENTIFIC = /^[ +]*[0-9](?:\.[0-9]{1,20})?[eE]\+?[0-9]{1,3} *$/
export const SPREADSHEET_HINT =
  ': a spreadsheet or a program has made a decimal number of it; keep phones as text there, and write it again'
/** The ranges of Uganda's fixed lines, which have no mobile money. Numbers of ranges that are not known here are no landlines. */
const LANDLINE = new RegExp(`^${COUNTRY}(?:4|312|392)`)
const COUNTRY_CODE_HINT = ': behind 256 come nine digits'

/**
 * Parses a phone number into its one stored form: digits with country code; null when it is none (contract 2.0). Only the ASCII
 * separators named there are dropped, so look-alike characters cannot make a second form.
 */
export function parsePhone(text: string): string | null {
  const written = parseDigits(text)
  if (written === null || isDecimal(text)) return null
  const digits = written.startsWith('00') ? written.slice(2) : written
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return null
  return addCountryCode(digits)
}

/** Parses a phone number. Throws 400 `invalid request: ...`, whose text names the field, when it is none. */
export function requirePhone(text: string, field: string): string {
  const phone = parsePhone(text)
  if (phone === null) throw invalidRequest(`${field} is not a valid phone number${explainInvalidPhone(text)}`, field)
  return phone
}

/**
 * Whether a stored phone is a landline, which can neither pay nor be paid. Pages say so before anybody is asked; the API takes any phone,
 * as its contract says, and lets the operator refuse it.
 */
export const isLandline = (normalised: string): boolean => LANDLINE.test(normalised)

/** Explains why a text is no phone, as the end of a sentence that says so; empty where it is plain to see. */
export function explainInvalidPhone(text: string): string {
  const digits = parseDigits(text)
  if (SCIENTIFIC.test(text) || (digits !== null && isDecimal(text))) return SPREADSHEET_HINT
  return digits !== null && /^(?:00)?256/.test(digits) ? COUNTRY_CODE_HINT : ''
}

/** The last nine digits, which identify a subscriber in filters and sandbox triggers. */
export function lastNine(normalised: string): string {
  return normalised.slice(-NATIONAL_DIGITS)
}

/** Parses a phone typed into a filter to those nine digits; null when it is no phone and matches nothing (G11g). */
function parsePhoneIdentity(text: string): string | null {
  const normalised = parsePhone(text)
  return normalised === null ? null : lastNine(normalised)
}

/** Parses a filter by phone to the subscriber's nine digits; `none` for what is no phone and matches no row. */
export const parsePhoneFilter = (filter: string): string => parsePhoneIdentity(filter) ?? 'none'

/** Parses a typed part of a phone to its digits, without a country code or zero before the nine that identify a subscriber. */
export const parsePhonePart = (part: string): string =>
  part.replace(/[^0-9]/g, '').replace(/^(?:00)?256(?=[0-9])|^0(?=[0-9])/, '')

/** Masks a phone for logs and public pages: `2567*****123`. */
export function maskPhone(normalised: string): string {
  return normalised.slice(0, 4) + '*'.repeat(Math.max(0, normalised.length - 7)) + normalised.slice(-3)
}

// By units instead of characters: a text may be megabytes long, and each character would be a string of its own.
function parseDigits(text: string): string | null {
  let digits = ''
  let plus = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= ZERO && unit <= NINE) digits += text[at]
    else if (unit === PLUS && digits === '' && !plus) plus = true
    else if (!isSeparator(unit)) return null
    if (digits.length > MAX_WRITTEN_DIGITS) return null
  }
  return plus && digits.startsWith('00') ? null : digits
}

/**
 * Whether the last dot begins a fraction instead of separating groups: `772123456.0`, `772 123 456.00`. Its zeros would become digits of
 * another subscriber's number. A number that is written in groups may end in a group of three zeros.
 */
function isDecimal(text: string): boolean {
  const dot = text.lastIndexOf('.')
  if (dot === -1) return false
  const behind = text.slice(dot + 1).replace(/[^0-9]/g, '')
  if (behind.length < 2) return true
  const isGroup = behind.length > 2 && /[-(). ]/.test(text.slice(0, dot).trim())
  return /^0+$/.test(behind) && text.indexOf('.') === dot && !isGroup
}

/** Space, hyphen, brackets and full stop. */
const isSeparator = (unit: number) => unit === 0x20 || unit === 0x2d || unit === 0x28 || unit === 0x29 || unit === 0x2e

function addCountryCode(digits: string): string | null {
  // `+256 (0) 7...` is the same subscriber: the zero in brackets is only dialled inside the country.
  if (digits.length === 13 && digits.startsWith(`${COUNTRY}0`)) return COUNTRY + lastNine(digits)
  // One digit too few or too many, or the country code twice: never the number that was meant.
  if (digits.startsWith(COUNTRY)) return digits.length === COUNTRY.length + NATIONAL_DIGITS ? digits : null
  if (digits.length === NATIONAL_DIGITS) return COUNTRY + digits
  if (digits.length === NATIONAL_DIGITS + 1 && digits.startsWith('0')) return COUNTRY + digits.slice(1)
  // No country code begins with zero.
  return digits.startsWith('0') ? null : digits
}

/** Formats a stored phone as people write it: `0772 123 456`; one of another country with its code. */
export const formatPhone = (phone: string): string =>
  phone.replace(/^256(\d{3})(\d{3})(\d{3})$/, '0$1 $2 $3').replace(/^[1-9]\d{9,14}$/, '+$&')
