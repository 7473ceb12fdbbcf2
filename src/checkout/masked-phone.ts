const HIDDEN = '•'
const COUNTRY_DIGITS = 3
const SHOWN_AT_END = 3

/** A phone as its customer recognises it and nobody else learns it: `+256 7•• ••• 001`. Takes a normalised number. */
export function maskedPhone(phone: string): string {
  const country = phone.slice(0, COUNTRY_DIGITS)
  const national = phone.slice(COUNTRY_DIGITS)
  const hidden =
    national[0] + HIDDEN.repeat(national.length - 1 - SHOWN_AT_END) + national.slice(-SHOWN_AT_END)
  return `+${country} ${hidden.replace(/(.{3})(?=.)/g, '$1 ')}`
}
