import type { Charge, ChargeStatus } from '../../charges/charge.ts'
import type { Shop } from '../../merchants/shops.ts'
import { isOver } from '../../payment-links/payment-link.ts'
import { assert } from '../../platform/assert.ts'
import { missingOf } from '../../vending/dispensing/delivered-products.ts'
import type { VendingOrder } from '../../vending/orders/order.ts'
import type { ClosedView, MachineSays, ReceiptView, View } from '../view.ts'
import { type Found, paymentOf, takesPayments } from './found-link.ts'

// How long the operator's prompt stays on the phone (spec 8).
const PROMPT_SECONDS = 60
// Later visitors are told that it is paid and are not sent on to the shop.
const FRESH_MS = 120_000
const FORWARD_SECONDS = 5

type Shown = Found & { charge: Charge }

/** The page of a payment in each state. Reload, back and a second submit use it too. */
const PAGE_OF: Record<ChargeStatus, (found: Shown, now: Date) => View> = {
  pending: waitingView,
  authorized: waitingView,
  failed: failedView,
  succeeded: (found, now) => receiptView(found, isFresh(found.charge, now) ? 'fresh' : 'earlier'),
  refunded: (found) => receiptView(found, 'earlier'),
}

/** The page of the payment in its present state. */
export const statusView = (found: Shown, now: Date): View => PAGE_OF[found.charge.status](found, now)

export const isPaid = ({ charge }: Found): boolean =>
  charge?.status === 'succeeded' || charge?.status === 'refunded'

/** The page of a link on which no payment can be started. */
export function closedView({ shop, link }: Found): ClosedView {
  const open = shop.active && link.mode === 'live' && link.allowMultipleUses
  const storefront = open ? `/pay/@${shop.handle}` : null
  return { kind: 'closed', why: whyClosed(shop), cancelUrl: link.cancelUrl, storefront }
}

/** Whose account closes takes no payments any more. */
export const whyClosed = ({ account }: Pick<Shop, 'account'>): 'inactive' | 'left' =>
  account === 'open' ? 'inactive' : 'left'

/** The page of an expired order. */
export const expiredView = ({ link }: Found): ClosedView => ({
  kind: 'closed',
  why: 'expired',
  cancelUrl: link.cancelUrl,
  storefront: null,
})

function waitingView(found: Shown, now: Date): View {
  const passed = Math.floor((now.getTime() - found.charge.createdAt.getTime()) / 1000)
  return {
    kind: 'waiting',
    payment: paymentOf(found, found.charge),
    secondsLeft: PROMPT_SECONDS - passed,
    cancelUrl: found.link.cancelUrl,
  }
}

function failedView(found: Shown, now: Date): View {
  const expired = isOver(found.link, now)
  return {
    kind: 'failed',
    payment: paymentOf(found, found.charge),
    reason: found.charge.failureReason ?? 'rail_rejected', // A failed charge has a reason (failed_has_reason).
    mayRetry: !expired && takesPayments(found),
    expired,
    cancelUrl: found.link.cancelUrl,
  }
}

/**
 * What the machine has reported, unless the payment was refunded. A success that only the supplier announced does not
 * count.
 */
function machineOf({ order, charge }: Shown, look: ReceiptView['look']): ReceiptView['machine'] {
  if (order === null || charge.status === 'refunded') return null
  const said = saidByMachine(order)
  // A printable receipt does not show passing states.
  return said.says === 'releasing' && look === 'printable' ? null : said
}

function saidByMachine(order: VendingOrder): MachineSays {
  const { vendingStatus, confirmed } = order
  if (vendingStatus === 'failed') return { says: 'failed' }
  if (vendingStatus !== 'dispensed' || !confirmed) return { says: 'releasing' }
  const delivered = missingOf(order)
  return delivered === null ? { says: 'dispensed' } : { says: 'partly', delivered }
}

/** The receipt of a payment. */
export function receiptView(found: Shown, look: ReceiptView['look']): ReceiptView {
  const { link, charge, refund } = found
  assert(charge.completedAt, 'what was paid was completed')
  return {
    kind: 'receipt',
    look,
    payment: paymentOf(found, charge),
    refund,
    machine: machineOf(found, look),
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
