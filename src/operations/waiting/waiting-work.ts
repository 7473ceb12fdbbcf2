import { EXCEPTION_KINDS, EXCEPTION_LISTS } from '../../payments/exceptions/find-exceptions.ts'
import { reachedCells } from '../../platform/db/cell-watch.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Statement, statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App, Gateway } from '../../program/app.ts'

/** Kinds of work that wait for our staff. */
export const WORK_KINDS = [
  'approvals',
  'exceptions',
  'withdrawals',
  'numbers',
  'standing_orders',
  'verifications',
  'marks',
  'cases',
] as const
export type StaffWorkKind = (typeof WORK_KINDS)[number]

/**
 * The work of one kind that waits in one database. At most MAX_COUNTED_WAITING of each part are counted, the oldest first, so that the
 * one that waits longest is always among them.
 */
export type WaitingWork = {
  work: StaffWorkKind
  /** The kind of exceptions; the requester of approvals, who may not approve his own requests. */
  part: string | null
  count: number
  /** How many of them are not assigned and wait since before the bound. */
  late: number
  /** Since when the oldest waits that is not assigned; null where all are assigned. */
  since: Date | null
}
export type WorkDatabase = { databaseName: string; db: Database; list: Statement<WaitingWork> }

/** One more than the largest number that is shown. */
export const MAX_COUNTED_WAITING = 100
const HOUR_MS = 3_600_000

const countSql = (work: StaffWorkKind, rows: string, part = 'null') => `
  select '${work}' as work, ${part} as part, count(*)::int as count,
    (count(*) filter (where free and at <= $2::timestamptz))::int as late, min(at) filter (where free) as since
  from (${rows}) ${work} group by 2 having count(*) > 0`
// Index: approvals_waiting. There are few: each is one act of a person, and expires after a day.
const APPROVALS = countSql(
  'approvals',
  `select asked_by::text as part, asked_at as at, true as free from approvals
   where status = 'waiting' and (expires_at > $1::timestamptz or waits_for_money) order by asked_at, id limit ${MAX_COUNTED_WAITING}`,
  'part',
)
// Each kind is counted by itself, so that a frequent kind hides no other. Kinds that are only late close by themselves, so they wait for
// no person. Index: exceptions_open_by_kind; exceptions of the platform are few.
const exceptionsSql = (table: string) =>
  countSql(
    'exceptions',
    `select k.kind as part, e.opened_at as at, e.owner is null and k.kind <> all ('{${EXCEPTION_LISTS.waiting.join(',')}}') as free
     from unnest('{${EXCEPTION_KINDS.join(',')}}'::text[]) k (kind) cross join lateral (
       select opened_at, owner from ${table} where kind = k.kind and closed_at is null order by opened_at limit ${MAX_COUNTED_WAITING}) e`,
    'part',
  )
const CELL_WORK = statement<WaitingWork>(
  'work that waits in a cell',
  [
    APPROVALS,
    exceptionsSql('exceptions'),
    // Index: withdrawals_waiting.
    countSql(
      'withdrawals',
      `select p.created_at as at, true as free from (select merchant_id, id from withdrawals where state = 'requested' limit 10000) w
         join payouts p on p.merchant_id = w.merchant_id and p.id = w.id order by p.created_at limit ${MAX_COUNTED_WAITING}`,
    ),
    // Index: withdrawal_numbers_waiting.
    countSql(
      'numbers',
      `select set_at as at, true as free from withdrawal_numbers where verified_at is null order by set_at limit ${MAX_COUNTED_WAITING}`,
    ),
    // Index: standing_orders_waiting.
    countSql(
      'standing_orders',
      `select waits_since as at, true as free from standing_orders where waits_since is not null order by waits_since, id limit ${MAX_COUNTED_WAITING}`,
    ),
    // Index: verifications_waiting.
    countSql(
      'verifications',
      `select submitted_at as at, true as free from verifications where state = 'submitted' order by submitted_at limit ${MAX_COUNTED_WAITING}`,
    ),
    // Index: payment_marks_open.
    countSql(
      'marks',
      `select marked_at as at, true as free from payment_marks where done_at is null order by marked_at, id limit ${MAX_COUNTED_WAITING}`,
    ),
    // Index: support_cases_waiting.
    countSql(
      'cases',
      `select waits_since as at, true as free from support_cases where waits_since is not null order by waits_since, id limit ${MAX_COUNTED_WAITING}`,
    ),
  ].join(' union all '),
)
const DIRECTORY_WORK = statement<WaitingWork>(
  'work that waits in the directory',
  [APPROVALS, exceptionsSql('platform_exceptions')].join(' union all '),
)

/** The database of a cell, with the statement of its work. */
export const cellWorkDatabase = ({ cell, db }: Pick<App, 'cell' | 'db'>): WorkDatabase => ({
  ...{ databaseName: cell, db, list: CELL_WORK },
})
/** The directory, with the statement of the platform's work. */
export const directoryWorkDatabase = ({ directory }: Pick<App, 'directory'>): WorkDatabase => ({
  ...{ databaseName: 'directory', db: directory, list: DIRECTORY_WORK },
})

/** Reads the work that waits in one database. `late` counts what is not assigned and waits since `before`. */
export const readWaitingIn = (
  { db, list }: WorkDatabase,
  { at, before }: { at: Date; before: Date },
): Promise<WaitingWork[]> => db.query(list, [at.toISOString(), before.toISOString()])

/** Reads the work that waits for staff in all databases. */
export async function readWaitingWork(gateway: Gateway): Promise<WaitingWork[]> {
  const at = gateway.clock.now()
  const before = lateBefore(gateway, at)
  const databases = [directoryWorkDatabase(gateway), ...reachedCells(gateway).map(cellWorkDatabase)]
  return (await Promise.all(databases.map((database) => readWaitingIn(database, { at, before })))).flat()
}

/** Work that waits since before this time is late (WORK_WAITS_HOURS). */
export const lateBefore = ({ config }: Pick<Gateway, 'config'>, at: Date): Date =>
  addMs(at, -config.workWaitsHours * HOUR_MS)
