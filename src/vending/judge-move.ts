import type { ClaimState } from './claim.ts'
import type { VendingOrder } from './order.ts'
import type { OrderMove, OrderMoved } from './order-move.ts'

/** The claim of an order's newest command. */
export type NewestClaim = { id: string; state: ClaimState; commandedAt: Date | null }

/** What a move is judged and told by, beside the order itself; read behind the locks of order, charge and newest claim. */
export type MoveFacts = {
  tag: string
  hasWebhookUrl: boolean
  autoRefundOnJam: 'off' | 'test' | 'live' | 'both'
  newest: NewestClaim | null
  /** When a command of this order left last, whichever. */
  commandedAt: Date | null
  /** `vending.dispensed` was told of the newest command before. */
  dispensedTold: boolean
}

/** The rules of a move, one a line. */
export function judgeMove(order: VendingOrder, move: OrderMove, facts: MoveFacts): OrderMoved {
  const { vendingStatus: status, confirmed } = order
  const { to, source } = move
  if (isAboutAnother(order, move, facts)) return 'final'
  const paid = order.charge?.status === 'succeeded' || order.charge?.status === 'refunded'
  if (!paid) return source === 'command' ? 'moved' : 'unpaid'
  if (order.attempts === 0 && source !== 'command') return 'never_commanded'
  if (source === 'callback' && facts.commandedAt === null) return 'never_commanded'
  if (status === 'dispensed' && confirmed) return to.status === 'dispensed' ? 'same' : 'final'
  if (status === to.status && (confirmed || !to.confirmed)) return 'same'
  if (order.charge?.status === 'refunded' && source === 'callback') return 'refunded'
  if (to.status === 'failed' && isOldNews(order, move, facts)) return 'final'
  return 'moved'
}

/** An answer or a report that comes late must not end a command that was sent after it (VE2). */
function isAboutAnother({ attempts }: VendingOrder, { about }: OrderMove, { newest }: MoveFacts): boolean {
  if (about === undefined) return false
  if (about === 'none') return attempts !== 0
  return newest?.id !== about.claimId || !about.while.includes(newest.state)
}

/**
 * A failure that was reported of the command before: the newest has not been sent yet, or was sent after it was said. A
 * report carries no number of its command; of an order's first there is no doubt, whatever the machine's clock shows.
 */
function isOldNews(
  { attempts }: VendingOrder,
  { source, saidAt }: OrderMove,
  { newest }: MoveFacts,
): boolean {
  if (source !== 'callback') return false
  if (newest?.state === 'claimed') return true
  const sentAt = newest?.commandedAt ?? null
  return attempts > 1 && saidAt !== undefined && sentAt !== null && saidAt < sentAt
}
