import { toColumns } from '../../platform/db/columns.ts'
import { statement } from '../../platform/db/statement.ts'
import type { ServiceCount } from '../../platform/log/service-counts.ts'
import { kampalaDay } from '../../platform/time/kampala.ts'
import type { App, Gateway } from '../../program/app.ts'

const DAY_MS = 86_400_000
/** How many days are shown, today included, and how many are kept. */
const SERVICE_DAYS_KEPT = 90

// Added to what other processes have counted. All lock the rows in the same order.
const ADD = statement(
  'add service days',
  `insert into service_days as d (day, kind, channel, good, counted)
   select * from unnest($1::date[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
   on conflict (day, kind, channel) do update set good = d.good + excluded.good, counted = d.counted + excluded.counted`,
)
const DAYS = statement<ServiceCount>(
  'service days',
  `select day::text as day, kind, channel, good, counted from service_days where day >= $1::date order by day, kind, channel`,
)
const FORGET = statement<{ kind: string }>(
  'forget service days',
  `delete from service_days where day < $1::date returning kind`,
)

type Counting = Pick<Gateway, 'directory' | 'serviceCounts'>

/** Writes what this process has counted. Where that fails it is tried again with the next: then a minute may count twice. */
export async function writeServiceDays({ directory, serviceCounts }: Counting): Promise<void> {
  const counts = serviceCounts.take()
  if (counts.length === 0) return
  try {
    await directory.query(ADD, toColumns(counts).values('day', 'kind', 'channel', 'good', 'counted'))
  } catch (error) {
    serviceCounts.putBack(counts)
    throw error
  }
}

/** Reads the counts of the days that are shown. */
export const readServiceDays = ({ directory, clock }: Pick<Gateway, 'directory' | 'clock'>) =>
  directory.query(DAYS, [firstServiceDay(clock.now())])

/** Forgets the days before those that are shown. Returns how many rows. */
export const pruneServiceDays = async ({ directory, witness }: App): Promise<number> =>
  (await directory.query(FORGET, [firstServiceDay(witness.earlier())])).length

/** The days that are shown, the first one first. */
export const listServiceDays = (now: Date): string[] =>
  Array.from({ length: SERVICE_DAYS_KEPT }, (_, nth) =>
    kampalaDay(new Date(now.getTime() - (SERVICE_DAYS_KEPT - 1 - nth) * DAY_MS)),
  )

const firstServiceDay = (now: Date) => kampalaDay(new Date(now.getTime() - (SERVICE_DAYS_KEPT - 1) * DAY_MS))
