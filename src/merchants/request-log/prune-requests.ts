import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { firstIdAt } from './request-row.ts'

const KEPT_MS = 30 * 86_400_000
const ROWS_PER_MERCHANT_MODE = 500
const ROWS_PER_STATEMENT = 5000

// One index step per merchant and mode: the oldest rows of each come first there, so pruning needs no index by time.
const PRUNE = statement<{ id: string }>(
  'prune the log of requests',
  `with recursive places as (
     (select merchant_id, mode from request_log order by merchant_id, mode limit 1)
     union all
     select n.merchant_id, n.mode from places p cross join lateral (
       select r.merchant_id, r.mode from request_log r where (r.merchant_id, r.mode) > (p.merchant_id, p.mode)
       order by r.merchant_id, r.mode limit 1) n)
   delete from request_log r using (
     select p.merchant_id, p.mode, o.id from places p cross join lateral (
       select id from request_log r where r.merchant_id = p.merchant_id and r.mode = p.mode and r.id < $1::bigint
       order by id limit $2) o limit $3) old
   where r.merchant_id = old.merchant_id and r.mode = old.mode and r.id = old.id returning r.id`,
)

/** Deletes requests after 30 days, in small portions. Returns how many. */
export async function pruneRequests(app: App): Promise<number> {
  const before = firstIdAt(app.witness.earlierMs() - KEPT_MS).toString()
  let pruned = 0
  for (;;) {
    const { length: gone } = await app.db.query(PRUNE, [before, ROWS_PER_MERCHANT_MODE, ROWS_PER_STATEMENT])
    pruned += gone
    if (gone === 0) return pruned
  }
}
