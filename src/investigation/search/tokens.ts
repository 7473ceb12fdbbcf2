import { identityOfPart } from '../../platform/phone.ts'

/** What of a payment is found by parts of it, and what is found as a whole. */
export type Searchable = {
  merchantId: number
  amount: number
  reason: string | null
  phone: string | null
  name: string | null
  reference: string | null
  /** The number that its operator gave it. */
  number: string | null
}
/** What is looked for; null: anything. `text` is a part of the reference, the phone, the name or the operator's number. */
export type Wanted = Pick<Searchable, 'reason'> & {
  text: string | null
  amount: number | null
  merchantId: number | null
}

/** A part has at least so many characters. */
export const SHORTEST_PART = 3
// Of a long text these are enough: what they find is compared with the whole of it.
const MOST_GRAMS = 5
const DIGITS = /^[+0-9][0-9 ().-]*$/

/** Texts are compared in small letters, with one blank between words. */
export const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim()

/** The digits of a part of a phone as they stand in the nine by which it is told apart, or null where it cannot be one. */
export const phonePart = (text: string): string | null =>
  DIGITS.test(text.trim()) ? identityOfPart(text) : null

const partsOf = ({ phone, name, reference, number }: Searchable): string[] =>
  [phone === null ? null : phone.slice(-9), name, reference, number].flatMap((text) =>
    text === null ? [] : [plain(text)],
  )

/** Every token of a payment, each once. */
export function tokensOf(payment: Searchable): Set<number> {
  const tokens = new Set([amountToken(payment.amount), merchantToken(payment.merchantId)])
  if (payment.reason !== null) tokens.add(reasonToken(payment.reason))
  for (const part of partsOf(payment)) for (const gram of gramsOf(part)) tokens.add(gram)
  return tokens
}

/** The tokens of what is looked for: a payment that fits has all of one of these lists. Empty lists: it has none to go by. */
export function tokensOfWanted({ text, amount, merchantId, reason }: Wanted): number[][] {
  const exact = [
    ...(amount === null ? [] : [amountToken(amount)]),
    ...(merchantId === null ? [] : [merchantToken(merchantId)]),
    ...(reason === null ? [] : [reasonToken(reason)]),
  ]
  if (text === null) return [exact]
  const digits = phonePart(text)
  const forms = new Set([plain(text), ...(digits === null ? [] : [digits])])
  return [...forms]
    .filter((form) => form.length >= SHORTEST_PART)
    .map((form) => [...new Set([...exact, ...spread([...gramsOf(form)], MOST_GRAMS)])])
}

/** Whether a payment has this part somewhere. */
export function hasPart(payment: Searchable, text: string): boolean {
  const digits = phonePart(text)
  const wanted = plain(text)
  return (
    partsOf(payment).some((part) => part.includes(wanted)) ||
    (digits !== null && digits.length >= SHORTEST_PART && (payment.phone ?? '').slice(-9).includes(digits))
  )
}

function* gramsOf(text: string): Generator<number> {
  for (let at = 0; at + SHORTEST_PART <= text.length; at++)
    yield hashed('t', text.slice(at, at + SHORTEST_PART))
}
const amountToken = (amount: number) => hashed('a', String(amount))
const merchantToken = (id: number) => hashed('m', String(id))
const reasonToken = (reason: string) => hashed('r', reason)

/** FNV-1a over the units of a text. Two texts of one token do no harm: what is found is compared. */
function hashed(kind: string, text: string): number {
  let hash = 0x811c9dc5
  for (const part of [kind, text])
    for (let at = 0; at < part.length; at++) hash = Math.imul(hash ^ part.charCodeAt(at), 0x01000193)
  return hash | 0
}

const spread = (items: readonly number[], most: number): readonly number[] =>
  items.length <= most
    ? items
    : Array.from({ length: most }, (_, nth) => items[Math.floor((nth * items.length) / most)] ?? 0)
