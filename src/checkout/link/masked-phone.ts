const HIDDEN = '•'
const COUNTRY_DIGITS = 3
const SHOWN_AT_END = 3

/** Masks a normalised number so that only its owner recognises it: `+256 7•• ••• 001`. */
export function maskedPhone(phone: string): string {
  const country = phone.slice(0, COUNTRY_DIGITS)
  const national = phone.slice(COUNTRY_DIGITS)
  const masked =
    national[0] + HIDDEN.repeat(national.length - 1 - SHOWN_AT_END) + national.slice(-SHOWN_AT_END)
  return `+${country} ${masked.replace(/(.{3})(?=.)/g, '$1 ')}`
}
