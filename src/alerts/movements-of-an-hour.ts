import type { App } from '../app.ts'
import { later } from '../platform/clock.ts'
import { firstRow } from '../platform/db/first-row.ts'
import { statement } from '../platform/db/statement.ts'

// From two indexes of attempts by contract: those that reconciliation has not looked at again, and those that it has within the hour.
// More than 400 say nothing new: 5 % of them are the 20 that alarm anyway.
const COUNT = statement<{ count: number }>(
  'movements of an hour',
  `select count(*)::int as count from unnest($1::text[]) i (installation) cross join lateral (
     (select 1 from rail_attempts a where a.installation = i.installation and a.reviewed_at is null and a.created_at >= $2 limit 401)
     union all
     (select 1 from rail_attempts a where a.installation = i.installation and a.reviewed_at >= $2 and a.created_at >= $2 limit 401)) movements`,
)
const HOUR_MS = 3_600_000

/** How many live movements were made within the last hour, counted to some 400. */
export async function movementsOfAnHour({ rails, clock, db }: App): Promise<number> {
  const installations = (rails.live.op1_momo?.installations ?? []).map(({ id }) => id)
  const since = later(clock.now(), -HOUR_MS).toISOString()
  return (await firstRow(db.query(COUNT, [installations, since])))?.count ?? 0
}
