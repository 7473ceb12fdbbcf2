import type { Shop } from '../../../merchants/account/shops.ts'
import { findChargeOfLink } from '../../../payments/charges/find-charges.ts'
import { watchCharge } from '../../../payments/charges/watch-charge.ts'
import { notFound } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import { mayBePaid } from '../../../selling/payment-links/payable.ts'
import { linkUrl } from '../../../selling/payment-links/payment-link.ts'
import { qrPng } from '../../../selling/payment-links/qr.ts'
import { findOrder, findWaitingSince } from '../../../selling/vending/orders/find-orders.ts'
import { isExpired, paymentStatus, type VendingOrder } from '../../../selling/vending/orders/order.ts'
import { listProductNames } from '../../../selling/vending/orders/product-names.ts'
import { findCustomerRefund } from '../link/customer-refund.ts'
import { formatShopNames } from '../pages/page.ts'
import { TEXTS } from '../texts/texts.ts'
import type { ClosedView, DisplayView, Screen, View } from '../view.ts'
import { type Checkout, type CheckoutVisit, newCustomerCaller, type Reply } from '../visit.ts'
import { chooseScreen, formatVendingError } from './display-screens.ts'

const POLL_MS = 2000
const LAST_SCREEN_POLL_MS = 10_000
// After these screens nothing follows but the next order, which the machine opens itself.
const LAST_SCREENS: readonly Screen['name'][] = ['collect', 'expired', 'closed', 'off']

type OrderDisplay = { shop: Shop; order: VendingOrder; screen: Screen; now: Date }

/** GET /vending/display/{id}: shows the screen of the machine, which updates by itself. The request changes nothing. */
export async function showDisplay(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const display = await getOrderDisplay(checkout, visit)
  const { shop, order, screen } = display
  const view: DisplayView = {
    kind: 'display',
    screen,
    order: {
      id: order.id,
      machine: order.machine,
      amount: order.amount,
      products: listProductNames(order.goods),
      qr: `data:image/png;base64,${qrPng(linkUrl(order, shop.app.baseUrl)).toString('base64')}`,
    },
    watch: {
      url: stateUrl(visit),
      everyMs: LAST_SCREENS.includes(screen.name) ? LAST_SCREEN_POLL_MS : POLL_MS,
      seen: formatSeenState(presentState(display, visit)),
    },
  }
  return { kind: 'page', status: 200, view, shop, mode: order.mode }
}

/**
 * GET /vending/display/{id}/state.json (G33): the state of the order for the script of the screen. `success_url` is null
 * until the order is paid.
 */
export async function showDisplayState(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  return { kind: 'json', status: 200, value: presentState(await getOrderDisplay(checkout, visit), visit) }
}

/** Makes the screen for an order that cannot be shown. If we are only busy, it polls until the order can be shown. */
export function buildTroubleView(visit: CheckoutVisit, why: ClosedView['why']): View {
  if (why === 'unknown') return { kind: 'display', screen: { name: 'unknown' }, order: null, watch: null }
  const watch = { url: stateUrl(visit), everyMs: POLL_MS, seen: '' }
  return { kind: 'display', screen: { name: 'busy' }, order: null, watch }
}

async function getOrderDisplay({ gateway, shops, clock }: Checkout, visit: CheckoutVisit): Promise<OrderDisplay> {
  const id = visit.params.id ?? ''
  const tag = parseTag('lnk_', id)
  const shop = tag === null ? null : await shops.ofTag(gateway(), tag)
  const order = shop === null ? null : await findOrder(shop.app, { merchantId: shop.merchantId, id })
  if (shop === null || order === null) throw notFound('page')
  const hasFinished = order.vendingStatus === 'dispensed' || order.vendingStatus === 'failed'
  const waits = paymentStatus(order) === 'succeeded' && !hasFinished
  const waitsSince = waits ? await findWaitingSince(shop.app, order) : null
  const now = clock.now()
  const { charge, mode } = order
  const watched = charge && { merchantId: shop.merchantId, mode, ...charge }
  if (watched) await watchCharge(shop.app, newCustomerCaller(visit), watched)
  const refund = await findOrderRefund(shop, order)
  return {
    shop,
    order,
    screen: chooseScreen({ order, refund, stop: findStop(shop, order), waitsSince, now }),
    now,
  }
}

/** Finds why this machine takes no payment now: its merchant has switched vending off, or takes no payments. */
function findStop(shop: Shop, order: VendingOrder): 'closed' | 'off' | null {
  if (!shop.vendingEnabled) return 'off'
  const link = { ...order, kind: 'order', switchedOffAt: null } as const
  return mayBePaid(link, shop, shop.app.config) ? null : 'closed'
}

/** Finds where the money of a refunded order is; null for any other order. */
async function findOrderRefund({ app }: Shop, { merchantId, id: linkId, charge }: VendingOrder) {
  if (charge?.status !== 'refunded') return null
  const refunded = await findChargeOfLink(app, { merchantId, linkId, chargeId: charge.id })
  return refunded && findCustomerRefund(app, refunded)
}

function presentState({ shop, order, screen, now }: OrderDisplay, { language }: CheckoutVisit) {
  const texts = TEXTS[language]
  const payment = paymentStatus(order)
  return {
    order_id: order.id,
    amount: order.amount,
    currency: 'UGX',
    payment_status: payment,
    vending_status: order.vendingStatus,
    vending_error: formatVendingError(screen, {
      texts,
      shop: formatShopNames(shop, texts).brief,
      amount: order.amount,
    }),
    expired: isExpired(order, now),
    invalidated: order.invalidatedAt !== null,
    expires_at: order.expiresAt.toISOString(),
    success_url: payment === 'succeeded' ? order.successUrl : null,
  }
}

/** Joins the fields of the document that decide the screen. display.js builds the same text and compares. */
const formatSeenState = (document: ReturnType<typeof presentState>) =>
  [
    document.payment_status,
    document.vending_status,
    document.expired,
    document.invalidated,
    document.vending_error ?? '',
  ].join(' ')

const stateUrl = ({ params, language }: CheckoutVisit) =>
  `/vending/display/${encodeURIComponent((params.id ?? '').slice(0, 60))}/state.json?lang=${language}`
