import type { Call, Tx } from '../../platform/db/database.ts'
import { latestPlausibleTime } from '../../platform/db/due-times.ts'
import { classifyDatabaseError, DatabaseAway } from '../../platform/db/errors.ts'
import { retryWhileAway } from '../../platform/db/retry-while-away.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs, type Clock } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { finishKey, freeKey, type RunningKey } from './keys.ts'

/**
 * A running key whose process has died or given up. It may be finished many seconds after it was listed; by then its process may
 * have freed it after all, and another request may use it.
 */
export type Orphan = RunningKey

export const ORPHANS_PER_PAGE = 200
// The rest is left for the next run.
const MAX_PAGES_PER_RUN = 50
/**
 * How long one key is retried, in ms. While connections are scarce, finishing would otherwise give up in every run although payments
 * of the same process go on.
 */
export const MAX_ORPHAN_WAIT_MS = 5000
// The longest total wait of one run, so that locked rows do not keep the other finishers from running.
const MAX_RUN_WAIT_MS = 20_000

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
export function computeOrphanBounds(clock: Clock, afterMs: number): [before: string, after: string] {
  const now = clock.now()
  return [addMs(now, -afterMs).toISOString(), latestPlausibleTime(now, 0).toISOString()]
}

type FinisherServices = Pick<App, 'db' | 'clock' | 'log'>

/** The outcome of an orphan: the answer that its key gets, or null to free it; `writes` are sent before. */
export type OrphanOutcome = { answer: { status: number; body: string } | null; writes?: readonly Call[] }

type OrphanRules = {
  prefix: string
  afterMs: number
  /** Locks the object of the key and decides the outcome. */
  decide(tx: Tx, orphan: Orphan): Promise<OrphanOutcome>
}

/**
 * Finishes each key that was left running for longer than `afterMs`, by any clock, and whose object's id begins with `prefix` (G58). A
 * key whose finishing throws is logged and left for the next run; it does not delay the others. Returns how many were finished.
 * Throws DatabaseAway.
 */
export function finishOrphans(app: FinisherServices, { prefix, afterMs, decide }: OrphanRules): Promise<number> {
  const bounds = computeOrphanBounds(app.clock, afterMs)
  return finishEach(app, {
    list: (skipped) => app.db.query(ORPHANS, [...bounds, prefix, ORPHANS_PER_PAGE, skipped]),
    finish: (orphan) => finishOrphan(app, orphan, decide),
  })
}

type LeftWork<Left> = {
  /** Lists what is left, at most ORPHANS_PER_PAGE, oldest first, after so many that could not be finished. */
  list(skipped: number): Promise<readonly Left[]>
  finish(left: Left): Promise<unknown>
}

/**
 * Finishes what processes that died have left, one after the other. One whose finishing throws is logged and left for the next run; it does
 * not delay the others. Returns how many were finished. Throws DatabaseAway.
 */
export async function finishEach<Left extends { objectId: string }>(
  app: FinisherServices,
  { list, finish }: LeftWork<Left>,
): Promise<number> {
  const waitsUntil = performance.now() + MAX_RUN_WAIT_MS
  let finished = 0
  let skipped = 0
  for (let page = 0; page < MAX_PAGES_PER_RUN; page += 1) {
    const orphans = await list(skipped)
    for (const orphan of orphans) {
      const waitMs = Math.max(0, Math.min(MAX_ORPHAN_WAIT_MS, waitsUntil - performance.now()))
      if (await tryToFinish(app, orphan, () => retryWhileAway(() => finish(orphan), waitMs))) finished += 1
      else skipped += 1
    }
    if (orphans.length < ORPHANS_PER_PAGE) break
  }
  return finished
}

function finishOrphan({ db }: FinisherServices, orphan: Orphan, endOf: OrphanRules['decide']): Promise<null> {
  return db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const { answer, writes = [] } = await endOf(tx, orphan)
    return { value: null, last: [...writes, answer === null ? freeKey(orphan) : finishKey(orphan, answer)] }
  })
}

async function tryToFinish(
  app: FinisherServices,
  { objectId }: { objectId: string },
  finish: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await finish()
    return true
  } catch (error) {
    if (classifyDatabaseError(error) instanceof DatabaseAway) throw error
    app.log.error(
      { err: error, object_id: objectId },
      'a key that was left running could not be finished; it is tried again',
    )
    return false
  }
}
