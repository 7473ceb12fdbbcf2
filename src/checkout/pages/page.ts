import type { Texts } from '../texts/texts.ts'
import type { Payment, Setting, View } from '../view.ts'

/** The input of every page: its data, its setting, and the texts of its language. */
export type Page<Kind extends View['kind']> = {
  view: Extract<View, { kind: Kind }>
  setting: Setting
  texts: Texts
  /** The merchant's full name, safe to show: for headings. */
  shop: string
  /** The same, cut for a sentence or a button. */
  brief: string
}

// Invisible characters and those that change the reading direction: with them a name could make an amount read backwards.
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu
const BRIEF_LENGTH = 48
const UGX = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** Whole shillings as people write them: `UGX 25,000`. */
export const ugx = (amount: number) => `UGX ${UGX.format(amount)}`

/** Text from outside in one line, without misleading characters. */
export const shown = (text: string) => text.replace(UNSEEN, ' ').trim()

/** Cuts a text for a sentence, never within a surrogate pair. */
export function briefly(text: string): string {
  const characters = Array.from(text)
  if (characters.length <= BRIEF_LENGTH) return text
  return `${characters
    .slice(0, BRIEF_LENGTH - 1)
    .join('')
    .trimEnd()}…`
}

/** The merchant's name, safe to show: in full for headings, and cut for a sentence. */
export function shopNames(named: { name: string } | null, texts: Texts): { shop: string; brief: string } {
  const shop = (named && shown(named.name)) || texts.theShop
  return { shop, brief: briefly(shop) }
}

/** The address of a payment page; for reusable links with the charge. */
export function paymentPath(payment: Payment, action: string): string {
  const path = `/pay/${payment.linkId}/${action}`
  return payment.charge === null ? path : `${path}?charge=${encodeURIComponent(payment.charge)}`
}
