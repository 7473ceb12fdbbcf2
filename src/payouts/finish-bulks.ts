import type { App } from '../app.ts'
import { classify, DatabaseAway } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import type { KeyOwner } from '../platform/idempotency/keys.ts'
import { takeLeftBatches } from './bulk-batch.ts'
import { BULK_LEASE_MS, runChunks } from './bulk-chunk.ts'
import { finishBatch } from './bulk-payouts.ts'

type LeftBatch = KeyOwner & { id: string }

// Each holds its merchant's ledger head and a connection; the lease of the next one begins when it is its turn.
const AT_ONCE = 2
const ROUNDS = 100
const UNANSWERED_AT_ONCE = 200

// Every item has its result and the answer was not kept any more.
const UNANSWERED = statement<LeftBatch>(
  'unanswered bulk batches',
  `select k.merchant_id as "merchantId", k.mode, k.key, b.id from idempotency_keys k
   join bulk_batches b on b.merchant_id = k.merchant_id and b.id = k.object_id
   where k.status is null and k.created_at < $1 and k.object_id like 'batch\\_%' and b.lease_until is null
   order by k.created_at limit $2`,
)

/**
 * Goes on with the bulk calls of a process that died: a batch at its first item without a result, then its answer (G13e). Run
 * every two seconds: a payroll that was cut goes on within fifteen, and its key is running until then.
 */
export async function finishBulks(app: App): Promise<number> {
  let finished = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = app.clock.now()
    const taken = takeLeftBatches(now, new Date(now.getTime() + BULK_LEASE_MS), AT_ONCE)
    const left = await app.db.query(taken.statement, taken.values)
    await Promise.all(left.map((batch) => apart(app, batch, () => goOn(app, batch))))
    finished += left.length
    if (left.length < AT_ONCE) break
  }
  const before = new Date(app.clock.nowMs() - BULK_LEASE_MS).toISOString()
  const unanswered = await app.db.query(UNANSWERED, [before, UNANSWERED_AT_ONCE])
  for (const batch of unanswered) await apart(app, batch, () => finishBatch(app, batch))
  return finished + unanswered.length
}

async function goOn(app: App, batch: LeftBatch): Promise<void> {
  await runChunks(app, batch)
  await finishBatch(app, batch)
}

/** One call's trouble stops no other: its lease runs out, and it is taken again. */
async function apart(app: App, batch: LeftBatch, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (classify(error) instanceof DatabaseAway) throw error
    app.log.error({ err: error, object_id: batch.id }, 'a bulk call could not be finished; it is tried again')
  }
}
