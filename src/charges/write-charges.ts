import { numbers, times, words } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { lastNine } from '../platform/phone.ts'
import type { Charge, ChargeFacts } from './charge.ts'

/** A charge about to be stored: sandbox rows are born published, live ones once the rail has answered. */
export type NewCharge = Charge & { published: boolean; followAt: Date }

const COLUMNS = `merchant_id, id, mode, status, amount, fee, channel, phone, phone9, email, reference, rail_reference,
  published, created_at, follow_at`
const VALUES = `$1::bigint[], $2::text[], $3::mode[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],
  $9::text[], $10::text[], $11::text[], $12::text[], $13::boolean[], $14::timestamptz[], $15::timestamptz[]`
const ADD_CHARGES = statement(
  'add charges',
  `insert into charges (${COLUMNS}) select * from unnest(${VALUES})`,
)
// For a batch that holds a split charge: the others do not pay for a column that they leave empty.
const ADD_SPLIT_CHARGES = statement(
  'add split charges',
  `insert into charges (${COLUMNS}, shares) select * from unnest(${VALUES}, $16::bigint[])`,
)

export function addCharges(charges: readonly NewCharge[]): Call[] {
  if (charges.length === 0) return []
  const split = charges.some((one) => one.split !== undefined)
  return [
    call(
      split ? ADD_SPLIT_CHARGES : ADD_CHARGES,
      numbers(charges.map((one) => one.merchantId)),
      words(charges.map((one) => one.id)),
      words(charges.map((one) => one.mode)),
      words(charges.map((one) => one.status)),
      numbers(charges.map((one) => one.amount)),
      numbers(charges.map((one) => one.fee)),
      words(charges.map((one) => one.channel)),
      words(charges.map((one) => one.phone)),
      words(charges.map((one) => (one.phone === null ? null : lastNine(one.phone)))),
      charges.map((one) => one.email),
      charges.map((one) => one.reference),
      words(charges.map((one) => one.railReference)),
      charges.map((one) => one.published),
      times(charges.map((one) => one.createdAt)),
      times(charges.map((one) => one.followAt)),
      ...(split ? [numbers(charges.map((one) => one.shares))] : []),
    ),
  ]
}

/** The end of an open charge: what the compare-and-set writes. Everything about the hold is fixed here, once (CH9). */
export type ChargeEnd = {
  merchantId: number
  id: string
  status: 'succeeded' | 'failed'
  failureReason: string | null
  railTransactionId: string | null
  holdUntil: Date | null
  settledAt: Date | null
  settlementId: string | null
}

type EndedRow = Omit<
  ChargeFacts,
  | 'failureReason'
  | 'railTransactionId'
  | 'refundId'
  | 'completedAt'
  | 'refundedAt'
  | 'holdUntil'
  | 'settledAt'
  | 'split'
>

const END_CHARGES = statement<EndedRow>(
  'end charges',
  `update charges c set status = n.status, failure_reason = n.failure_reason, rail_transaction_id = n.rail_transaction_id,
     completed_at = $9, follow_at = null, published = true, hold_until = n.hold_until, settled_at = n.settled_at,
     settlement_id = n.settlement_id
   from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[])
     as n (merchant_id, id, status, failure_reason, rail_transaction_id, hold_until, settled_at, settlement_id)
   where c.merchant_id = n.merchant_id and c.id = n.id and c.status in ('pending', 'authorized') and c.voided_at is null
   returning c.merchant_id as "merchantId", c.id, c.mode, c.status, c.amount, c.fee,
     c.gift_card_amount as "giftCardAmount", c.shares, c.channel, c.reference, c.rail_reference as "railReference",
     c.payment_link_id as "paymentLinkId", c.created_at as "createdAt"`,
)

/** What the end of a split charge has made of it. */
export type SplitCorrection = {
  merchantId: number
  id: string
  shares: number
  settlementId: string | null
}

const CORRECT_SPLITS = statement(
  'correct split charges',
  `update charges c set shares = n.shares, settlement_id = n.settlement_id
   from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[]) as n (merchant_id, id, shares, settlement_id)
   where c.merchant_id = n.merchant_id and c.id = n.id`,
)

/** In the transaction that ended them: a share has moved to the merchant, or nothing is left to settle. */
export function correctSplits(corrections: readonly SplitCorrection[]): Call[] {
  if (corrections.length === 0) return []
  return [
    call(
      CORRECT_SPLITS,
      numbers(corrections.map((one) => one.merchantId)),
      words(corrections.map((one) => one.id)),
      numbers(corrections.map((one) => one.shares)),
      words(corrections.map((one) => one.settlementId)),
    ),
  ]
}

/** Ends the charges that are still open and answers with those rows; the others were ended by somebody else first. */
export function endCharges(ends: readonly ChargeEnd[], at: Date): Call<EndedRow> {
  return call(
    END_CHARGES,
    numbers(ends.map((one) => one.merchantId)),
    words(ends.map((one) => one.id)),
    words(ends.map((one) => one.status)),
    words(ends.map((one) => one.failureReason)),
    ends.map((one) => one.railTransactionId),
    times(ends.map((one) => one.holdUntil)),
    times(ends.map((one) => one.settledAt)),
    words(ends.map((one) => one.settlementId)),
    at.toISOString(),
  )
}

/**
 * The whole charge after its end: what the row keeps and what has just been written to it. Field by field, for every payment
 * passes here and spreading an object costs several times as much.
 */
export function endedCharge(row: EndedRow, end: ChargeEnd, at: Date): ChargeFacts {
  return {
    merchantId: row.merchantId,
    id: row.id,
    mode: row.mode,
    status: row.status,
    amount: row.amount,
    fee: row.fee,
    giftCardAmount: row.giftCardAmount,
    shares: row.shares,
    channel: row.channel,
    reference: row.reference,
    railReference: row.railReference,
    railTransactionId: end.railTransactionId,
    failureReason: end.failureReason,
    paymentLinkId: row.paymentLinkId,
    refundId: null,
    createdAt: row.createdAt,
    completedAt: at,
    refundedAt: null,
    holdUntil: end.holdUntil,
    settledAt: end.settledAt,
  }
}
