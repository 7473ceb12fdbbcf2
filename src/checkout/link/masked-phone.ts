const HIDDEN = '•'
const COUNTRY_DIGITS = 3
const SHOWN_AT_END = 3

/** A masked phone that its owner recognises: `+256 7•• ••• 001`. Takes a normalised number. */
export function maskedPhone(phone: string): string {
  const country = phone.slice(0, COUNTRY_DIGITS)
  const national = phone.slice(COUNTRY_DIGITS)
  const hidden =
    national[0] + HIDDEN.repeat(national.length - 1 - SHOWN_AT_END) + national.slice(-SHOWN_AT_END)
  return `+${country} ${hidden.replace(/(.{3})(?=.)/g, '$1 ')}`
}
