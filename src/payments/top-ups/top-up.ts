import type { Moves } from '../../platform/moves.ts'
import type { ChargeFailure } from '../../rails/rail.ts'

export type TopUpStatus = 'pending' | 'authorized' | 'succeeded' | 'failed'

/** The one table of moves; the database refuses every other (trigger top_ups_move_forward). No move has an event. */
export const TOP_UP_MOVES = {
  pending: { authorized: null, succeeded: null, failed: null },
  authorized: { succeeded: null, failed: null },
  succeeded: {},
  failed: {},
} as const satisfies Moves<TopUpStatus>

/**
 * Money that a merchant adds to its own live balance by mobile money (G74). Whole UGX; times are UTC. Collected like a
 * charge, but without a fee, an event or a hold.
 */
export type TopUp = {
  merchantId: number
  id: string
  mode: 'live'
  status: TopUpStatus
  amount: number
  channel: string
  phone: string
  railReference: string
  railTransactionId: string | null
  failureReason: ChargeFailure | null
  createdAt: Date
  completedAt: Date | null
}

export const TOP_UP_COLUMNS = `t.merchant_id as "merchantId", t.id, 'live' as mode, t.status, t.amount, t.channel, t.phone,
  t.rail_reference as "railReference", t.rail_transaction_id as "railTransactionId", t.failure_reason as "failureReason",
  t.created_at as "createdAt", t.completed_at as "completedAt"`

export const TOP_UP_PREFIX = 'top_'

/** Formats a top-up as JSON. */
export const presentTopUp = (topUp: TopUp) => ({
  id: topUp.id,
  mode: topUp.mode,
  status: topUp.status,
  amount: topUp.amount,
  currency: 'UGX',
  channel: topUp.channel,
  phone: topUp.phone,
  rail_reference: topUp.railReference,
  rail_transaction_id: topUp.railTransactionId,
  failure_reason: topUp.failureReason,
  created_at: topUp.createdAt.toISOString(),
  completed_at: topUp.completedAt?.toISOString() ?? null,
})
