import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode, Mode } from '../../platform/mode.ts'
import { dayBounds, kampalaDay } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { BEFORE_FIRST_ACCOUNT, type DueAccount, findDueAccounts } from './due-accounts.ts'

/** The sums of the charges that were created on one day. Whole UGX. */
export type DayTally = {
  /** In Kampala, `YYYY-MM-DD`. */
  day: string
  succeeded: number
  failed: number
  volume: number
  fees: number
  insufficientFunds: number
  userCancelled: number
  timeout: number
  railRejected: number
}
/** How many accounts one run counts. */
export const TALLIED_AT_ONCE = 50
const DAY_MS = 86_400_000
const FIRST_DAYS = 31
// A charge may finish days after it was created: each morning the last week is counted once more.
const LATE_DAYS = 7
const EARLY_HOURS_MS = 3 * 3_600_000

const SUMS = `count(*) filter (where status in ('succeeded', 'refunded'))::int as succeeded,
  count(*) filter (where status = 'failed')::int as failed,
  coalesce(sum(amount) filter (where status in ('succeeded', 'refunded')), 0)::bigint as volume,
  coalesce(sum(fee) filter (where status in ('succeeded', 'refunded')), 0)::bigint as fees,
  count(*) filter (where failure_reason = 'insufficient_funds')::int as insufficient_funds,
  count(*) filter (where failure_reason = 'user_cancelled')::int as user_cancelled,
  count(*) filter (where failure_reason = 'timeout')::int as timeout,
  count(*) filter (where failure_reason = 'rail_rejected')::int as rail_rejected`
// The index of the list has the status before the time.
const CHARGES_OF_DAY = `from charges where merchant_id = $1 and mode = $2 and published
  and completed_at is not null and status in ('succeeded', 'failed', 'refunded') and created_at >= $3 and created_at < $4`
const STORE_DAY = statement(
  'tally day',
  `insert into day_tallies (merchant_id, mode, day, succeeded, failed, volume, fees, insufficient_funds, user_cancelled, timeout,
     rail_rejected, counted_at)
   select $1, $2, $5::date, s.*, $6 from (select ${SUMS} ${CHARGES_OF_DAY}) s where s.succeeded + s.failed > 0
   on conflict (merchant_id, mode, day) do update set succeeded = excluded.succeeded, failed = excluded.failed,
     volume = excluded.volume, fees = excluded.fees, insufficient_funds = excluded.insufficient_funds,
     user_cancelled = excluded.user_cancelled, timeout = excluded.timeout, rail_rejected = excluded.rail_rejected,
     counted_at = excluded.counted_at where day_tallies.counted_at <= excluded.counted_at`,
)
const FIRST_CHARGE = statement<{ first: Date | null }>(
  'first charge to tally',
  `select min(f.created_at) as first from unnest(array['succeeded', 'failed', 'refunded']) s (status) cross join lateral (
     select created_at from charges c where c.merchant_id = $1 and c.mode = $2 and c.published and c.completed_at is not null and c.status = s.status
     order by c.created_at limit 1) f`,
)
const STORE_MARK = statement(
  'mark tallied',
  `insert into tally_marks (merchant_id, mode, counted_at) values ($1, $2, $3)
   on conflict (merchant_id, mode) do update set counted_at = greatest(tally_marks.counted_at, excluded.counted_at)`,
)
const COUNT_NOW = statement<Omit<DayTally, 'day'>>(
  'tally of the last charges',
  `select succeeded, failed, volume, fees, insufficient_funds as "insufficientFunds", user_cancelled as "userCancelled", timeout,
     rail_rejected as "railRejected" from (select ${SUMS} ${CHARGES_OF_DAY}) s`,
)
const DAY_TALLIES = statement<DayTally & { countedAt: Date }>(
  'day tallies',
  `select day::text as day, succeeded, failed, volume, fees, insufficient_funds as "insufficientFunds",
     user_cancelled as "userCancelled", timeout, rail_rejected as "railRejected", counted_at as "countedAt"
   from day_tallies where merchant_id = $1 and mode = $2 and day >= $3::date order by day`,
)
// A day with fewer charges than this is counted while its page is made.
const MAX_COUNTED_WITH_PAGE = 2000

/**
 * Makes the task that keeps the days counted. It goes round all accounts, and each run takes the next part: accounts whose figures may
 * have changed and are older than a minute. Each account has its turn in each round, so that none waits for another's count to succeed.
 */
