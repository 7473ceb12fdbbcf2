import type { Charge, ChargeStatus } from '../../charges/charge.ts'
import type { Shop } from '../../merchants/shops.ts'
import { isOver } from '../../payment-links/payment-link.ts'
import { assert } from '../../platform/assert.ts'
import { missingOf } from '../../vending/dispensing/delivered-products.ts'
import type { VendingOrder } from '../../vending/orders/order.ts'
import type { ClosedView, MachineSays, ReceiptView, View } from '../view.ts'
import { type Found, paymentOf, takesPayments } from './found-link.ts'

// The operator's prompt stays on the phone for this long (spec 8).
const PROMPT_SECONDS = 60
// A receipt older than this only says that the link is paid, and does not forward to the shop.
const FRESH_MS = 120_000
const FORWARD_SECONDS = 5

type Shown = Found & { charge: Charge }

/** The page of a payment in each state. Reload, back and a second submit show it too. */
const PAGE_OF: Record<ChargeStatus, (linkContext: Shown, now: Date) => View> = {
  pending: waitingView,
  authorized: waitingView,
  failed: failedView,
  succeeded: (linkContext, now) =>
    receiptView(linkContext, isFresh(linkContext.charge, now) ? 'fresh' : 'earlier'),
  refunded: (linkContext) => receiptView(linkContext, 'earlier'),
}

/** Makes the page of the payment in its present state. */
export const statusView = (linkContext: Shown, now: Date): View =>
  PAGE_OF[linkContext.charge.status](linkContext, now)

export const isPaid = ({ charge }: Found): boolean =>
  charge?.status === 'succeeded' || charge?.status === 'refunded'

/** Makes the page of a link on which no payment can be started. */
export function closedView({ shop, link }: Found): ClosedView {
  const open = shop.active && link.mode === 'live' && link.allowMultipleUses
  const storefront = open ? `/pay/@${shop.handle}` : null
  return { kind: 'closed', why: whyClosed(shop), cancelUrl: link.cancelUrl, storefront }
}

/** Tells a merchant that takes no payments now from one that has closed its account. */
export const whyClosed = ({ account }: Pick<Shop, 'account'>): 'inactive' | 'left' =>
  account === 'open' ? 'inactive' : 'left'

/** Makes the page of an expired order. */
export const expiredView = ({ link }: Found): ClosedView => ({
  kind: 'closed',
  why: 'expired',
  cancelUrl: link.cancelUrl,
  storefront: null,
})

function waitingView(linkContext: Shown, now: Date): View {
  const passedSeconds = Math.floor((now.getTime() - linkContext.charge.createdAt.getTime()) / 1000)
  return {
    kind: 'waiting',
    payment: paymentOf(linkContext, linkContext.charge),
    secondsLeft: PROMPT_SECONDS - passedSeconds,
    cancelUrl: linkContext.link.cancelUrl,
  }
}

function failedView(linkContext: Shown, now: Date): View {
  const expired = isOver(linkContext.link, now)
  return {
    kind: 'failed',
    payment: paymentOf(linkContext, linkContext.charge),
    reason: linkContext.charge.failureReason ?? 'rail_rejected', // A failed charge has a reason (failed_has_reason).
    mayRetry: !expired && takesPayments(linkContext),
    expired,
    cancelUrl: linkContext.link.cancelUrl,
  }
}

/**
 * Finds the report of the order's machine; null for a refunded payment. A success that only the supplier announced is no
 * report.
 */
function machineOf({ order, charge }: Shown, look: ReceiptView['look']): ReceiptView['machine'] {
  if (order === null || charge.status === 'refunded') return null
  const report = saidByMachine(order)
  // A printed receipt must not show a state that passes.
  return report.says === 'releasing' && look === 'printable' ? null : report
}

function saidByMachine(order: VendingOrder): MachineSays {
  const { vendingStatus, confirmed } = order
  if (vendingStatus === 'failed') return { says: 'failed' }
  if (vendingStatus !== 'dispensed' || !confirmed) return { says: 'releasing' }
  const delivered = missingOf(order)
  return delivered === null ? { says: 'dispensed' } : { says: 'partly', delivered }
}

/** Makes the receipt of a payment. */
export function receiptView(linkContext: Shown, look: ReceiptView['look']): ReceiptView {
  const { link, charge, refund } = linkContext
  assert(charge.completedAt, 'what was paid was completed')
  return {
    kind: 'receipt',
    look,
    payment: paymentOf(linkContext, charge),
    refund,
    machine: machineOf(linkContext, look),
    chargeId: charge.id,
    operatorReference: charge.railTransactionId,
    reference: charge.reference,
    paidAt: charge.completedAt,
    successUrl: link.successUrl,
    forwardSeconds: look === 'fresh' && link.successUrl !== null ? FORWARD_SECONDS : null,
  }
}

const isFresh = ({ completedAt }: Charge, now: Date): boolean =>
  completedAt !== null && now.getTime() - completedAt.getTime() < FRESH_MS
