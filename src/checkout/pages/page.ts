import { briefly, shown } from '../../pages/wording.ts'
import { inSentence } from '../../platform/text.ts'
import type { Texts } from '../texts/texts.ts'
import type { Payment, Setting, View } from '../view.ts'

/** The input of every page: its data, its setting, and the texts of its language. */
export type Page<Kind extends View['kind']> = {
  view: Extract<View, { kind: Kind }>
  setting: Setting
  texts: Texts
  /** The merchant's full name, safe to show: for headings. */
  shop: string
  /** The merchant's name cut to fit a sentence or a button. */
  brief: string
}

/** Formats the merchant's name, safe to show: in full for headings, and cut for a sentence. */
export function shopNames(merchant: { name: string } | null, texts: Texts): { shop: string; brief: string } {
  const shop = (merchant && shown(merchant.name)) || texts.theShop
  return { shop, brief: inSentence(briefly(shop)) }
}

/** Makes the path of a payment page, with the charge in the query for a reusable link. */
export function paymentPath(payment: Payment, action: string): string {
  const path = `/pay/${payment.linkId}/${action}`
  return payment.charge === null ? path : `${path}?charge=${encodeURIComponent(payment.charge)}`
}
