import type { Shop } from '../../../merchants/account/shops.ts'
import type { Charge, ChargeStatus } from '../../../payments/charges/charge.ts'
import { assert } from '../../../platform/assert.ts'
import { isLinkExpired } from '../../../selling/payment-links/payment-link.ts'
import { storefrontPath } from '../../../selling/storefront/item.ts'
import { findMissing } from '../../../selling/vending/dispensing/delivered-products.ts'
import type { VendingOrder } from '../../../selling/vending/orders/order.ts'
import type { ClosedView, MachineReport, ReceiptView, View } from '../view.ts'
import { type LinkContext, presentPayment, takesPayments } from './link-context.ts'

// The operator's prompt stays on the phone for this long (spec 8).
const PROMPT_SECONDS = 60
// A receipt older than this only says that the link is paid, and does not forward to the shop.
const FRESH_RECEIPT_MS = 120_000
const FORWARD_SECONDS = 5

type ChargedLinkContext = LinkContext & { charge: Charge }

/** The page of a payment in each state. Reload, back and a second submit show it too. */
const VIEW_BY_STATUS: Record<ChargeStatus, (linkContext: ChargedLinkContext, now: Date) => View> = {
  pending: buildWaitingView,
  authorized: buildWaitingView,
  failed: buildFailedView,
  succeeded: (linkContext, now) =>
    buildReceiptView(linkContext, isFresh(linkContext.charge, now) ? 'fresh' : 'earlier'),
  refunded: (linkContext) => buildReceiptView(linkContext, 'earlier'),
}

/** Makes the page of the payment in its present state. */
export const buildStatusView = (linkContext: ChargedLinkContext, now: Date): View =>
  VIEW_BY_STATUS[linkContext.charge.status](linkContext, now)

export const isPaid = ({ charge }: LinkContext): boolean =>
  charge?.status === 'succeeded' || charge?.status === 'refunded'

/** Makes the page of a link on which no payment can be started. */
export function buildClosedView({ shop, link }: LinkContext): ClosedView {
  const open = shop.active && link.allowMultipleUses
  const storefront = open ? storefrontPath({ ...shop, mode: link.mode }) : null
  return { kind: 'closed', why: closedReason(shop), cancelUrl: link.cancelUrl, storefront }
}

/** Tells a merchant that takes no payments now from one that has closed its account. */
export const closedReason = ({ account }: Pick<Shop, 'account'>): 'inactive' | 'left' =>
  account === 'open' ? 'inactive' : 'left'

/** Makes the page of an expired order. */
export const buildExpiredView = ({ link }: LinkContext): ClosedView => ({
  kind: 'closed',
  why: 'expired',
  cancelUrl: link.cancelUrl,
  storefront: null,
})

function buildWaitingView(linkContext: ChargedLinkContext, now: Date): View {
  const passedSeconds = Math.floor((now.getTime() - linkContext.charge.createdAt.getTime()) / 1000)
  return {
    kind: 'waiting',
    payment: presentPayment(linkContext, linkContext.charge),
    secondsLeft: PROMPT_SECONDS - passedSeconds,
    cancelUrl: linkContext.link.cancelUrl,
  }
}

function buildFailedView(linkContext: ChargedLinkContext, now: Date): View {
  const expired = isLinkExpired(linkContext.link, now)
  return {
    kind: 'failed',
    payment: presentPayment(linkContext, linkContext.charge),
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
function findMachineReport({ order, charge }: ChargedLinkContext, look: ReceiptView['look']): ReceiptView['machine'] {
  if (order === null || charge.status === 'refunded') return null
  const report = presentMachineReport(order)
  // A printed receipt must not show a state that passes.
  return report.says === 'releasing' && look === 'printable' ? null : report
}

function presentMachineReport(order: VendingOrder): MachineReport {
  const { vendingStatus, confirmed } = order
  if (vendingStatus === 'failed') return { says: 'failed' }
  if (vendingStatus !== 'dispensed' || !confirmed) return { says: 'releasing' }
  const delivered = findMissing(order)
  return delivered === null ? { says: 'dispensed' } : { says: 'partly', delivered }
}

/** Makes the receipt of a payment. */
export function buildReceiptView(linkContext: ChargedLinkContext, look: ReceiptView['look']): ReceiptView {
  const { link, charge, refund } = linkContext
  assert(charge.completedAt, 'what was paid was completed')
  return {
    kind: 'receipt',
    look,
    payment: presentPayment(linkContext, charge),
    refund,
    machine: findMachineReport(linkContext, look),
    chargeId: charge.id,
    operatorReference: charge.railTransactionId,
    reference: charge.reference,
    paidAt: charge.completedAt,
    successUrl: link.successUrl,
    forwardSeconds: look === 'fresh' && link.successUrl !== null ? FORWARD_SECONDS : null,
  }
}

const isFresh = ({ completedAt }: Charge, now: Date): boolean =>
  completedAt !== null && now.getTime() - completedAt.getTime() < FRESH_RECEIPT_MS
