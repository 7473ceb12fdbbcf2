import { classifyDatabaseError, DatabaseAway } from '../../platform/db/errors.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { mayPayOutSql } from '../payouts/find-stop.ts'
import { type DueCycle, runCycle } from './run-cycle.ts'

const CYCLES_PER_READ = 500

// Due by the real clock, or in test mode by the merchant's test clock, which only runs ahead (contract.md 3 a). Accounts
// that may not pay now are skipped here to save work only: the decision is made on the rows that run-cycle.ts locks.
const DUE_CYCLES = statement<DueCycle>(
  'due cycles',
  `select s.merchant_id as "merchantId", s.id, s.mode, s.next_run_at as "dueAt" from (
     select merchant_id, id, mode, next_run_at from schedules where status = 'active' and next_run_at <= $1::timestamptz
     union
     select a.merchant_id, a.id, a.mode, a.next_run_at from merchants c join schedules a on a.merchant_id = c.id and a.mode = 'test'
     where c.test_clock_offset_ms > 0 and a.status = 'active'
       and a.next_run_at - c.test_clock_offset_ms * interval '1 millisecond' <= $1::timestamptz
   ) s
   join merchants m on m.id = s.merchant_id and m.active
   join ledger_heads h on h.merchant_id = s.merchant_id and h.mode = s.mode
   where (s.merchant_id, s.id) > ($2::bigint, $3::text)
     and ${mayPayOutSql('h')}
   order by s.merchant_id, s.id limit $4`,
)

/**
 * Runs every cycle that is due, one schedule and one transaction after the other (contract.md G15c..G15e). An error of one
 * schedule does not stop the others. Returns how many ran or were paused; those under a freeze are tried in the next run.
 */
export async function runSchedules(app: App): Promise<number> {
  const at = app.witness.earlier().toISOString()
  let handled = 0
  let after: Pick<DueCycle, 'merchantId' | 'id'> = { merchantId: 0, id: '' }
  for (;;) {
    const due = await app.db.query(DUE_CYCLES, [at, after.merchantId, after.id, CYCLES_PER_READ])
    const last = due.at(-1)
    if (!last) return handled
    for (const cycle of due) handled += await runOrLog(app, cycle)
    after = last
  }
}

async function runOrLog(app: App, cycle: DueCycle): Promise<number> {
  try {
    return (await runCycle(app, cycle)) === 'left' ? 0 : 1
  } catch (error) {
    // The database is away, which is no error of this schedule: the whole sweep stops and runs again in a second.
    if (classifyDatabaseError(error) instanceof DatabaseAway) throw error
    app.log.error({ err: error, merchant: cycle.merchantId, object_id: cycle.id }, 'a cycle did not run; it stays due')
    return 0
  }
}
