import type { App } from '../../app.ts'
import { finishKey, freeKey } from '../../idempotency/keys.ts'
import { finishOrphans, type Orphan } from '../../idempotency/orphans.ts'
import type { Call } from '../../platform/db/database.ts'
import { type AnsweredClaim, directRefusal, lockAnswered, presentDispense } from './direct-answer.ts'
import { releaseUnsent } from './move-claim.ts'

// A command may take 30 s; by then the process that reserved the key has recorded the answer, or is gone.
const ORPHANED_AFTER_MS = 40_000

/**
 * Finishes the keys that a process left behind when it died over a direct dispense (G58): for a command that may have left
 * the key gets the answer it would have had; for one that was refused or never sent, key and charge are freed. Answers how
 * many.
 */
export function finishDispenseKeys(app: App): Promise<number> {
  const left = { prefix: 'dclm_', afterMs: ORPHANED_AFTER_MS }
  return finishOrphans(app, left, (orphan) => finishOne(app, orphan))
}

function finishOne(app: App, orphan: Orphan): Promise<null> {
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[claim]] = await tx.send(lockAnswered({ merchantId: orphan.merchantId, id: orphan.objectId }))
    if (!claim) return { value: null, last: [freeKey(orphan)] }
    return { value: null, last: endOf(orphan, claim, app.clock.now()) }
  })
}

function endOf(orphan: Orphan, claim: AnsweredClaim, at: Date): Call[] {
  if (claim.state === 'claimed') return [releaseUnsent(claim, at), freeKey(orphan)]
  if (directRefusal(claim) !== null) return [freeKey(orphan)]
  return [finishKey(orphan, { status: 200, body: JSON.stringify(presentDispense(claim)) })]
}
