import type { App } from '../app.ts'
import { lockHeads } from '../ledger/book.ts'
import { lockStops } from '../merchants/payout-freeze.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Call } from '../platform/db/database.ts'
import { addEvidence, countQuestion, moveAttempt, refuseRepost, sendAttempt } from '../rails/attempts.ts'
import type { PayoutFailure, Submitted } from '../rails/rail.ts'
import { movePayout } from './move-payout.ts'
import { payoutReadiness } from './payout-readiness.ts'
import { stopOf } from './payout-stops.ts'
import { type DuePayout, lookLater } from './send-payouts.ts'
import { askToPay, publishPayout } from './submit-live-payout.ts'

const SECOND = 1000
// How long a payout waits after the rail could not take it: the first tries, then every five minutes (rails.md 4.6).
const WAITS_MS = [5 * SECOND, 15 * SECOND, 30 * SECOND, 60 * SECOND]
const LATER_WAITS_MS = 300 * SECOND
// What only a person can cure is tried less often.
const PERSON_WAIT_MS = 900 * SECOND
// A freeze or a pause holds a queued payout back; nothing is returned, it is looked at again.
const STOPPED_WAIT_MS = 15 * SECOND

/**
 * Sends a live payout that waits in the queue: stops judged again, marked as on its way in a commit of its own, then
 * submitted. It is sent until the operator takes or refuses this transfer; serving trouble never fails it (G14e).
 */
export async function sendQueued(app: App, payout: DuePayout): Promise<boolean> {
  const readiness = await payoutReadiness(app, payout.mode, payout.channel)
  if (readiness.kind === 'unavailable') {
    await write(app, [countQuestion(attemptOf(payout), null, null)])
    await lookLater(app, payout, readiness.cure === 'wait' ? waitFor(payout) : PERSON_WAIT_MS)
    if (readiness.cure === 'person') app.log.error({ object_id: payout.id }, `payouts wait: ${readiness.why}`)
    return false
  }
  const marked = await markAsSending(app, payout, readiness.installation)
  if (marked === 'stopped') await lookLater(app, payout, STOPPED_WAIT_MS)
  if (marked !== 'sending') return false
  crashPoint('payout.reserved')
  const heard = await askToPay(app, payout, readiness.installation)
  await record(app, payout, heard)
  return true
}

const waitFor = ({ questionCount }: DuePayout) => WAITS_MS[questionCount] ?? LATER_WAITS_MS

const attemptOf = ({ merchantId, railReference }: DuePayout) => ({ merchantId, reference: railReference })

/** After the freeze or the pause has committed, nothing more is marked as on its way. */
async function markAsSending(
  app: App,
  payout: DuePayout,
  installation: string,
): Promise<'sending' | 'stopped' | 'taken'> {
  const { merchantId, mode } = payout
  return app.db.transaction(async (tx) => {
    const [[stops], [head]] = await tx.send(lockStops(), lockHeads([{ merchantId, mode }]))
    if (!head || stopOf({ mode, frozenFor: stops?.frozenFor ?? null, head }) !== null)
      return { value: 'stopped' }
    const [sent] = await tx.send(sendAttempt(attemptOf(payout), installation, app.clock.now()))
    return { value: sent.length === 0 ? 'taken' : 'sending' }
  })
}

async function record(app: App, payout: DuePayout, heard: Submitted<PayoutFailure>): Promise<void> {
  const attempt = attemptOf(payout)
  const evidence = addEvidence(attempt, heard.kind, heard.evidence)
  const now = app.clock.now()
  // What is answered to a repeated post says something about that post only (rails.md 4.5).
  const repeated = payout.notFoundCount > 0 || payout.reposts > 0
  // The questions go on as they were: a repeated post does not make the payout young again.
  const endedAt = repeated ? null : now
  switch (heard.kind) {
    case 'accepted':
      return write(app, [
        publishPayout(app, payout, false),
        moveAttempt(attempt, 'accepted', endedAt),
        evidence,
      ])
    case 'ambiguous':
      return write(app, [
        publishPayout(app, payout, true),
        moveAttempt(attempt, 'in_doubt', endedAt),
        evidence,
      ])
    case 'rejected':
      if (repeated)
        return write(app, [publishPayout(app, payout, true), refuseRepost(attempt, heard.reason), evidence])
      await movePayout(app, {
        payout,
        to: { status: 'failed', reason: heard.reason },
        alongside: [evidence, moveAttempt(attempt, 'ended', now)],
      })
      return
    case 'unavailable':
      await write(app, [countQuestion(attempt, repeated ? 'in_doubt' : 'not_sent', null), evidence])
      return lookLater(app, payout, heard.cure === 'wait' ? waitFor(payout) : PERSON_WAIT_MS)
  }
}

async function write(app: App, calls: Call[]): Promise<void> {
  await app.db.transaction(async (tx) => {
    await tx.send(...calls)
    return { value: null }
  })
}
