import type { App } from '../../app.ts'
import type { KeyOwner } from '../../idempotency/keys.ts'
import { ORPHAN_WAITS_MS, ORPHANS_AT_ONCE, orphanBounds } from '../../idempotency/orphans.ts'
import { classify, DatabaseAway } from '../../platform/db/errors.ts'
import { statement } from '../../platform/db/statement.ts'
import { againWhileAway } from '../../platform/db/while-away.ts'
import { BULK_LEASE_MS, giveBackBatch, takeLeftBatch } from './bulk-batch.ts'
import { runChunks } from './bulk-chunk.ts'
import { finishBatch } from './bulk-payouts.ts'

type LeftBatch = KeyOwner & { id: string }

// Each runner holds one merchant's ledger head and one connection.
const RUNNERS = 2
// One run resumes batches for this long; the rest is left to the next run.
const BATCHES_FOR_MS = 10_000

// Batches whose items all have a result, but whose process died before it stored the answer.
const UNANSWERED = statement<LeftBatch>(
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
  const bounds = orphanBounds(app.clock, BULK_LEASE_MS)
  const unanswered = await app.db.query(UNANSWERED, [...bounds, ORPHANS_AT_ONCE])
  for (const batch of unanswered) await apart(app, batch, () => finishBatch(app, batch))
  const runners = await Promise.allSettled(Array.from({ length: RUNNERS }, () => takeLeft(app)))
  let finished = unanswered.length
  for (const runner of runners) {
    if (runner.status === 'rejected') throw runner.reason
    finished += runner.value
  }
  return finished
}

/** Takes and runs stalled batches one after the other, so that a batch that waits has no lease and another worker may take it. */
async function takeLeft(app: App): Promise<number> {
  const until = performance.now() + BATCHES_FOR_MS
  let resumed = 0
  while (performance.now() < until) {
    const take = takeLeftBatch(app.clock.now())
    const [batch] = await app.db.query(take.statement, take.values)
    if (!batch) break
    await apart(app, batch, () => goOn(app, batch))
    resumed += 1
  }
  return resumed
}

async function goOn(app: App, batch: LeftBatch): Promise<void> {
  await againWhileAway(() => runChunks(app, batch), ORPHAN_WAITS_MS)
  await againWhileAway(() => finishBatch(app, batch), ORPHAN_WAITS_MS)
}

/** Runs work on one call so that its error does not stop the others: the call is released and taken again by a later run. Throws DatabaseAway. */
async function apart(app: App, batch: LeftBatch, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const release = giveBackBatch(batch, app.clock.now())
    await app.db.query(release.statement, release.values).catch(() => {})
    if (classify(error) instanceof DatabaseAway) throw error
    app.log.error({ err: error, object_id: batch.id }, 'a bulk call could not be finished; it is tried again')
  }
}
