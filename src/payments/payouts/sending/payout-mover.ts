import { readMerchantName } from '../../../merchants/account/merchant-names.ts'
import { unnestColumns } from '../../../platform/db/columns.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import type { App } from '../../../program/app.ts'
import type { AttemptFacts } from '../../../rails/attempt-facts.ts'
import { attemptNotTaken } from '../../../rails/attempts.ts'
import { callAtTime } from '../../../rails/call-at-time.ts'
import { ladderFor } from '../../../rails/following/ladders.ts'
import type { MarkedPost, Mover } from '../../../rails/mover.ts'
import { nextQuestionAt, payoutReposts, repostTimesFor } from '../../../rails/posting/repost-times.ts'
import type { Attempt, PayoutFailure, Unavailable } from '../../../rails/rail.ts'
import { openException } from '../../exceptions/exception.ts'
import { movePayout } from '../move-payout.ts'
import { AMBIGUOUS_REASON, type Payout } from '../payout.ts'
import { findPayingRail } from '../payout-readiness.ts'
import { publishPayout, showAndSetNextQuestion } from '../write-payout-status.ts'
import { queueWaitMs } from './queue-waits.ts'

/** A payout, and in test mode the end that was asked for it (rails.md 2.4). */
type TravellingPayout = Payout & { sandboxOutcome?: Attempt['sandboxOutcome'] | null; sandboxSeconds?: number | null }

const SET_FOLLOW_AT = statement(
  'look at payout later',
  `update payouts set follow_at = $3 where merchant_id = $1 and id = $2 and follow_at is not null`,
)

/** Sets when the payout is taken up next, to be sent or asked about, as long as it is open. */
export const setFollowAt = ({ merchantId, id }: Pick<Payout, 'merchantId' | 'id'>, at: Date): Call =>
  call(SET_FOLLOW_AT, merchantId, id, at.toISOString())

const BRING_FORWARD = statement(
  'look at payouts sooner',
  `update payouts p set follow_at = least(p.follow_at, n.follow_at)
   from ${unnestColumns('bigint', 'text', 'timestamptz')} as n (merchant_id, id, follow_at)
   where p.merchant_id = n.merchant_id and p.id = n.id and p.follow_at is not null`,
)

/** Brings that time forward to `at`, as long as the payout is open; never postpones it. */
export const bringPayoutForward = ({ merchantId, id }: Pick<Payout, 'merchantId' | 'id'>, at: Date): Call =>
  callAtTime(BRING_FORWARD, { merchantId, id }, at)

/** What `rails/` needs to submit payouts, to ask about them and to finish them. */
export const PAYOUT_MOVER: Mover<TravellingPayout, PayoutFailure> = {
  noun: 'payout',
  side: 'disburse',
  findMovementRail: (app, payout) => findPayingRail(app, payout.mode, payout.channel)?.disburse,
  buildAttempt,
  readNote: (app, { merchantId }) => readMerchantName(app, merchantId),
  publish: publishPayout,
  setFollowAt,
  // A payout whose submit has no recorded end is shown to the merchant from now on, with the ambiguous reason.
  setNextQuestion: (payout, at, unheard) =>
    showAndSetNextQuestion(payout, { at, reason: unheard ? AMBIGUOUS_REASON : null }),
  finish: (app, payout, move) => movePayout(app, { payout, ...move }),
  openException,
  reposts: payoutReposts,
  repost: 'through the queue',
  // Where the fault is ours the refusal is not kept, and the payout is sent again.
  keepsRefusal: ({ ourFault }) => !ourFault,
  postNotTaken,
  crash: {
    sent: () => crashPoint('payout.rail-sent'),
    answered: () => crashPoint('payout.rail-answered'),
    refusalKept: () => crashPoint('payout.no-kept'),
  },
}

function buildAttempt(payout: TravellingPayout, installation: string): Attempt {
  return {
    reference: payout.railReference,
    installation,
    publicId: payout.id,
    amount: payout.amount,
    currency: 'UGX',
    phone: payout.recipientPhone,
    note: '',
    callbackPath: null,
    createdAt: payout.createdAt,
    ...(payout.sandboxOutcome ? { sandboxOutcome: payout.sandboxOutcome } : {}),
    ...(payout.sandboxSeconds == null ? {} : { sandboxSeconds: payout.sandboxSeconds }),
  }
}

/** Writes for a post that was not taken: the payout stays in the queue, or in doubt if an earlier post may have left; then its questions are not postponed. */
function postNotTaken(
  app: App,
  { row: payout, post, repeated }: MarkedPost<TravellingPayout & AttemptFacts>,
  { cure }: Unavailable,
): Call[] {
  const now = app.clock.now()
  const nowMs = now.getTime()
  const tryAt = nowMs + queueWaitMs(payout, cure)
  const next = repeated
    ? Math.min(
        tryAt,
        nextQuestionAt(repostTimesFor(app, PAYOUT_MOVER, payout), payout, {
          ladder: ladderFor(app, payout),
          nowMs,
          notFound: false,
        }),
      )
    : tryAt
  return [setFollowAt(payout, new Date(next)), attemptNotTaken(post, now)]
}
