import { finishOrphans, type Orphan, type OrphanOutcome } from '../../../api/idempotency/orphans.ts'
import type { Tx } from '../../../platform/db/database.ts'
import type { App } from '../../../program/app.ts'
import { directRefusal, lockAnsweredClaim, presentDispense } from './direct-answer.ts'
import { releaseUnsent } from './move-claim.ts'

// A command takes 30 s at most: after this time, the process that reserved the key has recorded the answer, or is gone.
const ORPHANED_AFTER_MS = 40_000

/**
 * Finishes the keys of direct dispenses whose process died (G58). If the command may have left, the key gets the answer that
 * it would have had; if it was refused or never sent, key and charge are freed. Returns how many.
 */
export function finishDispenseKeys(app: App): Promise<number> {
  return finishOrphans(app, {
    prefix: 'dclm_',
    afterMs: ORPHANED_AFTER_MS,
    decide: (tx, orphan) => decideOrphan(app, tx, orphan),
  })
}

async function decideOrphan(app: App, tx: Tx, { merchantId, objectId }: Orphan): Promise<OrphanOutcome> {
  const [[claim]] = await tx.send(lockAnsweredClaim({ merchantId, id: objectId }))
  if (!claim || directRefusal(claim) !== null) return { answer: null }
  if (claim.state === 'claimed') return { answer: null, writes: [releaseUnsent(claim, app.clock.now())] }
  return { answer: { status: 200, body: JSON.stringify(presentDispense(claim)) } }
}
