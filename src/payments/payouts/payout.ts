import { type Static, Type } from 'typebox'
import type { EventType } from '../../merchants/webhooks/events.ts'
import { type Mode, ModeShape } from '../../platform/mode.ts'
import { type Moves, statesOf } from '../../platform/moves.ts'
import { PAYOUT_FAILURES, type PayoutFailure } from '../../rails/rail.ts'
import { DEFAULT_PAYOUT_CHANNEL } from './payout-request.ts'

/** The states of spec 3.2. Internal marks (not yet published, voided, queued) are no states and are never shown. */
export type PayoutStatus = 'pending' | 'authorized' | 'succeeded' | 'failed'

/** The moves that exist, each with its event; the database refuses every other one (trigger payouts_move_forward). */
export const PAYOUT_MOVES = {
  pending: { authorized: null, succeeded: 'payout.succeeded', failed: 'payout.failed' },
  authorized: { succeeded: 'payout.succeeded', failed: 'payout.failed' },
  succeeded: {},
  failed: {},
} as const satisfies Moves<PayoutStatus, EventType>

export const PAYOUT_STATUSES = statesOf<PayoutStatus>(PAYOUT_MOVES)

/** What a payout was made for. */
type PayoutKind = 'payout' | 'bulk' | 'scheduled' | 'refund' | 'withdrawal' | 'subaccount'
const PAYOUT_KINDS = [
  'payout',
  'bulk',
  'scheduled',
  'refund',
  'withdrawal',
  'subaccount',
] as const satisfies readonly PayoutKind[]

/** The failure reason shown while it is unknown whether the operator took the payout; never with a final state (G14c). */
export const AMBIGUOUS_REASON = 'ambiguous_network_error_pending_reconciliation'

/** A row of `payouts` as the rules and the pages see it. Whole UGX; times are UTC. */
export type Payout = {
  merchantId: number
  id: string
  mode: Mode
  kind: PayoutKind
  status: PayoutStatus
  amount: number
  fee: number
  channel: string
  recipientPhone: string
  recipientName: string | null
  reference: string | null
  railReference: string
  railTransactionId: string | null
  failureReason: PayoutFailure | typeof AMBIGUOUS_REASON | null
  chargeId: string | null
  batchId: string | null
  scheduleId: string | null
  subaccountId: string | null
  createdAt: Date
  completedAt: Date | null
}

export const PAYOUT_COLUMNS = `p.merchant_id as "merchantId", p.id, p.mode, p.kind, p.status, p.amount, p.fee, p.channel,
  p.recipient_phone as "recipientPhone", p.recipient_name as "recipientName", p.reference,
  p.rail_reference as "railReference", p.rail_transaction_id as "railTransactionId",
  p.failure_reason as "failureReason", p.charge_id as "chargeId", p.batch_id as "batchId",
  p.schedule_id as "scheduleId", p.subaccount_id as "subaccountId", p.created_at as "createdAt",
  p.completed_at as "completedAt"`

const time = Type.String({ format: 'date-time' })
const failure = Type.Enum([...PAYOUT_FAILURES, AMBIGUOUS_REASON], { $id: 'PayoutFailureReason' })
const textOrNull = (description?: string) =>
  Type.Union([Type.String(description === undefined ? {} : { description }), Type.Null()])

/** The payout as the API shows it (contract.md 2.3). */
export const PayoutShape = Type.Object(
  {
    id: Type.String({ description: 'starts with `pout_`' }),
    mode: ModeShape,
    status: Type.Enum(PAYOUT_STATUSES, { $id: 'PayoutStatus' }),
    amount: Type.Integer({ description: 'whole UGX, what the recipient gets' }),
    fee: Type.Integer({ description: 'whole UGX, on top of the amount' }),
    currency: Type.Literal('UGX'),
    channel: Type.Enum([DEFAULT_PAYOUT_CHANNEL]),
    recipient_phone: textOrNull(),
    recipient_name: textOrNull(),
    rail_reference: textOrNull('the reference we gave the rail, the same for life'),
    rail_transaction_id: textOrNull("the operator's own number, null until success"),
    reference: textOrNull(),
    failure_reason: Type.Union([failure, Type.Null()], {
      description: 'set when failed; `ambiguous_network_error_pending_reconciliation` while nobody knows',
    }),
    kind: Type.Enum([...PAYOUT_KINDS]),
    charge_id: textOrNull('of a refund'),
    batch_id: textOrNull('of a bulk payout'),
    scheduled_payout_id: textOrNull('of a scheduled payout'),
    created_at: time,
    completed_at: Type.Union([time, Type.Null()]),
  },
  { $id: 'Payout' },
)
type PayoutView = Static<typeof PayoutShape>

/** Formats a payout for the API. */
export function presentPayout(payout: Payout): PayoutView {
  return {
    id: payout.id,
    mode: payout.mode,
    status: payout.status,
    amount: payout.amount,
    fee: payout.fee,
    currency: 'UGX',
    channel: payout.channel as typeof DEFAULT_PAYOUT_CHANNEL,
    recipient_phone: payout.recipientPhone,
    recipient_name: payout.recipientName,
    rail_reference: payout.railReference,
    rail_transaction_id: payout.railTransactionId,
    reference: payout.reference,
    failure_reason: payout.failureReason,
    kind: payout.kind,
    charge_id: payout.chargeId,
    batch_id: payout.batchId,
    scheduled_payout_id: payout.scheduleId,
    created_at: payout.createdAt.toISOString(),
    completed_at: payout.completedAt?.toISOString() ?? null,
  }
}

/** The data of payout.succeeded and payout.failed (contract.md section 5), keys in the order of canonical JSON. */
export function payoutEventData(payout: Payout): Record<string, unknown> {
  return {
    amount: payout.amount,
    batch_id: payout.batchId,
    channel: payout.channel,
    charge_id: payout.chargeId,
    completed_at: payout.completedAt?.toISOString() ?? null,
    created_at: payout.createdAt.toISOString(),
    currency: 'UGX',
    failure_reason: payout.failureReason,
    fee: payout.fee,
    id: payout.id,
    kind: payout.kind,
    merchant_reference: payout.reference,
    mode: payout.mode,
    rail_reference: payout.railReference,
    recipient_name: payout.recipientName,
    recipient_phone: payout.recipientPhone,
    reference: payout.reference,
    scheduled_payout_id: payout.scheduleId,
    status: payout.status,
  }
}
