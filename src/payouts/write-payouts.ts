import { numbers, times, words } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { addAttempts, type NewAttempt } from '../rails/attempts.ts'
import type { NewPayout } from './new-payout.ts'

const ADD_PAYOUTS = statement(
  'add payouts',
  `insert into payouts (merchant_id, id, mode, kind, status, amount, fee, channel, recipient_phone, recipient_name, reference,
     rail_reference, charge_id, batch_id, schedule_id, cycle_at, item_index, subaccount_id, fee_to_return, sandbox_outcome,
     published, created_at, follow_at, in_queue)
   select * from unnest($1::bigint[], $2::text[], $3::mode[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[],
     $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::timestamptz[], $17::int[],
     $18::text[], $19::bigint[], $20::text[], $21::boolean[], $22::timestamptz[], $23::timestamptz[], $24::boolean[])`,
)

/** Stores payouts; `installation` is the contract for those that are sent at once (single live ones). */
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

/** Live payouts only: for a test payout the sandbox needs nothing beyond its row. */
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

/** A single payout is sent by the request that creates it; the others wait in the queue. */
const attemptStateOf = ({ kind }: NewPayout) => (kind === 'payout' ? 'sending' : 'queued')
