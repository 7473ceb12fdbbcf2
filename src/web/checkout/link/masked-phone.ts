const HIDDEN_DIGIT = '•'
const COUNTRY_DIGITS = 3
const SHOWN_LAST_DIGITS = 3

/** Masks a normalised number so that only its owner recognises it: `+256 7•• ••• 001`. */
export function maskCustomerPhone(phone: string): string {
  const country = phone.slice(0, COUNTRY_DIGITS)
  const national = phone.slice(COUNTRY_DIGITS)
  const masked =
    national[0] + HIDDEN_DIGIT.repeat(national.length - 1 - SHOWN_LAST_DIGITS) + national.slice(-SHOWN_LAST_DIGITS)
  return `+${country} ${masked.replace(/(.{3})(?=.)/g, '$1 ')}`
}
