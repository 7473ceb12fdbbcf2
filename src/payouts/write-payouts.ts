import type { App } from '../app.ts'
import { bigint, boolean, copyInto, integer, mode, text, time } from '../platform/db/copy.ts'
import type { Call } from '../platform/db/database.ts'
import { addAttempts, type NewAttempt } from '../rails/attempts.ts'
import type { NewPayout } from './new-payout.ts'

const PAYOUTS = copyInto<NewPayout>('add payouts', 'payouts', {
  merchant_id: bigint((one) => one.merchantId),
  id: text((one) => one.id),
  mode: mode((one) => one.mode),
  kind: text((one) => one.kind),
  status: text((one) => one.status),
  amount: bigint((one) => one.amount),
  fee: bigint((one) => one.fee),
  channel: text((one) => one.channel),
  recipient_phone: text((one) => one.recipientPhone),
  recipient_name: text((one) => one.recipientName),
  reference: text((one) => one.reference),
  rail_reference: text((one) => one.railReference),
  charge_id: text((one) => one.chargeId),
  batch_id: text((one) => one.batchId),
  schedule_id: text((one) => one.scheduleId),
  cycle_at: time((one) => one.cycleAt),
  item_index: integer((one) => one.itemIndex),
  subaccount_id: text((one) => one.subaccountId),
  fee_to_return: bigint((one) => one.feeToReturn),
  sandbox_outcome: text((one) => one.sandboxOutcome),
  published: boolean((one) => one.published),
  created_at: time((one) => one.createdAt),
  follow_at: time((one) => one.followAt),
  in_queue: boolean((one) => one.mode === 'live' && attemptStateOf(one) === 'queued'),
})

/** Stores payouts; `installation` is the contract for those that are sent at once (single live ones). */
export function addPayouts(
  app: App,
  payouts: readonly NewPayout[],
  installations: readonly string[] = [],
): Call[] {
  return [
    ...PAYOUTS.rows(payouts),
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
