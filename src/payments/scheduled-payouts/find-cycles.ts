import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { Schedule } from './schedule.ts'

/** One cycle that ran: its date, and the sums and outcomes of its payouts. Whole UGX. */
export type CycleRow = {
  cycleAt: Date
  payouts: number
  amount: number
  fees: number
  succeeded: number
  failed: number
}

const MAX_CYCLES_LISTED = 12

// One look-up a date through the unique index of cycles; each reads at most a thousand payouts.
const LIST_CYCLES = statement<CycleRow>(
  'cycles of a schedule',
  `with recursive dates as (
     (select cycle_at, 1 as nth from payouts where merchant_id = $1 and schedule_id = $2 order by cycle_at desc limit 1)
     union all
     select (select p.cycle_at from payouts p where p.merchant_id = $1 and p.schedule_id = $2 and p.cycle_at < d.cycle_at
       order by p.cycle_at desc limit 1), d.nth + 1
     from dates d where d.cycle_at is not null and d.nth < $3)
   select d.cycle_at as "cycleAt", count(*)::int as payouts, sum(p.amount)::bigint as amount, sum(p.fee)::bigint as fees,
     (count(*) filter (where p.status = 'succeeded'))::int as succeeded, (count(*) filter (where p.status = 'failed'))::int as failed
   from dates d join payouts p on p.merchant_id = $1 and p.schedule_id = $2 and p.cycle_at = d.cycle_at
   group by d.cycle_at order by d.cycle_at desc`,
)

/** The newest twelve cycles of a schedule. */
export const listCycles = (app: App, { merchantId }: Caller, { id }: Schedule): Promise<CycleRow[]> =>
  app.db.query(LIST_CYCLES, [merchantId, id, MAX_CYCLES_LISTED])
