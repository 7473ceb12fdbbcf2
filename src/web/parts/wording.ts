const MAX_BRIEF_CHARACTERS = 48
const UGX = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** Formats whole shillings as people write them: `UGX 25,000`. */
export const formatShillings = (amount: number) => `UGX ${UGX.format(amount)}`

/** Cuts a text for a sentence, never within a surrogate pair. */
export function shorten(text: string): string {
  const characters = Array.from(text)
  if (characters.length <= MAX_BRIEF_CHARACTERS) return text
  return `${characters
    .slice(0, MAX_BRIEF_CHARACTERS - 1)
    .join('')
    .trimEnd()}…`
}

/** Formats a stored phone as people write it: `0772 123 456`; one of another country with its code. */
export function formatPhone(phone: string): string {
  const national = phone.replace(/^256(\d{3})(\d{3})(\d{3})$/, '0$1 $2 $3')
  return national === phone ? `+${phone}` : national
}
