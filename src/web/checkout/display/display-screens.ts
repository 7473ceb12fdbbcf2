import { findMissing } from '../../../selling/vending/dispensing/delivered-products.ts'
import { isExpired, paymentStatus, type VendingOrder } from '../../../selling/vending/orders/order.ts'
import { formatShillings } from '../../parts/wording.ts'
import type { Texts } from '../texts/texts.ts'
import type { CustomerRefund, Screen } from '../view.ts'

/** After this time the screen tells a waiting customer whom to ask. */
const RELEASE_LATE_MS = 60_000

type OrderProgress = {
  order: VendingOrder
  /** The money of a refunded payment; null for any other. */
  refund: CustomerRefund | null
  /** Why nothing can be paid now: the merchant takes no payments (`closed`), or its machines are switched off (`off`). */
  stop: 'closed' | 'off' | null
  /** When the customer's wait for a paid order began. */
  waitsSince: Date | null
  now: Date
}

/** Decides which screen a machine shows for an order. A payment we have received comes before everything else. */
export function chooseScreen({ order, refund, stop, waitsSince, now }: OrderProgress): Screen {
  const payment = paymentStatus(order)
  if (payment === 'succeeded') return choosePaidScreen(order, { refund, waitsSince, now })
  if (payment === 'pending') return { name: 'paying' }
  if (isExpired(order, now)) return { name: 'expired' }
  if (stop !== null) return { name: stop }
  const secondsLeft = Math.ceil((order.expiresAt.getTime() - now.getTime()) / 1000)
  return { name: 'scan', secondsLeft, afterFailure: payment === 'failed' }
}

function choosePaidScreen(
  order: VendingOrder,
  { refund, waitsSince, now }: Pick<OrderProgress, 'refund' | 'waitsSince' | 'now'>,
): Screen {
  const { vendingStatus, confirmed } = order
  if (vendingStatus === 'dispensed') {
    if (!confirmed) return { name: 'collect', doubt: 'unconfirmed' }
    const delivered = findMissing(order)
    return delivered === null ? { name: 'collect', doubt: null } : { name: 'collect', doubt: 'partly', delivered }
  }
  if (vendingStatus === 'failed' || refund !== null) return { name: 'failed', refund }
  const late = waitsSince !== null && now.getTime() - waitsSince.getTime() >= RELEASE_LATE_MS
  return { name: 'releasing', late }
}

type TroubleInput = { texts: Texts; shop: string; amount: number }

/** Says in words for the customer what went wrong; null if nothing did. Never shows error texts of the supplier or ours. */
export function formatTrouble(screen: Screen, { texts, shop, amount }: TroubleInput): string | null {
  const { display } = texts
  switch (screen.name) {
    case 'releasing':
      return screen.late ? display.ifNothing(shop) : null
    case 'collect':
      if (screen.doubt !== 'partly') return null
      return display.partly(shop, `${screen.delivered.delivered}`, `${screen.delivered.products}`)
    case 'failed':
      if (screen.refund === null) return display.money(formatShillings(amount), shop)
      return display.refunds[screen.refund.state](formatShillings(screen.refund.amount), shop)
    case 'scan':
    case 'paying':
    case 'expired':
    case 'closed':
    case 'off':
    case 'unknown':
    case 'busy':
      return null
  }
}

/** Formats `vending_error`: the trouble, or why nothing can be paid, so that a screen showing a QR code removes it. */
export function formatVendingError(screen: Screen, input: TroubleInput): string | null {
  const { texts, shop } = input
  if (screen.name === 'off') return `${texts.display.off}. ${texts.display.offHow(shop)}`
  return screen.name === 'closed' ? texts.closed.inactive.text(shop) : formatTrouble(screen, input)
}
