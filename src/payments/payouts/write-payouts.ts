import type { Call } from '../../platform/db/database.ts'
import { bigint, boolean, copyInto, integer, mode, text, time } from '../../platform/db/wire/copy.ts'
import type { App } from '../../program/app.ts'
import { addAttempts, type NewAttempt } from '../../rails/attempts.ts'
import type { NewPayout } from './new-payout.ts'

const PAYOUTS = copyInto<NewPayout>('add payouts', 'payouts', {
  merchant_id: bigint((payout) => payout.merchantId),
  id: text((payout) => payout.id),
  mode: mode((payout) => payout.mode),
  kind: text((payout) => payout.kind),
  status: text((payout) => payout.status),
  amount: bigint((payout) => payout.amount),
  fee: bigint((payout) => payout.fee),
  channel: text((payout) => payout.channel),
  recipient_phone: text((payout) => payout.recipientPhone),
  recipient_name: text((payout) => payout.recipientName),
  reference: text((payout) => payout.reference),
  rail_reference: text((payout) => payout.railReference),
  charge_id: text((payout) => payout.chargeId),
  batch_id: text((payout) => payout.batchId),
  schedule_id: text((payout) => payout.scheduleId),
  cycle_at: time((payout) => payout.cycleAt),
  item_index: integer((payout) => payout.itemIndex),
  subaccount_id: text((payout) => payout.subaccountId),
  fee_to_return: bigint((payout) => payout.feeToReturn),
  sandbox_outcome: text((payout) => payout.sandboxOutcome),
  published: boolean((payout) => payout.published),
  created_at: time((payout) => payout.createdAt),
  follow_at: time((payout) => payout.followAt),
  in_queue: boolean((payout) => payout.mode === 'live' && firstAttemptState(payout) === 'queued'),
})

/** Stores payouts with their attempts. `installations` has, by index, the installation of those that are sent at once (single live ones). */
export function addPayouts(app: App, payouts: readonly NewPayout[], installations: readonly string[] = []): Call[] {
  return [
    ...PAYOUTS.rows(payouts),
    ...addAttempts(
      app,
      payouts.flatMap((payout, index) => buildAttempts(payout, installations[index])),
    ),
  ]
}

/** Builds the attempt of a live payout; a test payout has none, because the sandbox needs only its row. */
function buildAttempts(payout: NewPayout, installation: string | undefined): NewAttempt[] {
  if (payout.mode === 'test') return []
  return [
    {
      merchantId: payout.merchantId,
      reference: payout.railReference,
      subject: payout.id,
      side: 'disburse',
      channel: payout.channel,
      installation: installation ?? '',
      state: firstAttemptState(payout),
      at: payout.createdAt,
    },
  ]
}

/** A single payout is sent by the request that creates it; the others wait in the queue. */
const firstAttemptState = ({ kind }: NewPayout) => (kind === 'payout' ? 'sending' : 'queued')
