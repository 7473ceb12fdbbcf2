import type { Answer } from '../../../api/http/answer.ts'
import { writeErrorBody } from '../../../api/http/errors.ts'
import { finishKey, freeKey, type RunningKey } from '../../../api/idempotency/keys.ts'
import type { TimeSpent } from '../../../platform/log/spent.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import type { Moment } from '../../../platform/time/moment.ts'
import type { App } from '../../../program/app.ts'
import { endAttempt } from '../../../rails/attempts.ts'
import { addEvidence } from '../../../rails/evidence.ts'
import {
  buildNews,
  firstPost,
  publishMovement,
  type Submission,
  submitMovement,
} from '../../../rails/posting/submit.ts'
import type { PayoutFailure, Unavailable } from '../../../rails/rail.ts'
import { movePayout } from '../move-payout.ts'
import { AMBIGUOUS_REASON, type Payout, presentPayout } from '../payout.ts'
import { unavailableRail } from '../payout-rules.ts'
import { PAYOUT_MOVER } from './payout-mover.ts'

/** A stored live payout. `mark` is when it was marked as sending, `installation` will carry it, and `owner` is the key that waits for its answer. */
type StoredLivePayout = {
  payout: Payout
  mark: Moment
  installation: string
  owner: RunningKey
  requestId: string
  spent?: TimeSpent | null
}
type PayoutSubmission = Submission<Payout, PayoutFailure>

/**
 * Asks the rail to pay a stored live payout, outside any transaction, and records the answer (rails.md 3.8). Returns 201,
 * or throws: 503 when nothing was taken and nothing remains, 400 (kept under the key) when the rail will not serve us.
 */
export function submitLivePayout(app: App, stored: StoredLivePayout): Promise<Answer> {
  crashPoint('payout.reserved')
  const { payout, mark, installation, owner, spent = null } = stored
  const work: PayoutSubmission = {
    mover: PAYOUT_MOVER,
    row: payout,
    mark,
    installation,
    owner,
    spent,
    firstAnswer: (inDoubt) => firstAnswer(payout, inDoubt),
    refuseNotTaken: async (_, heard, parked) => {
      // After its 201 the payout exists and is sent again until the rail accepts or refuses it (rails.md 3.8 rule 3).
      const answer = parked ? await publishMovement(app, work, buildNews(app, work, { to: 'not_taken', heard })) : null
      return answer ?? takeBack(app, work, { ...stored, heard })
    },
  }
  return submitMovement(app, work)
}

/** Makes the 201 of a live payout, never with a final state. */
function firstAnswer(payout: Payout, inDoubt: boolean): Answer & { objectId: string } {
  const view = {
    ...payout,
    status: 'authorized' as const,
    failureReason: inDoubt ? (AMBIGUOUS_REASON as typeof AMBIGUOUS_REASON) : null,
  }
  return { status: 201, body: JSON.stringify(presentPayout(view)), objectId: payout.id }
}

/** Takes the payout back: it was never shown, and the rail proved that it took nothing (3 j). */
async function takeBack(
  app: App,
  work: PayoutSubmission,
  { payout, owner, requestId, heard }: StoredLivePayout & { heard: Unavailable },
): Promise<Answer> {
  const refusal = unavailableRail(heard)
  const refusalAnswer = { status: refusal.status, body: writeErrorBody(refusal, requestId) }
  const key = refusal.stored ? finishKey(owner, refusalAnswer) : freeKey(owner)
  const post = firstPost(work)
  const evidence = addEvidence(post, heard.kind, heard.evidence)
  const at = app.clock.now()
  const result = await movePayout(app, {
    payout,
    to: { status: 'voided' },
    alongside: [key, evidence, endAttempt(post, { state: 'void', at, submitEndedAt: at })],
  })
  // `same` means that its own commit happened and the answer was lost. `shown` means that it was shown in the meantime: it exists, and
  // the sweep sends it again.
  const answer =
    result === 'shown' ? await publishMovement(app, work, buildNews(app, work, { to: 'not_taken', heard })) : null
  if (answer !== null) return answer
  crashPoint('payout.returned')
  // A count of the rate limit that is not given back does no harm, but the refusal must reach the caller.
  if (refusal.status < 500) await app.exactWindows.payouts.giveBack(payout, payout.createdAt.getTime()).catch(() => {})
  if (refusal.stored) return { ...refusalAnswer, objectId: null }
  throw refusal
}
