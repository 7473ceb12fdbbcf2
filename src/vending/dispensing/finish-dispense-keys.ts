import type { App } from '../../app.ts'
import { finishOrphans, type Orphan, type OrphanEnd } from '../../idempotency/orphans.ts'
import type { Tx } from '../../platform/db/database.ts'
import { directRefusal, lockAnswered, presentDispense } from './direct-answer.ts'
import { releaseUnsent } from './move-claim.ts'

// A command may take 30 s; by then the process that reserved the key has recorded the answer, or is gone.
const ORPHANED_AFTER_MS = 40_000

/**
 * Finishes the keys that a process left behind when it died over a direct dispense (G58): for a command that may have left
 * the key gets the answer it would have had; for one that was refused or never sent, key and charge are freed. Answers how
 * many.
 */
export function finishDispenseKeys(app: App): Promise<number> {
  return finishOrphans(app, {
    prefix: 'dclm_',
    afterMs: ORPHANED_AFTER_MS,
    endOf: (tx, orphan) => endOf(app, tx, orphan),
  })
}

async function endOf(app: App, tx: Tx, { merchantId, objectId }: Orphan): Promise<OrphanEnd> {
  const [[claim]] = await tx.send(lockAnswered({ merchantId, id: objectId }))
  if (!claim || directRefusal(claim) !== null) return { answer: null }
  if (claim.state === 'claimed') return { answer: null, writes: [releaseUnsent(claim, app.clock.now())] }
  return { answer: { status: 200, body: JSON.stringify(presentDispense(claim)) } }
}
