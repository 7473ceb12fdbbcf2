import type { App } from '../../app.ts'
import type { Answer } from '../../http/caller.ts'
import { errorBody } from '../../http/errors.ts'
import { finishKey, freeKey, type HeldKey } from '../../idempotency/keys.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Mark } from '../../platform/mark.ts'
import type { Spent } from '../../platform/spent.ts'
import { addEvidence, endAttempt } from '../../rails/attempts.ts'
import type { PayoutFailure, Unavailable } from '../../rails/rail.ts'
import { firstPost, newsOf, publishMovement, type Submission, submitMovement } from '../../rails/submit.ts'
import { movePayout } from '../move-payout.ts'
import { AMBIGUOUS, type Payout, presentPayout } from '../payout.ts'
import { unavailableRail } from '../payout-rules.ts'
import { PAYOUT_MOVER } from './payout-mover.ts'

/** A stored live payout, when it was marked as sending, the contract that will carry it, and the key that waits for its answer. */
type Stored = {
  payout: Payout
  mark: Mark
  installation: string
  owner: HeldKey
  requestId: string
  spent?: Spent | null
}
type PayoutSubmission = Submission<Payout, PayoutFailure>

/**
 * Asks the rail to pay a stored live payout, outside any transaction, and records the answer (rails.md 3.8). Answers 201,
 * or throws: 503 when nothing was taken and nothing remains, 400 (kept under the key) when the rail will not serve us.
 */
export function submitLivePayout(app: App, stored: Stored): Promise<Answer> {
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
    notTaken: async (_, heard, parked) => {
      // After its 201 the payout exists and is sent again until the rail accepts or refuses it (rails.md 3.8 rule 3).
      const shown = parked
        ? await publishMovement(app, work, newsOf(app, work, { to: 'not_taken', heard }))
        : null
      return shown ?? takeBack(app, work, { ...stored, heard })
    },
  }
  return submitMovement(app, work)
}

/** The 201 of a live payout: never a final state. */
function firstAnswer(payout: Payout, inDoubt: boolean): Answer & { objectId: string } {
  const seen = {
    ...payout,
    status: 'authorized' as const,
    failureReason: inDoubt ? (AMBIGUOUS as typeof AMBIGUOUS) : null,
  }
  return { status: 201, body: JSON.stringify(presentPayout(seen)), objectId: payout.id }
}

/** Takes the payout back: it was never shown, and the rail proved that it took nothing (3 j). */
async function takeBack(
  app: App,
  work: PayoutSubmission,
  { payout, owner, requestId, heard }: Stored & { heard: Unavailable },
): Promise<Answer> {
  const refusal = unavailableRail(heard)
  const kept = { status: refusal.status, body: errorBody(refusal, requestId) }
  const key = refusal.stored ? finishKey(owner, kept) : freeKey(owner)
  const post = firstPost(work)
  const evidence = addEvidence(post, heard.kind, heard.evidence)
  const at = app.clock.now()
  const moved = await movePayout(app, {
    payout,
    to: { status: 'voided' },
    alongside: [key, evidence, endAttempt(post, { state: 'void', at, submitEndedAt: at })],
  })
  // `same`: its own commit happened and the answer was lost. Otherwise it was shown in the meantime: it exists, and the
  // sweep sends it again.
  const answer =
    moved === 'shown' ? await publishMovement(app, work, newsOf(app, work, { to: 'not_taken', heard })) : null
  if (answer !== null) return answer
  crashPoint('payout.returned')
  // A rate-limit place that is not given back does no harm; the refusal must reach the caller.
  if (refusal.status < 500)
    await app.exactWindows.payouts.giveBack(payout, payout.createdAt.getTime()).catch(() => {})
  if (refusal.stored) return { ...kept, objectId: null }
  throw refusal
}
