import type { App } from '../app.ts'
import type { Call } from '../platform/db/database.ts'
import { againWhileAway } from '../platform/db/while-away.ts'
import { isCurrentPost } from '../rails/attempt-facts.ts'
import { addEvidence, countQuestion, moveAttempt, refuseRepost, sendAttempt } from '../rails/attempts.ts'
import type { ChargeFailure, Evidence, Submitted } from '../rails/rail.ts'
import { type Followed, followLater } from './ask-about-charge.ts'
import { lockChargePosts } from './lock-charge-posts.ts'
import { LIVE_SENDING_MS } from './new-charge.ts'
import { isLostCharge } from './repost-times.ts'
import { askToCollect, attemptNameOf, KEPT_MS } from './submit-live-charge.ts'
import { publishCharge } from './write-charge-status.ts'

const READINESS_WAIT_MS = 2000

/**
 * Posts again a charge that the operator does not know: the same reference, through the same contract, within its window
 * (rails.md 4.5). False when it may not be posted now; then the questions go on. `notFound` is the answer that led here.
 */
export async function repostCharge(app: App, charge: Followed, notFound: Evidence): Promise<boolean> {
  const rail = app.rails.live[charge.channel as keyof typeof app.rails.live]
  if (!rail?.collect) return false
  const ready = await rail.readiness('collect', app.deadlineIn(READINESS_WAIT_MS), charge.installation)
  if (ready.kind !== 'ready') return false
  const nth = await markAsSending(app, charge, notFound)
  if (nth === null) return false
  const heard = await askToCollect(app, { charge, installation: charge.installation })
  await againWhileAway(() => record(app, { charge, nth }, heard), KEPT_MS)
  return true
}

/** Committed before the post leaves. Null when another process has sent or ended it, or got an answer. */
function markAsSending(app: App, charge: Followed, notFound: Evidence): Promise<number | null> {
  const attempt = attemptNameOf(charge, charge.installation)
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockChargePosts([charge]))
    const now = app.clock.now()
    if (!locked?.open || locked.nth !== charge.nth || !isLostCharge(locked, now.getTime()))
      return { value: null }
    const [, [sent]] = await tx.send(
      countQuestion(attempt, 'not_sent', now),
      sendAttempt(attempt, charge.installation, now),
    )
    const lease = followLater(charge, new Date(now.getTime() + LIVE_SENDING_MS))
    return { value: sent?.nth ?? null, last: [lease, addEvidence(attempt, 'not_found', notFound)] }
  })
}

type Reposted = { charge: Followed; nth: number }

/** The answer is about this post only, and counts only if no other was sent since (rails.md 4.5). */
async function record(app: App, { charge, nth }: Reposted, heard: Submitted<ChargeFailure>): Promise<void> {
  const attempt = attemptNameOf(charge, charge.installation)
  const evidence = addEvidence(attempt, heard.kind, heard.evidence)
  await app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockChargePosts([charge]))
    const current = locked?.open === true && isCurrentPost(locked, nth)
    if (!current) return { value: null, last: [evidence] }
    return { value: null, last: [publishCharge(app, charge), afterPost(attempt, heard), evidence] }
  })
}

function afterPost(attempt: ReturnType<typeof attemptNameOf>, heard: Submitted<ChargeFailure>): Call {
  switch (heard.kind) {
    case 'accepted':
      return moveAttempt(attempt, 'accepted', null)
    case 'rejected':
      return refuseRepost(attempt, heard.reason)
    case 'ambiguous':
    case 'unavailable':
      return moveAttempt(attempt, 'in_doubt', null)
  }
}
