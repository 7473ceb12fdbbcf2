import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { bigint, boolean, copyInto, integer, text, time } from '../../platform/db/wire/copy.ts'
import type { App } from '../../program/app.ts'
import { addAttempts, type NewAttempt } from '../../rails/attempts.ts'
import { isTooFarAheadSql } from '../../rails/following/questions-too-far-ahead.ts'
import { forgetByCharges } from '../charges/forget-payer.ts'
import type { NewPayout } from './new-payout.ts'
import { PAYOUT_WRITERS } from './payout.ts'

const PAYOUTS = copyInto<NewPayout>('add payouts', 'payouts', {
  ...PAYOUT_WRITERS,
  cycle_at: time((payout) => payout.cycleAt),
  item_index: integer((payout) => payout.itemIndex),
  fee_to_return: bigint((payout) => payout.feeToReturn),
  sandbox_outcome: text((payout) => payout.sandboxOutcome),
  limited_key: text((payout) => payout.limitedKey),
  published: boolean((payout) => payout.published),
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

/**
 * Makes payouts due now whose next question was put too far ahead. A queued payout waits for up to an hour before it is posted again.
 * Index: payouts_due.
 */
export const SET_BACK_PAYOUTS = statement<{ id: string }>(
  'set back questions about payouts',
  `update payouts set follow_at = $1
   from (select p.merchant_id, p.id from payouts p where p.follow_at is not null and ${isTooFarAheadSql('p')}
       and (not p.in_queue or p.follow_at > $1::timestamptz + interval '75 minutes') limit $4 for no key update skip locked) far
   where payouts.merchant_id = far.merchant_id and payouts.id = far.id returning payouts.id`,
)

const RELEASE_WITHDRAWAL = statement(
  'release withdrawal',
  `update payouts set follow_at = $3 where merchant_id = $1 and id = $2 and kind = 'withdrawal' and status = 'pending'`,
)

/** Releases an approved withdrawal: from now on it is sent like any queued payout. */
export const releaseWithdrawal = (merchantId: number, id: string, at: Date): Call =>
  call(RELEASE_WITHDRAWAL, merchantId, id, at.toISOString())

/** Takes metadata off the payouts by which charges of a number were refunded. */
export const forgetRefunds = forgetByCharges('forget refunds of charges', {
  update: 'update payouts u set metadata = null',
  found: (charges) =>
    `select p.merchant_id, p.id from ${charges} join payouts p on p.merchant_id = c.merchant_id and p.id = c.refund_id
     where p.metadata is not null`,
})
