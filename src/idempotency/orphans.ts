import type { App } from '../app.ts'
import { type Clock, later } from '../platform/clock.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import { tooFarAhead } from '../platform/db/due-times.ts'
import { classify, DatabaseAway } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import { againWhileAway } from '../platform/db/while-away.ts'
import { finishKey, freeKey, type HeldKey } from './keys.ts'

/**
 * A running key whose process has died or given up. It may be finished many seconds after it was listed; by then its process may
 * have freed it after all, and another request may use it.
 */
export type Orphan = HeldKey

export const ORPHANS_AT_ONCE = 200
// The rest is left for the next run.
const MOST_PAGES = 50
/**
 * How long one key is retried, in ms. While connections are scarce, finishing would otherwise give up in every run although payments
 * of the same process go on.
 */
export const ORPHAN_WAITS_MS = 5000
// The longest total wait of one run, so that locked rows do not keep the other finishers from running.
const RUN_WAITS_MS = 20_000

const ORPHANS = statement<Orphan>(
  'orphaned keys',
  `select merchant_id as "merchantId", mode, key, object_id as "objectId" from idempotency_keys
   where status is null and (created_at < $1 or created_at > $2) and starts_with(object_id, $3)
   order by created_at, merchant_id, mode, key limit $4 offset $5`,
)

/**
 * Computes when a running key counts as orphaned: stored before the first time, or after the second. A key stored after the second was
 * stored before the clock stepped back, so its age is unknown; finishing a key that is still in use does no harm, leaving it for an hour
 * does.
 */
export function orphanBounds(clock: Clock, afterMs: number): [before: string, after: string] {
  const now = clock.now()
  return [later(now, -afterMs).toISOString(), tooFarAhead(now, 0).toISOString()]
}

type Finisher = Pick<App, 'db' | 'clock' | 'log'>

/** The outcome of an orphan: the answer that its key gets, or null to free it; `writes` are sent before. */
export type OrphanEnd = { answer: { status: number; body: string } | null; writes?: readonly Call[] }

type Left = {
  prefix: string
  afterMs: number
  /** Locks the object of the key and decides the outcome. */
  endOf(tx: Tx, orphan: Orphan): Promise<OrphanEnd>
}

/**
 * Finishes each key that was left running for longer than `afterMs`, by any clock, and whose object's id begins with `prefix` (G58). A
 * key whose finishing throws is logged and left for the next run; it does not delay the others. Returns how many were finished.
 * Throws DatabaseAway.
 */
export async function finishOrphans(app: Finisher, { prefix, afterMs, endOf }: Left): Promise<number> {
  const bounds = orphanBounds(app.clock, afterMs)
  const waitsUntil = performance.now() + RUN_WAITS_MS
  let finished = 0
  let skipped = 0
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const orphans = await app.db.query(ORPHANS, [...bounds, prefix, ORPHANS_AT_ONCE, skipped])
    for (const orphan of orphans) {
      const waitMs = Math.max(0, Math.min(ORPHAN_WAITS_MS, waitsUntil - performance.now()))
      if (await finishSafely(app, orphan, () => againWhileAway(() => finishOne(app, orphan, endOf), waitMs)))
        finished += 1
      else skipped += 1
    }
    if (orphans.length < ORPHANS_AT_ONCE) break
  }
  return finished
}

function finishOne({ db }: Finisher, orphan: Orphan, endOf: Left['endOf']): Promise<null> {
  return db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const { answer, writes = [] } = await endOf(tx, orphan)
    return { value: null, last: [...writes, answer === null ? freeKey(orphan) : finishKey(orphan, answer)] }
  })
}

async function finishSafely(app: Finisher, orphan: Orphan, finish: () => Promise<unknown>): Promise<boolean> {
  try {
    await finish()
    return true
  } catch (error) {
    if (classify(error) instanceof DatabaseAway) throw error
    app.log.error(
      { err: error, object_id: orphan.objectId },
      'a key that was left running could not be finished; it is tried again',
    )
    return false
  }
}
