import { isolateDirection, oneLine } from '../../../platform/text/text.ts'
import { shorten } from '../../parts/wording.ts'
import { paymentPath } from '../payment-path.ts'
import type { Texts } from '../texts/texts.ts'
import type { CustomerPayment, PageSetting, View } from '../view.ts'

/** The input of every page: its data, its setting, and the texts of its language. */
export type CheckoutPage<Kind extends View['kind']> = {
  view: Extract<View, { kind: Kind }>
  setting: PageSetting
  texts: Texts
  /** The merchant's full name, safe to show: for headings. */
  shop: string
  /** The merchant's name cut to fit a sentence or a button. */
  brief: string
}

/** Formats the merchant's name, safe to show: in full for headings, and cut for a sentence. */
export function formatShopNames(merchant: { name: string } | null, texts: Texts): { shop: string; brief: string } {
  const shop = (merchant && oneLine(merchant.name)) || texts.theShop
  return { shop, brief: isolateDirection(shorten(shop)) }
}

/** Makes the path of a page or form of this payment. */
export const pathOfPayment = ({ linkId, charge }: CustomerPayment, action: string): string =>
  paymentPath(linkId, action, charge)
