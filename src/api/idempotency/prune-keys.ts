import type { Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'

const EXPIRED_KEYS = 'from idempotency_keys where created_at < $1 and status is not null'
const PRUNE = statement<{ key: string }>(
  'prune idempotency keys',
  `delete from idempotency_keys where ctid = any(array(select ctid ${EXPIRED_KEYS} limit $2)) returning key`,
)
// Index: idempotency_keys_age.
const ANY_EXPIRED = statement<{ any: boolean }>(
  'idempotency keys to prune',
  `select exists (select 1 ${EXPIRED_KEYS}) as any`,
)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Keys are kept for 30 days (spec 5.5). */
const KEY_RETENTION_MS = 30 * DAY_MS
const KEYS_PER_PRUNING = 5000
const MAX_DAYS_BACK = 4096

/**
 * Deletes keys that are older than 30 days, in an hour at most those of the oldest day: a wrong clock then deletes only keys that were
 * next anyway before it is noticed. A run returns how many it deleted.
 */
export function newKeyPruner({ db, witness }: Pick<App, 'db' | 'witness'>): () => Promise<number> {
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
    await findOldestDay(async (days) => (await db.query(ANY_EXPIRED, [daysBefore(days)]))[0]?.any === true),
  )
  for (let pruned = 0; ; ) {
    const deleted = await db.query(PRUNE, [oldestDayEnd, KEYS_PER_PRUNING])
    pruned += deleted.length
    if (deleted.length < KEYS_PER_PRUNING) return pruned
  }
}

/** Finds how many days back the oldest expired keys are, by halving: no index leads to the oldest one. */
async function findOldestDay(anyBefore: (days: number) => Promise<boolean>): Promise<number> {
  if (!(await anyBefore(1))) return 0
  let [some, none] = [1, MAX_DAYS_BACK]
  while (none - some > 1) {
    const middle = Math.floor((some + none) / 2)
    if (await anyBefore(middle)) some = middle
    else none = middle
  }
  return some
}
