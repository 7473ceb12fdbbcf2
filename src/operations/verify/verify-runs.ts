import { latestPlausibleTime } from '../../platform/db/due-times.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import { kampalaDay, kampalaIso } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { firstOffenders, type InvariantFinding } from './verify.ts'

/** The stored result of an invariant that does not hold. */
type BrokenInvariant = { id: string; says: string; violations: number; offenders: string[] }
/** The stored result of an invariant with accepted offenders. */
type AcceptedInvariant = { id: string; count: number; offenders: string[] }
/** A finished run of verify over one cell. `error`: why it did not come to its end. */
export type VerifyRun = {
  cell: string
  runBy: 'person' | 'night'
  begunAt: Date
  endedAt: Date
  looked: number | null
  violations: number | null
  broken: BrokenInvariant[] | null
  /** Offenders that two staff members have accepted, by invariant. */
  accepted: AcceptedInvariant[] | null
  error: string | null
}
type VerifyRunApp = Pick<App, 'directory' | 'clock' | 'cell'>

const STORE = statement(
  'store run of verify',
  `insert into verify_runs (cell, run_by, begun_at, ended_at, looked, violations, broken, accepted)
   values ($1, 'person', $2, $3, $4, $5, $6::jsonb, $7::jsonb)`,
)
const DUE = statement<{ last: Date | null; first: Date | null; tonight: boolean; asked: boolean }>(
  'is verify due',
  `select (select max(begun_at) from verify_runs where cell = $1) as last,
     (select first_at from sweep_runs where cell = $1 and sweep = 'verify') as first,
     exists (select 1 from verify_runs where cell = $1 and night = $2::date) as tonight,
     exists (select 1 from sweep_requests where cell = $1 and sweep = 'verify' and claimed_at is not null and ended_at is null) as asked`,
)
const GIVE_UP = statement(
  'give up runs of verify',
  `update verify_runs set ended_at = $1, error = 'its worker ended before it did' where ended_at is null and (begun_at <= $2 or begun_at > $3)`,
)
// One open row at a time, and one row a night: the second process inserts nothing.
const CLAIM = statement<{ id: number }>(
  'claim run of verify',
  `insert into verify_runs (cell, run_by, night, begun_at) values ($1, $2, $3::date, $4) on conflict do nothing returning id`,
)
const FINISH = statement(
  'end run of verify',
  `update verify_runs set ended_at = $2, looked = $3, violations = $4, broken = $5::jsonb, error = $6, accepted = $7::jsonb where id = $1 and ended_at is null`,
)
const LATEST = statement<VerifyRun>(
  'latest runs of verify',
  `select r.cell, r.run_by as "runBy", r.begun_at as "begunAt", r.ended_at as "endedAt", r.looked, r.violations, r.broken, r.accepted, r.error
   from (select name from cells) c cross join lateral (
     select * from verify_runs v where v.cell = c.name and v.ended_at is not null order by v.begun_at desc limit $1) r
   order by r.begun_at desc`,
)
const LAST_SUCCESS = statement<{ cell: string; at: Date | null; first: Date | null }>(
  'last run of verify to its end',
  `select c.name as cell, (select max(v.ended_at) from verify_runs v where v.cell = c.name and v.error is null and v.violations = 0) as at,
     (select first_at from sweep_runs s where s.cell = c.name and s.sweep = 'verify') as first
   from cells c order by 1`,
)

// From three at night in Kampala: shops are closed, and the days before are complete.
const VERIFY_NIGHT_HOURS = { from: 3, until: 5 }
// After so long without a run, the next worker catches up.
const CAUGHT_UP_AFTER_MS = 26 * 3_600_000
// A run counts as dead after so long: each invariant may take a minute, and all of them together take less than this.
const GIVEN_UP_AFTER_MS = 2 * 3_600_000
const MAX_BROKEN = 50
const MAX_ERROR_LENGTH = 300

const sumFindings = (findings: readonly InvariantFinding[]) => ({
  looked: findings.reduce((sum, { looked }) => sum + looked, 0),
  violations: findings.reduce((sum, { violations }) => sum + violations, 0),
  broken: JSON.stringify(
    findings
      .filter(({ violations }) => violations > 0)
      .slice(0, MAX_BROKEN)
      .map(({ id, says, violations, offenders }) => ({
        ...{ id, says, violations },
        offenders: firstOffenders(offenders),
      })),
  ),
  accepted: JSON.stringify(
    findings
      .filter(({ accepted }) => accepted > 0)
      .slice(0, MAX_BROKEN)
      .map(({ id, accepted, acceptedOffenders }) => ({
        ...{ id, count: accepted, offenders: firstOffenders(acceptedOffenders) },
      })),
  ),
})

/** Stores the result of a run by a command. */
export async function storeVerifyRun(
  { directory, clock, cell }: VerifyRunApp,
  { begunAt, findings }: { begunAt: Date; findings: readonly InvariantFinding[] },
): Promise<void> {
  const { looked, violations, broken, accepted } = sumFindings(findings)
  const times = [begunAt.toISOString(), clock.now().toISOString()]
  await directory.query(STORE, [cell, ...times, looked, violations, broken, accepted])
}

/**
 * Claims the run of this night, or one that is overdue or requested, for this process alone. Returns its id; null when there is none to
 * do.
 */
export async function claimVerifyRun({ directory, clock, cell }: VerifyRunApp): Promise<number | null> {
  const now = clock.now()
  const day = kampalaDay(now)
  const due = await firstRow(directory.query(DUE, [cell, day]))
  const hour = Number(kampalaIso(now).slice(11, 13))
  const isNight = hour >= VERIFY_NIGHT_HOURS.from && hour < VERIFY_NIGHT_HOURS.until
  const since = due?.last ?? due?.first ?? now
  const night = isNight && due?.tonight !== true
  const overdue = now.getTime() - since.getTime() > CAUGHT_UP_AFTER_MS
  if (!night && !overdue && due?.asked !== true) return null
  const at = now.toISOString()
  await directory.query(GIVE_UP, [
    at,
    addMs(now, -GIVEN_UP_AFTER_MS).toISOString(),
    latestPlausibleTime(now, 0).toISOString(),
  ])
  const runBy = due?.asked ? 'person' : 'night'
  const [claimed] = await directory.query(CLAIM, [cell, runBy, night ? day : null, at])
  return claimed?.id ?? null
}

/** Stores the result of a claimed run: its findings, or why it did not come to its end. */
export async function finishVerifyRun(
  { directory, clock }: VerifyRunApp,
  { id, ended: outcome }: { id: number; ended: { findings: readonly InvariantFinding[] } | { error: string } },
): Promise<void> {
  const at = clock.now().toISOString()
  if ('error' in outcome)
    return void (await directory.query(FINISH, [
      ...[id, at, null, null, null, outcome.error.slice(0, MAX_ERROR_LENGTH), null],
    ]))
  const { looked, violations, broken, accepted } = sumFindings(outcome.findings)
  await directory.query(FINISH, [id, at, looked, violations, broken, null, accepted])
}

/** The latest runs of each cell, newest first. */
export const listVerifyRuns = ({ directory }: Pick<App, 'directory'>, ofEachCell: number): Promise<VerifyRun[]> =>
  directory.query(LATEST, [ofEachCell])

/** Reads when all invariants of each cell last held, and since when a worker could have checked them. */
export const readLastVerified = ({ directory }: Pick<App, 'directory'>) => directory.query(LAST_SUCCESS)
