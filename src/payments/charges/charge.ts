import { type Static, Type } from 'typebox'
import type { EventType } from '../../merchants/webhooks/events.ts'
import { assert } from '../../platform/assert.ts'
import { type Mode, ModeShape } from '../../platform/mode.ts'
import { type Moves, statesOf } from '../../platform/moves.ts'
import { formatIsoTime } from '../../platform/time/times.ts'
import { CHANNELS, CHARGE_FAILURES, type ChargeFailure } from '../../rails/rail.ts'
import type { ChargeShare } from '../subaccounts/shares.ts'
import { presentSplit, SplitShape, splitEventData } from './charge-split.ts'

/** The states of spec 3.1. Internal marks (not yet published, voided) are no states and are never shown. */
export type ChargeStatus = 'pending' | 'authorized' | 'succeeded' | 'failed' | 'refunded'

/** The moves that exist, each with its event; the database refuses every other one (trigger charges_move_forward). */
export const CHARGE_MOVES = {
  pending: { authorized: null, succeeded: 'charge.succeeded', failed: 'charge.failed' },
  authorized: { succeeded: 'charge.succeeded', failed: 'charge.failed' },
  succeeded: { refunded: 'charge.refunded' },
  failed: {},
  refunded: {},
} as const satisfies Moves<ChargeStatus, EventType>

export const CHARGE_STATUSES = statesOf<ChargeStatus>(CHARGE_MOVES)

/** A row of `charges` as the rules and the pages see it. Whole UGX; times are UTC. */
export type Charge = {
  merchantId: number
  id: string
  mode: Mode
  status: ChargeStatus
  amount: number
  fee: number
  giftCardAmount: number
  /** The sum that goes to subaccounts; null without a split. */
  shares: number | null
  channel: string
  phone: string | null
  email: string | null
  reference: string | null
  railReference: string | null
  railTransactionId: string | null
  failureReason: ChargeFailure | null
  paymentLinkId: string | null
  refundId: string | null
  createdAt: Date
  completedAt: Date | null
  refundedAt: Date | null
  holdUntil: Date | null
  settledAt: Date | null
  /** Set only where the shares of a split charge were read as well. */
  split?: readonly ChargeShare[]
}

/** A charge without its customer. */
export type ChargeFacts = Omit<Charge, 'phone' | 'email'>

export const CHARGE_COLUMNS = `c.merchant_id as "merchantId", c.id, c.mode, c.status, c.amount, c.fee,
  c.gift_card_amount as "giftCardAmount", c.shares, c.channel, c.phone, c.email, c.reference, c.rail_reference as "railReference",
  c.rail_transaction_id as "railTransactionId", c.failure_reason as "failureReason",
  c.payment_link_id as "paymentLinkId", c.refund_id as "refundId", c.created_at as "createdAt",
  c.completed_at as "completedAt", c.refunded_at as "refundedAt", c.hold_until as "holdUntil", c.settled_at as "settledAt"`

const time = Type.String({ format: 'date-time' })
const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])
const status = Type.Enum(['pending', 'authorized', 'succeeded', 'failed', 'refunded'], {
  $id: 'ChargeStatus',
})
const channel = Type.Enum([...CHANNELS], { $id: 'Channel' })
const failure = Type.Enum([...CHARGE_FAILURES], { $id: 'ChargeFailureReason' })

