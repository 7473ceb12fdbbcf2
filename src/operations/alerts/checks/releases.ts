import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import type { Check, Finding } from '../check.ts'

const LAST_RELEASE = statement<{ at: Date | null }>(
  'alert: last releases',
  `select last_ok_at as at from sweep_runs where cell = $1 and sweep = 'settle-charges'`,
)
type PassedBy = { merchant: string; since: Date }
// Index: the charges of a merchant that are held, one look-up for each head.
const PASSED_BY = statement<PassedBy>(
  'alert: releases passed by',
  `select m.public_id as merchant, held.hold_until as since
   from ledger_heads h join merchants m on m.id = h.merchant_id cross join lateral (
     select c.hold_until from charges c where c.merchant_id = h.merchant_id and c.mode = h.mode and c.settled_at is null
       and c.hold_until is not null order by c.hold_until limit 1) held
   where h.mode = 'live' and held.hold_until < $1 order by 2 limit 100`,
)

// A run that began a little before a charge fell due has rightly left it.
const GRACE_MS = 10 * 60_000

/**
 * Finds the accounts whose due money a run of the release has left, though the run itself worked: its posting would have gone below a
 * floor, or failed in another way of its own.
 */
export const RELEASE_CHECKS: readonly Check[] = [
  { kinds: ['release_stopped'], source: ({ cell }) => cell, find: findHeldBack },
]

async function findHeldBack({ cell, db, directory }: App): Promise<Finding[]> {
  const last = await firstRow(directory.query(LAST_RELEASE, [cell]))
  if (last?.at == null) return []
  const rows = await db.query(PASSED_BY, [addMs(last.at, -GRACE_MS).toISOString()])
  return rows.map(({ merchant, since }) => ({
    kind: 'release_stopped',
    subject: `${cell} ${merchant}`,
    message: `held money of ${merchant} fell due at ${since.toISOString()} and was not released (${cell})`,
    size: 1,
    since,
  }))
}
