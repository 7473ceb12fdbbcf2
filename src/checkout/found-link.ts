import { type Charge, dueOf } from '../charges/charge.ts'
import { findChargeOfLink } from '../charges/find-charges.ts'
import type { Shop } from '../merchants/shops.ts'
import { findLink } from '../payment-links/find-links.ts'
import { mayBePaid } from '../payment-links/payable.ts'
import type { LinkWithCharges } from '../payment-links/payment-link.ts'
import { tagOf } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { findItemName } from '../storefront/find-items.ts'
import { findOrder } from '../vending/find-orders.ts'
import type { VendingOrder } from '../vending/order.ts'
import { productsLine } from '../vending/product-names.ts'
import { findRefund } from './found-refund.ts'
import { maskedPhone } from './masked-phone.ts'
import type { Method, Payment, Refund } from './view.ts'
import type { Checkout, Visit } from './visit.ts'

/** The link of this address, who is paid by it, and the payment that is meant. */
export type Found = {
  shop: Shop
  link: LinkWithCharges
  charge: Charge | null
  /** Of a refunded charge where its money is. */
  refund: Refund | null
  /** The machine's side, where a machine has asked for the payment. */
  order: VendingOrder | null
  /** What is paid for, in the merchant's words; of a storefront's item with its name, of an order without words its products. */
  description: string | null
}

/**
 * Finds the link in the address with its shop and the payment to show: of a one-shot link its newest attempt, of a reusable one
 * that in `?charge=`. Throws 404 for an address that is none.
 */
export async function findPaidLink({ gateway, shops }: Checkout, visit: Visit): Promise<Found> {
  const id = visit.params.id ?? ''
  const tag = tagOf('lnk_', id)
  const shop = tag === null ? null : await shops.ofTag(gateway(), tag)
  const link = shop === null ? null : await findLink(shop.app, { merchantId: shop.merchantId, id })
  if (shop === null || link === null) throw notFound('page')
  const chargeId = link.allowMultipleUses ? visit.query.charge : link.attempt?.id
  const charge =
    chargeId === undefined || tagOf('txn_', chargeId) !== tag
      ? null
      : await findChargeOfLink(shop.app, { merchantId: link.merchantId, linkId: link.id, chargeId })
  const order =
    link.kind === 'order' ? await findOrder(shop.app, { merchantId: link.merchantId, id: link.id }) : null
  const description = order
    ? (link.description ?? productsLine(order.goods))
    : await descriptionOf(shop, link)
  const refund = charge && (await findRefund(shop.app, charge))
  return { shop, link, charge, refund, order, description }
}

async function descriptionOf({ app }: Shop, link: LinkWithCharges): Promise<string | null> {
  // Only what is paid many times in live can be an item.
  const mayBeItem = link.mode === 'live' && link.allowMultipleUses
  const name = mayBeItem ? await findItemName(app, { merchantId: link.merchantId, linkId: link.id }) : null
  return [name, link.description].filter((text) => text !== null).join(', ') || null
}

/** Whether a payment may be started, as far as a page can tell; what stores it judges again. */
export const takesPayments = ({ shop, link }: Found): boolean => mayBePaid(link, shop, shop.app.config)

/** The address of one of the link's pages; reusable links say which payment is meant. */
export function pathOf({ link, charge }: Found, action: string): string {
  const path = `/pay/${link.id}/${action}`
  return link.allowMultipleUses && charge !== null ? `${path}?charge=${charge.id}` : path
}

/** A charge as its customer may see it. */
export function paymentOf({ link, description }: Found, charge: Charge): Payment {
  return {
    linkId: link.id,
    charge: link.allowMultipleUses ? charge.id : null,
    amount: charge.amount,
    giftCard: charge.giftCardAmount,
    due: dueOf(charge),
    method: charge.channel as Method, // The database knows no other channel.
    phone: charge.phone === null ? null : maskedPhone(charge.phone),
    description,
  }
}
