import { payoutFee } from '../../ledger/fees.ts'
import { nextRun } from './next-run.ts'
import type { Schedule } from './schedule.ts'

/** One future cycle with its cost. `after`: the balance left after it; if that is below zero, the cycle pauses the schedule. Whole UGX. */
export type ForecastRun = {
  scheduleId: string
  name: string | null
  at: Date
  recipients: number
  amount: number
  fees: number
  after: number
}

/** The fields of a schedule that a forecast needs: the number of people it pays instead of the people. */
export type PlannedSchedule = Pick<
  Schedule,
  'id' | 'name' | 'amount' | 'interval' | 'anchorAt' | 'nextRunAt' | 'status'
> & { people: number }

const MAX_RUNS = 200

/**
 * Lists the cycles of active schedules until a day, oldest first, each with the available balance left after it if nothing else comes in
 * or goes out. At most 200.
 */
export function forecastRuns(
  schedules: readonly PlannedSchedule[],
  { available, until }: { available: number; until: Date },
): ForecastRun[] {
  const runs = schedules.flatMap((schedule) => listPlannedRuns(schedule, until))
  runs.sort((a, b) => a.at.getTime() - b.at.getTime() || (a.scheduleId < b.scheduleId ? -1 : 1))
  let balance = available
  return runs.slice(0, MAX_RUNS).map((run) => {
    balance -= run.amount + run.fees
    return { ...run, after: balance }
  })
}

type PlannedRun = Omit<ForecastRun, 'after'>

function listPlannedRuns(schedule: PlannedSchedule, until: Date): PlannedRun[] {
  const { id: scheduleId, name, interval, anchorAt, amount, people, status } = schedule
  const runs: PlannedRun[] = []
  if (status !== 'active') return runs
  for (let at = schedule.nextRunAt; at !== null && at <= until && runs.length < MAX_RUNS; ) {
    const sums = { recipients: people, amount: amount * people, fees: payoutFee(amount) * people }
    runs.push({ scheduleId, name, at, ...sums })
    at = nextRun(interval, { anchor: anchorAt, after: at })
  }
  return runs
}
