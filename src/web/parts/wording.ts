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
