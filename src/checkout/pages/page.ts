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
  /** The same, cut for a sentence or a button. */
  brief: string
}

/** The merchant's name, safe to show: in full for headings, and cut for a sentence. */
export function shopNames(named: { name: string } | null, texts: Texts): { shop: string; brief: string } {
  const shop = (named && shown(named.name)) || texts.theShop
  return { shop, brief: inSentence(briefly(shop)) }
}

/** The address of a payment page; for reusable links with the charge. */
export function paymentPath(payment: Payment, action: string): string {
  const path = `/pay/${payment.linkId}/${action}`
  return payment.charge === null ? path : `${path}?charge=${encodeURIComponent(payment.charge)}`
}
