import type { App } from '../app.ts'
import { later } from '../platform/clock.ts'
import { firstRow } from '../platform/db/first-row.ts'
import { statement } from '../platform/db/statement.ts'
import type { Alarm } from './alert.ts'
import { recordLook } from './raise-alerts.ts'

const WORKED = statement<{ at: Date | null }>(
  'alert: last releases',
  `select last_ok_at as at from sweep_runs where cell = $1 and sweep = 'settle-charges'`,
)
type Passed = { merchant: string; since: Date }
// Index: the charges of a merchant that are held, one look-up for each head.
const PASSED = statement<Passed>(
  'alert: releases passed by',
  `select m.public_id as merchant, held.hold_until as since
   from ledger_heads h join merchants m on m.id = h.merchant_id cross join lateral (
     select c.hold_until from charges c where c.merchant_id = h.merchant_id and c.mode = h.mode and c.settled_at is null
       and c.hold_until is not null order by c.hold_until limit 1) held
   where h.mode = 'live' and held.hold_until < $1 order by 2 limit 100`,
)

// A run that began a little before a charge fell due has rightly left it.
const ROOM_MS = 10 * 60_000

/**
 * Records as alerts the accounts whose due money a run of the release has left, though the run itself worked: its posting would have gone
 * below a floor, or failed in another way of its own. Answers how many.
 */
export async function lookAtReleases({ cell, db, directory }: App, at: Date): Promise<number> {
  const worked = await firstRow(directory.query(WORKED, [cell]))
  const passed = worked?.at == null ? [] : await db.query(PASSED, [later(worked.at, -ROOM_MS).toISOString()])
  const found = passed.map(
    ({ merchant, since }): Alarm => ({
      kind: 'release_stopped',
      subject: `${cell} ${merchant}`,
      says: `held money of ${merchant} fell due at ${since.toISOString()} and was not released (${cell})`,
      size: 1,
      since,
    }),
  )
  await recordLook(directory, { place: cell, kinds: ['release_stopped'], found, at })
  return found.length
}