/** The charge as the API shows it (contract.md 2.2). */
export const ChargeShape = Type.Object(
  {
    id: Type.String({ description: 'starts with `txn_`' }),
    mode: ModeShape,
    status,
    amount: Type.Integer({ description: 'whole UGX' }),
    fee: Type.Integer({ description: 'whole UGX' }),
    net: Type.Integer({ description: 'amount minus gift_card_amount minus fee' }),
    gift_card_amount: Type.Integer(),
    currency: Type.Literal('UGX'),
    channel,
    reference: nullable(Type.String()),
    rail_reference: nullable(Type.String({ description: 'the reference we gave the rail, the same for life' })),
    rail_transaction_id: nullable(Type.String({ description: "the operator's own number, null until success" })),
    failure_reason: Type.Union([failure, Type.Null()]),
    payment_link_id: nullable(Type.String()),
    refund_id: nullable(Type.String()),
    created_at: time,
    completed_at: nullable(time),
    refunded_at: nullable(time),
    settled: Type.Boolean({ description: 'true once the net is in the available balance' }),
    available_on: nullable(time),
    split: Type.Optional(SplitShape),
  },
  { $id: 'Charge' },
)
export type ChargeView = Static<typeof ChargeShape>

/** The net of a charge: its amount without the gift card's part and the fee. Whole UGX. */
export const computeNet = (charge: Pick<Charge, 'amount' | 'giftCardAmount' | 'fee'>) =>
  charge.amount - charge.giftCardAmount - charge.fee

/** The part that the customer pays by mobile money: the amount without the gift card's part. Whole UGX. */
export const computeMobileMoneyPart = (charge: Pick<Charge, 'amount' | 'giftCardAmount'>) =>
  charge.amount - charge.giftCardAmount

/** The part that the merchant itself is credited: the net without the shares of subaccounts (C2). Whole UGX. */
export const computeResidual = (charge: Pick<Charge, 'amount' | 'giftCardAmount' | 'fee' | 'shares'>) =>
  computeNet(charge) - (charge.shares ?? 0)

/** Formats a charge for the API. */
export function presentCharge(charge: ChargeFacts): ChargeView {
  const view = presentWithoutSplit(charge)
  if (charge.split) view.split = presentSplit(charge, charge.split, computeResidual(charge))
  else assert((charge.shares ?? null) === null, 'a split charge is shown with its shares')
  return view
}

const isoOrNull = (at: Date | null) => (at === null ? null : formatIsoTime(at))

function presentWithoutSplit(charge: ChargeFacts): ChargeView {
  return {
    id: charge.id,
    mode: charge.mode,
    status: charge.status,
    amount: charge.amount,
    fee: charge.fee,
    net: computeNet(charge),
    gift_card_amount: charge.giftCardAmount,
    currency: 'UGX',
    channel: charge.channel as ChargeView['channel'],
    reference: charge.reference,
    rail_reference: charge.railReference,
    rail_transaction_id: charge.railTransactionId,
    failure_reason: charge.failureReason,
    payment_link_id: charge.paymentLinkId,
    refund_id: charge.refundId,
    created_at: formatIsoTime(charge.createdAt),
    completed_at: isoOrNull(charge.completedAt),
    refunded_at: isoOrNull(charge.refundedAt),
    settled: charge.settledAt !== null,
    available_on: isoOrNull(availableOn(charge)),
  }
}

/** The data of charge.succeeded and charge.failed (contract.md section 5), keys in the order of canonical JSON. */
export function chargeEventData(charge: ChargeFacts): Record<string, unknown> {
  const view = presentCharge(charge)
  return {
    amount: view.amount,
    available_on: view.status === 'failed' ? null : view.available_on,
    channel: view.channel,
    completed_at: view.completed_at,
    created_at: view.created_at,
    currency: view.currency,
    failure_reason: view.failure_reason,
    fee: view.fee,
    gift_card_amount: view.gift_card_amount,
    id: view.id,
    merchant_reference: view.reference,
    mode: view.mode,
    net: view.net,
    payment_link_id: view.payment_link_id,
    rail_reference: view.rail_reference,
    reference: view.reference,
    settled: view.settled,
    split: view.split && splitEventData(view.split),
    status: view.status,
  }
}

/** Returns when the net is, or will be, in the available balance; null for a charge that did not succeed. */
export function availableOn(charge: ChargeFacts): Date | null {
  if (charge.status !== 'succeeded' && charge.status !== 'refunded') return null
  return charge.settledAt ?? charge.holdUntil
}
