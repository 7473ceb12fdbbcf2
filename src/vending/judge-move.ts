import type { DispenseMove, DispenseMoved } from './dispense-move.ts'
import type { ClaimState } from './dispensing/claim.ts'
import type { OrderCharge, VendingOrder } from './order.ts'

/** The newest claim of an order, or of the charge of a direct dispense. */
export type NewestClaim = { id: string; state: ClaimState; machine: string; commandedAt: Date | null }

/** What a move is judged and told by, beside the order itself; read behind the locks of order, charge and newest claim. */
export type MoveFacts = {
  tag: string
  hasWebhookUrl: boolean
  autoRefundOnJam: 'off' | 'test' | 'live' | 'both'
  newest: NewestClaim | null
  /** How many commands have left, and when the last one did. */
  commands: number
  commandedAt: Date | null
  /** `vending.dispensed` was told of the newest command before. */
  dispensedTold: boolean
}

/** What is judged: an order, or what a charge has paid for directly. */
export type Standing = Pick<VendingOrder, 'vendingStatus' | 'confirmed' | 'attempts'> & {
  charge: Pick<OrderCharge, 'status'> | null
}
type Word = Pick<DispenseMove, 'to' | 'source' | 'about' | 'saidAt' | 'machine'>
type Commands = Pick<MoveFacts, 'newest' | 'commands' | 'commandedAt'>

/** The rules of a move, one a line; the same for orders and for direct dispenses. */
export function judgeMove(order: Standing, move: Word, facts: Commands): DispenseMoved {
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
  if (to.status === 'failed' && isOldNews(move, facts)) return 'final'
  return 'moved'
}

/** An answer or a report that comes late must not end a command that was sent after it (VE2). */
function isAboutAnother({ attempts }: Standing, { about }: Word, { newest }: Commands): boolean {
  if (about === undefined) return false
  if (about === 'none') return attempts !== 0
  return newest?.id !== about.claimId || !about.while.includes(newest.state)
}

/**
 * A failure that was reported of the command before: the newest has not been sent yet, was sent after it was said, or was sent
 * to another machine. A report carries no number of its command; of the first there is no doubt, whatever the machine's clock
 * shows.
 */
function isOldNews({ source, saidAt, machine }: Word, { newest, commands }: Commands): boolean {
  if (source !== 'callback') return false
  if (newest?.state === 'claimed') return true
  if (machine != null && newest !== null && newest.machine !== machine) return true
  const sentAt = newest?.commandedAt ?? null
  return commands > 1 && saidAt !== undefined && sentAt !== null && saidAt < sentAt
}
