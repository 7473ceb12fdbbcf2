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
// Left batches are run for so long in one go; what is left then is the next run's.
const BATCHES_FOR_MS = 10_000

// Every item has its result and the answer was not kept any more.
const UNANSWERED = statement<LeftBatch>(
  'unanswered bulk batches',
  `select k.merchant_id as "merchantId", k.mode, k.key, b.id from idempotency_keys k
   join bulk_batches b on b.merchant_id = k.merchant_id and b.id = k.object_id
   where k.status is null and (k.created_at < $1 or k.created_at > $2) and starts_with(k.object_id, 'batch_')
     and b.lease_until is null
   order by k.created_at limit $3`,
)

/**
 * Goes on with the bulk calls of a process that died: a batch at its first item without a result, then its answer (G13e). Run
 * every two seconds: a payroll that was cut goes on within fifteen, and its key is running until then.
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

/** One after the other: a batch that waits for its turn has no lease, so that another worker may run it. */
async function takeLeft(app: App): Promise<number> {
  const until = performance.now() + BATCHES_FOR_MS
  let taken = 0
  while (performance.now() < until) {
    const take = takeLeftBatch(app.clock.now())
    const [batch] = await app.db.query(take.statement, take.values)
    if (!batch) break
    await apart(app, batch, () => goOn(app, batch))
    taken += 1
  }
  return taken
}

async function goOn(app: App, batch: LeftBatch): Promise<void> {
  await againWhileAway(() => runChunks(app, batch), ORPHAN_WAITS_MS)
  await againWhileAway(() => finishBatch(app, batch), ORPHAN_WAITS_MS)
}

/** An error of one call does not stop the others: the call is released and taken again by a later run. */
async function apart(app: App, batch: LeftBatch, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const again = giveBackBatch(batch, app.clock.now())
    await app.db.query(again.statement, again.values).catch(() => {})
    if (classify(error) instanceof DatabaseAway) throw error
    app.log.error({ err: error, object_id: batch.id }, 'a bulk call could not be finished; it is tried again')
  }
}
