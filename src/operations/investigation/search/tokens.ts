import { parsePhonePart } from '../../../platform/text/phone.ts'

/** The facts of a payment that a search finds, by parts or as a whole. */
export type Searchable = {
  merchantId: number
  amount: number
  reason: string | null
  phone: string | null
  name: string | null
  reference: string | null
  /** The operator's number of the payment. */
  number: string | null
}
/** The terms of a search; null matches anything. `text` is a part of the reference, the phone, the name or the operator's number. */
type SearchTerms = Pick<Searchable, 'reason'> & {
  text: string | null
  amount: number | null
  merchantId: number | null
}

/** The least length of a part. */
export const MIN_PART_LENGTH = 3
// So many grams of a long text are enough: the matches are compared with the whole text.
const MAX_GRAMS = 16
const DIGITS = /^[+0-9][0-9 ().-]*$/

/** Lower case with single blanks: texts are compared in this form. */
export const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim()

/** The digits of a part of a phone, as they stand in the nine that identify it; null where it cannot be one. */
export const phonePart = (text: string): string | null => (DIGITS.test(text.trim()) ? parsePhonePart(text) : null)

const searchedTexts = ({ phone, name, reference, number }: Searchable): string[] =>
  [phone === null ? null : phone.slice(-9), name, reference, number].flatMap((text) =>
    text === null ? [] : [plain(text)],
  )

/** Every token of a payment, without duplicates. */
export function buildTokens(payment: Searchable): Set<number> {
  const tokens = new Set([amountToken(payment.amount), merchantToken(payment.merchantId)])
  if (payment.reason !== null) tokens.add(reasonToken(payment.reason))
  for (const part of searchedTexts(payment)) for (const gram of splitIntoGrams(part)) tokens.add(gram)
  return tokens
}

/** The tokens of the terms: a payment that matches has all tokens of one of these lists. An empty list gives nothing to search by. */
export function buildTermTokens({ text, amount, merchantId, reason }: SearchTerms): number[][] {
  const exact = [
    ...(amount === null ? [] : [amountToken(amount)]),
    ...(merchantId === null ? [] : [merchantToken(merchantId)]),
    ...(reason === null ? [] : [reasonToken(reason)]),
  ]
  if (text === null) return [exact]
  const digits = phonePart(text)
  const forms = new Set([plain(text), ...(digits === null ? [] : [digits])])
  const long = [...forms].filter((form) => form.length >= MIN_PART_LENGTH)
  return long
    .filter((form) => !long.some((other) => other !== form && form.includes(other))) // What contains `form` contains `other`.
    .map((form) => [...new Set([...exact, ...pickEvenly([...splitIntoGrams(form)], MAX_GRAMS)])])
}

/** Whether a payment contains this part. */
export function hasPart(payment: Searchable, text: string): boolean {
  const digits = phonePart(text)
  const part = plain(text)
  return (
    searchedTexts(payment).some((value) => value.includes(part)) ||
    (digits !== null && digits.length >= MIN_PART_LENGTH && (payment.phone ?? '').slice(-9).includes(digits))
  )
}

function* splitIntoGrams(text: string): Generator<number> {
  for (let at = 0; at + MIN_PART_LENGTH <= text.length; at++) yield hashToken('t', text.slice(at, at + MIN_PART_LENGTH))
}
const amountToken = (amount: number) => hashToken('a', String(amount))
const merchantToken = (id: number) => hashToken('m', String(id))
const reasonToken = (reason: string) => hashToken('r', reason)

/** FNV-1a over the UTF-16 units of a text. Two texts with the same token do no harm: matches are compared. */
function hashToken(kind: string, text: string): number {
  let hash = 0x811c9dc5
  for (const part of [kind, text])
    for (let at = 0; at < part.length; at++) hash = Math.imul(hash ^ part.charCodeAt(at), 0x01000193)
  return hash | 0
}

const pickEvenly = (items: readonly number[], most: number): readonly number[] =>
  items.length <= most
    ? items
    : Array.from({ length: most }, (_, nth) => items[Math.floor((nth * items.length) / most)] ?? 0)
