import { isExpired, paymentStatus, type VendingOrder } from '../vending/order.ts'
import { ugx } from './pages/page.ts'
import type { Texts } from './texts/texts.ts'
import type { Screen } from './view.ts'

/** After which a customer who waits in front of the machine is told whom to ask. */
const LATE_MS = 60_000

type Standing = {
  order: VendingOrder
  /** Whether the merchant takes payments now. */
  open: boolean
  /** When the customer began to wait for a paid order. */
  waitsSince: Date | null
  now: Date
}

/** The one table from an order to what its machine shows. Money that has come in is said before anything else. */
export function screenOf({ order, open, waitsSince, now }: Standing): Screen {
  const payment = paymentStatus(order)
  if (payment === 'succeeded') return paidScreen(order, { waitsSince, now })
  if (payment === 'pending') return { name: 'paying' }
  if (isExpired(order, now)) return { name: 'expired' }
  if (!open) return { name: 'closed' }
  const secondsLeft = Math.ceil((order.expiresAt.getTime() - now.getTime()) / 1000)
  return { name: 'scan', secondsLeft, again: payment === 'failed' }
}

function paidScreen(
  { vendingStatus, confirmed, vendingError, charge }: VendingOrder,
  { waitsSince, now }: Pick<Standing, 'waitsSince' | 'now'>,
): Screen {
  const refunded = charge?.status === 'refunded'
  if (vendingStatus === 'dispensed') {
    if (!confirmed) return { name: 'collect', doubt: 'unconfirmed' }
    return { name: 'collect', doubt: vendingError === null ? null : 'partly' }
  }
  if (vendingStatus === 'failed' || refunded) return { name: 'failed', refunded, byCard: isByCard(charge) }
  const late = waitsSince !== null && now.getTime() - waitsSince.getTime() >= LATE_MS
  return { name: 'releasing', late }
}

const isByCard = (charge: VendingOrder['charge']) => charge !== null && charge.due === 0

/** What went wrong, for the customer; null where nothing did. Never the supplier's or our own words for it. */
export function troubleOf(
  screen: Screen,
  { texts, shop, amount }: { texts: Texts; shop: string; amount: number },
): string | null {
  const { display } = texts
  switch (screen.name) {
    case 'releasing':
      return screen.late ? display.ifNothing(shop) : null
    case 'collect':
      return screen.doubt === 'partly' ? display.partly(shop) : null
    case 'failed':
      if (screen.refunded && screen.byCard) return display.restored(ugx(amount))
      return screen.refunded ? display.refunded(ugx(amount), shop) : display.money(ugx(amount), shop)
    case 'scan':
    case 'paying':
    case 'expired':
    case 'closed':
    case 'unknown':
    case 'busy':
      return null
  }
}
