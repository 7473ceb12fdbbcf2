import type { KeyOwner } from '../../../api/idempotency/keys.ts'
import { computeOrphanBounds, MAX_ORPHAN_WAIT_MS, ORPHANS_PER_PAGE } from '../../../api/idempotency/orphans.ts'
import { classifyDatabaseError, DatabaseAway } from '../../../platform/db/errors.ts'
import { retryWhileAway } from '../../../platform/db/retry-while-away.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import { BULK_LEASE_MS, giveBackBatch, takeStalledBatch } from './bulk-batch.ts'
import { runChunks } from './bulk-chunk.ts'
import { finishBatch } from './bulk-payouts.ts'

type StalledBatch = KeyOwner & { id: string }

// Each runner holds one merchant's ledger head and one connection.
const RUNNERS_AT_ONCE = 2
// One run resumes batches for this long; the rest is left to the next run.
const RUN_BUDGET_MS = 10_000

// Batches whose items all have a result, but whose process died before it stored the answer.
const UNANSWERED_BATCHES = statement<StalledBatch>(
  'unanswered bulk batches',
  `select k.merchant_id as "merchantId", k.mode, k.key, b.id from idempotency_keys k
   join bulk_batches b on b.merchant_id = k.merchant_id and b.id = k.object_id
   where k.status is null and (k.created_at < $1 or k.created_at > $2) and starts_with(k.object_id, 'batch_')
     and b.lease_until is null
   order by k.created_at limit $3`,
)

/**
 * Resumes the bulk calls of processes that died: each at its first item without a result, then with its answer (G13e). Runs every two
 * seconds: a payroll that was cut off goes on within fifteen seconds, and until then its key counts as in flight. Returns how many.
 */
export async function finishBulks(app: App): Promise<number> {
  const bounds = computeOrphanBounds(app.clock, BULK_LEASE_MS)
  const unanswered = await app.db.query(UNANSWERED_BATCHES, [...bounds, ORPHANS_PER_PAGE])
  for (const batch of unanswered) await isolateErrors(app, batch, () => finishBatch(app, batch))
  const runners = await Promise.allSettled(Array.from({ length: RUNNERS_AT_ONCE }, () => runStalledBatches(app)))
  let finished = unanswered.length
  for (const runner of runners) {
    if (runner.status === 'rejected') throw runner.reason
    finished += runner.value
  }
  return finished
}

/** Takes and runs stalled batches one after the other, so that a batch that waits has no lease and another worker may take it. */
async function runStalledBatches(app: App): Promise<number> {
  const until = performance.now() + RUN_BUDGET_MS
  let resumed = 0
  while (performance.now() < until) {
    const take = takeStalledBatch(app.clock.now())
    const [batch] = await app.db.query(take.statement, take.values)
    if (!batch) break
    await isolateErrors(app, batch, () => resumeBatch(app, batch))
    resumed += 1
  }
  return resumed
}

async function resumeBatch(app: App, batch: StalledBatch): Promise<void> {
  await retryWhileAway(() => runChunks(app, batch), MAX_ORPHAN_WAIT_MS)
  await retryWhileAway(() => finishBatch(app, batch), MAX_ORPHAN_WAIT_MS)
}

/** Runs work on one call so that its error does not stop the others: the call is released and taken again by a later run. Throws DatabaseAway. */
async function isolateErrors(app: App, batch: StalledBatch, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const release = giveBackBatch(batch, app.clock.now())
    await app.db.query(release.statement, release.values).catch(() => {})
    if (classifyDatabaseError(error) instanceof DatabaseAway) throw error
    app.log.error({ err: error, object_id: batch.id }, 'a bulk call could not be finished; it is tried again')
  }
}
