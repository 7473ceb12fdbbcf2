import type { Shop } from '../../../merchants/account/shops.ts'
import { type Charge, computeMobileMoneyPart } from '../../../payments/charges/charge.ts'
import { findChargeOfLink } from '../../../payments/charges/find-charges.ts'
import { notFound } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import { findLink } from '../../../selling/payment-links/find-links.ts'
import { mayBePaid } from '../../../selling/payment-links/payable.ts'
import type { LinkWithCharges } from '../../../selling/payment-links/payment-link.ts'
import { findItemName } from '../../../selling/storefront/find-items.ts'
import { findOrder } from '../../../selling/vending/orders/find-orders.ts'
import type { VendingOrder } from '../../../selling/vending/orders/order.ts'
import { formatProducts } from '../../../selling/vending/orders/product-names.ts'
import { paymentPath } from '../payment-path.ts'
import type { CustomerPayment, CustomerRefund, Method } from '../view.ts'
import type { Checkout, CheckoutVisit } from '../visit.ts'
import { findCustomerRefund } from './customer-refund.ts'

/** The link of the visited address, its merchant, and the payment to show. */
export type LinkContext = {
  shop: Shop
  link: LinkWithCharges
  charge: Charge | null
  /** The money of a refunded charge; null for any other. */
  refund: CustomerRefund | null
  /** The vending order, if the link belongs to one. */
  order: VendingOrder | null
  /**
   * The description of what is paid for, by the merchant. An item of the storefront has its name before it; an order without
   * a description has its products instead.
   */
  description: string | null
}

/**
 * Finds the link of the address with its shop and the payment to show: for a one-shot link its newest attempt, for a
 * reusable one the charge in `?charge=`. Throws 404 for an unknown address.
 */
export async function getLinkContext({ gateway, shops }: Checkout, visit: CheckoutVisit): Promise<LinkContext> {
  const id = visit.params.id ?? ''
  const tag = parseTag('lnk_', id)
  const shop = tag === null ? null : await shops.ofTag(gateway(), tag)
  const link = shop === null ? null : await findLink(shop.app, { merchantId: shop.merchantId, id })
  if (shop === null || link === null) throw notFound('page')
  const chargeId = link.allowMultipleUses ? visit.query.charge : link.attempt?.id
  const charge =
    chargeId === undefined || parseTag('txn_', chargeId) !== tag
      ? null
      : await findChargeOfLink(shop.app, { merchantId: link.merchantId, linkId: link.id, chargeId })
  const order = link.kind === 'order' ? await findOrder(shop.app, { merchantId: link.merchantId, id: link.id }) : null
  const description = order ? (link.description ?? formatProducts(order.goods)) : await readDescription(shop, link)
  const refund = charge && (await findCustomerRefund(shop.app, charge))
  return { shop, link, charge, refund, order, description }
}

async function readDescription({ app }: Shop, link: LinkWithCharges): Promise<string | null> {
  // Only a reusable link can be an item.
  const name = link.allowMultipleUses ? await findItemName(app, { merchantId: link.merchantId, linkId: link.id }) : null
  return [name, link.description].filter((text) => text !== null).join(', ') || null
}

/** Whether a payment may be started, as far as a page can tell. Storing the payment checks it again. */
export const takesPayments = ({ shop, link }: LinkContext): boolean => mayBePaid(link, shop, shop.app.config)

/** Makes the path of one of the link's pages, with the charge in the query for a reusable link. */
export function linkPagePath({ link, charge }: LinkContext, action: string): string {
  return paymentPath(link.id, action, link.allowMultipleUses && charge !== null ? charge.id : null)
}

/** Makes what the pages show of a charge. */
export function presentPayment({ link, description }: LinkContext, charge: Charge): CustomerPayment {
  return {
    linkId: link.id,
    charge: link.allowMultipleUses ? charge.id : null,
    amount: charge.amount,
    giftCard: charge.giftCardAmount,
    due: computeMobileMoneyPart(charge),
    method: charge.channel as Method, // The database knows no other channel.
    phone: charge.phone === null ? null : maskCustomerPhone(charge.phone),
    description,
  }
}

const HIDDEN_DIGIT = '•'
const COUNTRY_DIGITS = 3
const SHOWN_LAST_DIGITS = 3

/** Masks a normalised number so that only its owner recognises it: `+256 7•• ••• 001`. */
function maskCustomerPhone(phone: string): string {
  const country = phone.slice(0, COUNTRY_DIGITS)
  const national = phone.slice(COUNTRY_DIGITS)
  const masked =
    national[0] + HIDDEN_DIGIT.repeat(national.length - 1 - SHOWN_LAST_DIGITS) + national.slice(-SHOWN_LAST_DIGITS)
  return `+${country} ${masked.replace(/(.{3})(?=.)/g, '$1 ')}`
}
