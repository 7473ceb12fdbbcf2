const CURRENCY = '(?:ugx|ushs?|shs?|sh)'
const BEFORE = new RegExp(`^${CURRENCY}\\.?\\s*`, 'i')
// `5,000/=` and `5,000/-` are how prices are written in Kampala.
const BEHIND = new RegExp(`\\s*(?:/?=|/-|${CURRENCY}\\.?)$`, 'i')
const THOUSANDS = /(?<=\d)[ ,.'_](?=\d{3}(?:\D|$))/g
const WHOLE = /^\d{1,16}(?:[.,]0{1,2})?$/

/** Takes off an amount what people write around it and within it: `UGX 5,000/=` becomes `5000`, `-7 500.50` becomes `-7500.50`. */
export const bareAmount = (text: string): string => text.replace(BEFORE, '').replace(BEHIND, '').replace(THOUSANDS, '')

/** Parses whole shillings as people and spreadsheets write them (`12,500`, `UGX 12 500/=`, `7500.00`); null for anything else. */
export function parseShillings(text: string): number | null {
  const digits = bareAmount(text)
  const amount = WHOLE.test(digits) ? Number(digits.replace(/[.,]0+$/, '')) : Number.NaN
  return Number.isSafeInteger(amount) ? amount : null
}
