import type { OrderCharge, VendingOrder } from '../orders/order.ts'
import type { ClaimState } from './claim.ts'
import type { DispenseMove, DispenseVerdict } from './dispense-move.ts'

/** The newest claim of an order, or of the charge of a direct dispense. */
export type NewestClaim = { id: string; state: ClaimState; machine: string; commandedAt: Date | null }

/** The facts, besides the order, that decide a move and its event. They are read after order, charge and newest claim were locked. */
export type MoveFacts = {
  tag: string
  hasWebhookUrl: boolean
  autoRefundOnJam: 'off' | 'test' | 'live' | 'both'
  newest: NewestClaim | null
  /** How many commands have left, and when the last one did. */
  commands: number
  commandedAt: Date | null
  /** Whether `vending.dispensed` was sent for the newest command before. */
  dispensedTold: boolean
}

/** The state of an order, or of a direct dispense in the same form. */
export type DispenseState = Pick<VendingOrder, 'vendingStatus' | 'confirmed' | 'attempts'> & {
  charge: Pick<OrderCharge, 'status'> | null
}
type JudgedMove = Pick<DispenseMove, 'to' | 'source' | 'about' | 'saidAt' | 'machine'>
type CommandFacts = Pick<MoveFacts, 'newest' | 'commands' | 'commandedAt'>

/** Judges a move, one rule a line. Orders and direct dispenses have the same rules. */
export function judgeMove(order: DispenseState, move: JudgedMove, facts: CommandFacts): DispenseVerdict {
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
  if (to.status === 'failed' && isAboutEarlierCommand(move, facts)) return 'final'
  return 'moved'
}

/** Whether a move is about another command than the newest: a late answer or report must not move a command that was sent after it (VE2). */
function isAboutAnother({ attempts }: DispenseState, { about }: JudgedMove, { newest }: CommandFacts): boolean {
  if (about === undefined) return false
  if (about === 'none') return attempts !== 0
  return newest?.id !== about.claimId || !about.while.includes(newest.state)
}

/**
 * Whether a reported failure is about an earlier command: the newest has not been sent yet, was sent after the report, or
 * was sent to another machine. A report has no number of its command; with only one command it is about that one, whatever
 * the machine's clock shows.
 */
function isAboutEarlierCommand({ source, saidAt, machine }: JudgedMove, { newest, commands }: CommandFacts): boolean {
  if (source !== 'callback') return false
  if (newest?.state === 'claimed') return true
  if (machine != null && newest !== null && newest.machine !== machine) return true
  const sentAt = newest?.commandedAt ?? null
  return commands > 1 && saidAt !== undefined && sentAt !== null && saidAt < sentAt
}
