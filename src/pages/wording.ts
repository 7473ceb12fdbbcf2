import { withoutUnseen } from '../platform/text.ts'

const BRIEF_LENGTH = 48
const UGX = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** Formats whole shillings as people write them: `UGX 25,000`. */
export const ugx = (amount: number) => `UGX ${UGX.format(amount)}`

/** Text from outside in one line, without misleading characters. */
export const shown = withoutUnseen

/** Cuts a text for a sentence, never within a surrogate pair. */
export function briefly(text: string): string {
  const characters = Array.from(text)
  if (characters.length <= BRIEF_LENGTH) return text
  return `${characters
    .slice(0, BRIEF_LENGTH - 1)
    .join('')
    .trimEnd()}…`
}
