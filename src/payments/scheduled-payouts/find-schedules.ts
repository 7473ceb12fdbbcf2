import type { Caller } from '../../api/access/actor.ts'
import { listStatement } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, nullIfRefused, readListPage } from '../../api/http/lists/lists.ts'
import { textColumn } from '../../platform/db/columns.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import type { PlannedSchedule } from './forecast.ts'
import { SCHEDULE_COLUMNS, type Schedule } from './schedule.ts'

/** Which schedules to list (spec 4.2). Bounds are inclusive; an absent filter is null. `status`: several with commas between. */
export type ScheduleFilter = ListWindow & { status: string | null }

const SCHEDULE_BY_ID = statement<Schedule>(
  'schedule by id',
  `select ${SCHEDULE_COLUMNS} from schedules s where s.merchant_id = $1 and s.id = $2 and s.mode = $3`,
)
const SCHEDULES_BY_ID = statement<Schedule>(
  'schedules by id',
  `select ${SCHEDULE_COLUMNS} from schedules s where s.merchant_id = $1 and s.mode = $2 and s.id = any($3::text[])`,
)
const LIST_SCHEDULES = listStatement<Schedule>(
  'list schedules',
  `select ${SCHEDULE_COLUMNS} from schedules s where s.merchant_id = :merchantId and s.mode = :mode
     and s.created_at >= :bound and (s.created_at, s.id) < (:cursorAt, :cursorId)
     and (:status::text is null or s.status = any(string_to_array(:status, ',')))
   order by s.created_at desc, s.id desc limit :limit`,
)

const LIST_ACTIVE_SCHEDULES = statement<PlannedSchedule>(
  'active schedules',
  `select s.id, s.name, s.amount, s.interval, s.anchor_at as "anchorAt", s.next_run_at as "nextRunAt", s.status,
     jsonb_array_length(s.recipients) as people
   from schedules s where s.merchant_id = $1 and s.mode = $2 and s.status = 'active'
   order by s.next_run_at, s.id limit 100`,
)

export const scheduleNotFound = () => notFound('scheduled payout')

/** Returns the caller's schedule in the key's mode. Throws 404 (spec 1.3). */
export async function getSchedule(app: App, caller: Caller, id: string): Promise<Schedule> {
  const [schedule] =
    parseTag('spo_', id) === caller.tag ? await app.db.query(SCHEDULE_BY_ID, [caller.merchantId, id, caller.mode]) : []
  if (!schedule) throw scheduleNotFound()
  return schedule
}

/** Returns those of these schedules that are the caller's in its mode. */
export const findSchedules = (app: App, { merchantId, mode }: Caller, ids: readonly string[]): Promise<Schedule[]> =>
  app.db.query(SCHEDULES_BY_ID, [merchantId, mode, textColumn(ids)])

/** One page of the caller's schedules, newest first. */
export async function listSchedules(app: App, caller: Caller, filter: ScheduleFilter): Promise<ListPage<Schedule>> {
  return readListPage(app, caller, {
    window: filter,
    statement: LIST_SCHEDULES,
    filters: { status: filter.status },
    find: (id) => nullIfRefused(getSchedule(app, caller, id)),
  })
}

/** Every active schedule of the caller; there are at most a hundred. */
export const listActiveSchedules = (app: App, { merchantId, mode }: Caller): Promise<PlannedSchedule[]> =>
  app.db.query(LIST_ACTIVE_SCHEDULES, [merchantId, mode])
