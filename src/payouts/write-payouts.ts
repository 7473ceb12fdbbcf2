import { numbers, times, words } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { addAttempts, type NewAttempt } from '../rails/attempts.ts'
import type { NewPayout } from './new-payout.ts'
import { PAYOUT_COLUMNS, type Payout } from './payout.ts'

const ADD_PAYOUTS = statement(
  'add payouts',
  `insert into payouts (merchant_id, id, mode, kind, status, amount, fee, channel, recipient_phone, recipient_name, reference,
     rail_reference, charge_id, batch_id, schedule_id, cycle_at, item_index, subaccount_id, fee_to_return, sandbox_outcome,
     published, created_at, follow_at, in_queue)
   select * from unnest($1::bigint[], $2::text[], $3::mode[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[],
     $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::timestamptz[], $17::int[],
     $18::text[], $19::bigint[], $20::text[], $21::boolean[], $22::timestamptz[], $23::timestamptz[], $24::boolean[])`,
)

/** Stores payouts; `installation` is the contract that carries those which are on their way at once (single, live). */
export function addPayouts(payouts: readonly NewPayout[], installations: readonly string[] = []): Call[] {
  if (payouts.length === 0) return []
  return [
    call(
      ADD_PAYOUTS,
      numbers(payouts.map((one) => one.merchantId)),
      words(payouts.map((one) => one.id)),
      words(payouts.map((one) => one.mode)),
      words(payouts.map((one) => one.kind)),
      words(payouts.map((one) => one.status)),
      numbers(payouts.map((one) => one.amount)),
      numbers(payouts.map((one) => one.fee)),
      words(payouts.map((one) => one.channel)),
      words(payouts.map((one) => one.recipientPhone)),
      payouts.map((one) => one.recipientName),
      payouts.map((one) => one.reference),
      words(payouts.map((one) => one.railReference)),
      words(payouts.map((one) => one.chargeId)),
      words(payouts.map((one) => one.batchId)),
      words(payouts.map((one) => one.scheduleId)),
      times(payouts.map((one) => one.cycleAt)),
      numbers(payouts.map((one) => one.itemIndex)),
      words(payouts.map((one) => one.subaccountId)),
      numbers(payouts.map((one) => one.feeToReturn)),
      words(payouts.map((one) => one.sandboxOutcome)),
      payouts.map((one) => one.published),
      times(payouts.map((one) => one.createdAt)),
      times(payouts.map((one) => one.followAt)),
      payouts.map((one) => one.mode === 'live' && attemptStateOf(one) === 'queued'),
    ),
    ...addAttempts(payouts.flatMap((one, index) => attemptOf(one, installations[index]))),
  ]
}

/** Live movements only: a test one says all that the stateless sandbox asks for on its own row. */
function attemptOf(payout: NewPayout, installation: string | undefined): NewAttempt[] {
  if (payout.mode === 'test') return []
  return [
    {
      merchantId: payout.merchantId,
      reference: payout.railReference,
      subject: payout.id,
      side: 'disburse',
      channel: payout.channel,
      installation: installation ?? '',
      state: attemptStateOf(payout),
      at: payout.createdAt,
    },
  ]
}

/** A single payout is on its way with the request that makes it; the others wait until they are sent. */
const attemptStateOf = ({ kind }: NewPayout) => (kind === 'payout' ? 'sending' : 'queued')

/** The end of an open payout: what the compare-and-set writes. `voided`: taken back before anybody saw it. */
export type PayoutEnd = {
  merchantId: number
  id: string
  status: 'succeeded' | 'failed' | 'voided'
  failureReason: string | null
  railTransactionId: string | null
}

export type EndedPayout = Payout & { feeToReturn: number; voided: boolean }

// A payout that was voided stays `pending` and hidden; one that the merchant has been shown can no longer be voided.
const END_PAYOUTS = statement<EndedPayout>(
  'end payouts',
  `update payouts p set status = case n.status when 'voided' then p.status else n.status end,
     failure_reason = n.failure_reason, rail_transaction_id = n.rail_transaction_id,
     completed_at = case n.status when 'voided' then null else $6::timestamptz end,
     voided_at = case n.status when 'voided' then $6::timestamptz end,
     published = n.status <> 'voided', follow_at = null
   from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
     as n (merchant_id, id, status, failure_reason, rail_transaction_id)
   where p.merchant_id = n.merchant_id and p.id = n.id and p.status in ('pending', 'authorized') and p.voided_at is null
     and (n.status <> 'voided' or (p.status = 'pending' and not p.published))
   returning ${PAYOUT_COLUMNS}, p.fee_to_return as "feeToReturn", p.voided_at is not null as voided`,
)

/** Ends the payouts that are still open and answers with those rows; the others were ended by somebody else first. */
export function endPayouts(ends: readonly PayoutEnd[], at: Date): Call<EndedPayout> {
  return call(
    END_PAYOUTS,
    numbers(ends.map((one) => one.merchantId)),
    words(ends.map((one) => one.id)),
    words(ends.map((one) => one.status)),
    words(ends.map((one) => one.failureReason)),
    ends.map((one) => one.railTransactionId),
    at.toISOString(),
  )
}
