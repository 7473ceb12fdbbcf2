import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import {
  followMovement,
  type LiveFollower,
  liveFollower,
  QUESTION_DEADLINE_MS,
} from '../../rails/following/follow-live.ts'
import { hasLiveRail } from '../../rails/live-rails.ts'
import { CHARGE_MOVER, type DueCharge, type FollowedCharge } from './charge-mover.ts'
import { takeDueTestCharges } from './due-test-charges.ts'
import { LIVE_CHARGE_CLAIMS, type OpenChargeFacts } from './write-charge-status.ts'

/**
 * How many test charges one run takes. Those that become due meanwhile are left for the next run, because few large batches
 * cost less than many small ones.
 */
export const TEST_CHARGES_PER_RUN = 1000

/**
 * Asks the rail about every open charge that is due, and finishes those with a final answer (rails.md section 4). Nothing else
 * finishes a charge: not its age, not silence, not `not_found`. Live questions never delay the sandbox.
 */
export function chargeFollower(app: App): LiveFollower {
  const live = liveFollower(app, CHARGE_MOVER, LIVE_CHARGE_CLAIMS)
  return {
    async start() {
      const { kept, read } = await takeDueTestCharges(app, TEST_CHARGES_PER_RUN)
      crashPoint('charge.sandbox-due')
      const started = hasLiveRail(app) ? await live.start() : 0
      // The sandbox makes no call, so one deadline serves all its rows.
      const deadline = app.deadlineIn(QUESTION_DEADLINE_MS)
      const following: Promise<boolean>[] = []
      for (const charge of kept)
        following.push(followMovement(app, CHARGE_MOVER, { row: buildFollowedTestCharge(charge, charge), deadline }))
      for (const charge of read)
        following.push(followMovement(app, CHARGE_MOVER, { row: buildFollowedTestCharge(charge), deadline }))
      const written = await Promise.all(following)
      return written.filter(Boolean).length + started
    },
    stop: live.stop,
  }
}

/**
 * Fills in the facts of an attempt, which a test charge does not have. Written field by field, because every test payment passes here:
 * fields that are spread into an object are set one by one, outside of it.
 */
function buildFollowedTestCharge(charge: DueCharge, facts: OpenChargeFacts | null = null): FollowedCharge {
  return {
    merchantId: charge.merchantId,
    id: charge.id,
    mode: charge.mode,
    amount: charge.amount,
    giftCardAmount: charge.giftCardAmount,
    channel: charge.channel,
    phone: charge.phone,
    reference: charge.reference,
    railReference: charge.railReference,
    createdAt: charge.createdAt,
    facts,
    installation: 'sandbox',
    state: 'accepted',
    nth: 0,
    reposts: 0,
    firstSentAt: null,
    sendingSince: null,
    submitEndedAt: null,
    questionCount: 0,
    notFoundCount: 0,
    firstNotFoundAt: null,
    refusedAs: null,
    refusalToConfirm: false,
    callbackSeenAt: null,
    lastAnswer: null,
    tag: '',
  }
}
