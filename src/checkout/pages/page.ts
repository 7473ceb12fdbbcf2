import type { Texts } from '../texts/texts.ts'
import type { Payment, Setting, View } from '../view.ts'

/** What every page is given: its data, where it stands, and the sentences of its language. */
export type Page<Kind extends View['kind']> = {
  view: Extract<View, { kind: Kind }>
  setting: Setting
  texts: Texts
  /** The merchant's name as it may be shown, whole: for headings. */
  shop: string
  /** The same, cut short enough for a sentence or a button. */
  brief: string
}

// Signs that turn the reading direction or are not seen: with them a name could make an amount read backwards.
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu
const BRIEF_LENGTH = 48
const UGX = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** Whole shillings as people write them: `UGX 25,000`. */
export const ugx = (amount: number) => `UGX ${UGX.format(amount)}`

/** A stranger's text in one line, without the signs that mislead the eye. */
export const shown = (text: string) => text.replace(UNSEEN, ' ').trim()

/** Cut for a sentence; whole characters, never half a surrogate pair. */
export function briefly(text: string): string {
  const characters = Array.from(text)
  if (characters.length <= BRIEF_LENGTH) return text
  return `${characters
    .slice(0, BRIEF_LENGTH - 1)
    .join('')
    .trimEnd()}…`
}

/** The merchant's name as it may be shown: whole, for headings, and brief enough for a sentence. */
export function shopNames(named: { name: string } | null, texts: Texts): { shop: string; brief: string } {
  const shop = (named && shown(named.name)) || texts.theShop
  return { shop, brief: briefly(shop) }
}

/** An address of a payment; reusable links say which payment is meant. */
export function paymentPath(payment: Payment, action: string): string {
  const path = `/pay/${payment.linkId}/${action}`
  return payment.charge === null ? path : `${path}?charge=${encodeURIComponent(payment.charge)}`
}