export function makeDayTallier(app: App): () => Promise<number> {
  let reachedAccount = BEFORE_FIRST_ACCOUNT
  return async () => {
    const now = app.clock.now()
    let counted = 0
    while (counted < TALLIED_AT_ONCE) {
      const { due, reached } = await findDueAccounts(app, reachedAccount, {
        now,
        most: TALLIED_AT_ONCE - counted,
      })
      for (const account of due) {
        reachedAccount = account
        await tallyAccount(app, account, now)
        counted += 1
      }
      if (counted < TALLIED_AT_ONCE) reachedAccount = reached ?? BEFORE_FIRST_ACCOUNT
      if (reached === null) break
    }
    return counted
  }
}

async function tallyAccount(app: App, { merchantId, mode, countedAt }: DueAccount, now: Date): Promise<void> {
  const days = daysToCount(countedAt, now)
  // A day a statement, so that none is longer than its time limit.
  for (const day of countedAt === null ? await daysWithCharges(app, { merchantId, mode }, days) : days) {
    const { start, end } = dayBounds(day)
    const bounds = [start.toISOString(), end.toISOString(), day, now.toISOString()]
    await app.db.query(STORE_DAY, [merchantId, mode, ...bounds])
  }
  await app.db.query(STORE_MARK, [merchantId, mode, now.toISOString()])
}

/** Leaves out the days before the first charge: a service that starts with many new accounts would ask thirty times for each. */
async function daysWithCharges(app: App, { merchantId, mode }: MerchantMode, days: string[]): Promise<string[]> {
  const [row] = await app.db.query(FIRST_CHARGE, [merchantId, mode])
  const first = row?.first ? kampalaDay(row.first) : null
  return first === null ? [] : days.filter((day) => day >= first)
}

/** Which days may have changed since they were counted, `YYYY-MM-DD` in Kampala. */
export function daysToCount(countedAt: Date | null, now: Date): string[] {
  const today = kampalaDay(now)
  const { start } = dayBounds(today)
  const back =
    countedAt === null
      ? FIRST_DAYS
      : countedAt < start
        ? Math.min(FIRST_DAYS, LATE_DAYS + Math.floor((start.getTime() - countedAt.getTime()) / DAY_MS))
        : now.getTime() - start.getTime() < EARLY_HOURS_MS
          ? 1
          : 0
  return Array.from({ length: back + 1 }, (_, nth) => kampalaDay(new Date(now.getTime() - (back - nth) * DAY_MS)))
}

/**
 * Reads the tallies of so many days, today last. Today is counted now unless it has very many charges. `asOf`: when today was counted.
 */
export async function readDayTallies(
  app: App,
  { merchantId, mode }: MerchantMode,
  days: number,
): Promise<{ days: DayTally[]; asOf: Date }> {
  const now = app.clock.now()
  const first = kampalaDay(new Date(now.getTime() - (days - 1) * DAY_MS))
  const rows = await app.db.query(DAY_TALLIES, [merchantId, mode, first])
  const byDay = new Map(rows.map(({ countedAt, ...tally }) => [tally.day, { countedAt, tally }]))
  const today = kampalaDay(now)
  const counted = byDay.get(today)
  const few = counted === undefined || counted.tally.succeeded + counted.tally.failed < MAX_COUNTED_WITH_PAGE
  const current = few ? await countNow(app, { merchantId, mode, day: today }) : counted.tally
  const list = Array.from({ length: days }, (_, nth) => {
    const day = kampalaDay(new Date(now.getTime() - (days - 1 - nth) * DAY_MS))
    return day === today ? current : (byDay.get(day)?.tally ?? { ...NO_CHARGES, day })
  })
  return { days: list, asOf: few ? now : (counted?.countedAt ?? now) }
}

const NO_CHARGES = {
  ...{ succeeded: 0, failed: 0, volume: 0, fees: 0 },
  ...{ insufficientFunds: 0, userCancelled: 0, timeout: 0, railRejected: 0 },
}

async function countNow(
  app: App,
  { merchantId, mode, day }: { merchantId: number; mode: Mode; day: string },
): Promise<DayTally> {
  const { start, end } = dayBounds(day)
  const [sums = NO_CHARGES] = await app.db.query(COUNT_NOW, [merchantId, mode, start.toISOString(), end.toISOString()])
  return { ...sums, day }
}
