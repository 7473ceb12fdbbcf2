import type { App } from '../app.ts'
import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'

const FORGOTTEN = 'from idempotency_keys where created_at < $1 and status is not null'
const PRUNE = statement<{ key: string }>(
  'prune idempotency keys',
  `delete from idempotency_keys where ctid = any(array(select ctid ${FORGOTTEN} limit $2)) returning key`,
)
// Index: idempotency_keys_age.
const ANY = statement<{ any: boolean }>(
  'idempotency keys to prune',
  `select exists (select 1 ${FORGOTTEN}) as any`,
)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Keys are kept for 30 days (spec 5.5). */
const KEY_RETENTION_MS = 30 * DAY_MS
const PRUNED_AT_ONCE = 5000
const MOST_DAYS = 4096

/**
 * Deletes keys that are older than 30 days, in an hour at most those of the oldest day: a wrong clock then deletes only keys that were
 * next anyway before it is noticed. A run returns how many it deleted.
 */
export function keyPruner({ db, witness }: Pick<App, 'db' | 'witness'>): () => Promise<number> {
  let prunedMs = Number.NEGATIVE_INFINITY
  return async () => {
    const now = witness.earlierMs()
    if (now >= prunedMs && now < prunedMs + HOUR_MS) return 0
    const pruned = await pruneOldestDay(db, now - KEY_RETENTION_MS)
    if (pruned > 0) prunedMs = now
    return pruned
  }
}

async function pruneOldestDay(db: Database, before: number): Promise<number> {
  const daysBefore = (days: number) => new Date(before - days * DAY_MS).toISOString()
  const oldestDayEnd = daysBefore(
    await lastDayWith(async (days) => (await db.query(ANY, [daysBefore(days)]))[0]?.any === true),
  )
  for (let pruned = 0; ; ) {
    const deleted = await db.query(PRUNE, [oldestDayEnd, PRUNED_AT_ONCE])
    pruned += deleted.length
    if (deleted.length < PRUNED_AT_ONCE) return pruned
  }
}

/** Finds how many days back the oldest expired keys are, by halving: no index leads to the oldest one. */
async function lastDayWith(anyBefore: (days: number) => Promise<boolean>): Promise<number> {
  if (!(await anyBefore(1))) return 0
  let [some, none] = [1, MOST_DAYS]
  while (none - some > 1) {
    const middle = Math.floor((some + none) / 2)
    if (await anyBefore(middle)) some = middle
    else none = middle
  }
  return some
}
