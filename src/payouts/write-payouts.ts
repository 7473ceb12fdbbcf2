import type { App } from '../app.ts'
import { callForRows } from '../platform/db/columns.ts'
import type { Call } from '../platform/db/database.ts'
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
export function addPayouts(
  app: App,
  payouts: readonly NewPayout[],
  installations: readonly string[] = [],
): Call[] {
  return [
    ...callForRows(ADD_PAYOUTS, payouts, (each) => [
      ...each.numbers('merchantId'),
      ...each.words('id', 'mode', 'kind', 'status'),
      ...each.numbers('amount', 'fee'),
      ...each.words('channel', 'recipientPhone'),
      ...each.values('recipientName', 'reference'),
      ...each.words('railReference', 'chargeId', 'batchId', 'scheduleId'),
      ...each.times('cycleAt'),
      ...each.numbers('itemIndex'),
      ...each.words('subaccountId'),
      ...each.numbers('feeToReturn'),
      ...each.words('sandboxOutcome'),
      ...each.values('published'),
      ...each.times('createdAt', 'followAt'),
      payouts.map((one) => one.mode === 'live' && attemptStateOf(one) === 'queued'),
    ]),
    ...addAttempts(
      app,
      payouts.flatMap((one, index) => attemptOf(one, installations[index])),
    ),
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
