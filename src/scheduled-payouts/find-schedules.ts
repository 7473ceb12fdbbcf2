import type { App } from '../app.ts'
import type { Caller } from '../http/caller.ts'
import { type ListWindow, olderThan, orNull, type Page, pageOf } from '../http/lists.ts'
import { statement } from '../platform/db/statement.ts'
import { tagOf } from '../platform/ids.ts'
import { badRequest, notFound } from '../platform/refusal.ts'
import { echo } from '../platform/text.ts'
import { SCHEDULE_COLUMNS, SCHEDULE_STATUSES, type Schedule } from './schedule.ts'

/** Which schedules (spec 4.2). Bounds are inclusive; filters that are absent are null. */
export type ScheduleFilter = ListWindow & { status: string | null }

const BY_ID = statement<Schedule>(
  'schedule by id',
  `select ${SCHEDULE_COLUMNS} from schedules s where s.merchant_id = $1 and s.id = $2 and s.mode = $3`,
)
const LIST = statement<Schedule>(
  'list schedules',
  `select ${SCHEDULE_COLUMNS} from schedules s where s.merchant_id = $1 and s.mode = $2
     and s.created_at >= $3 and (s.created_at, s.id) < ($4, $5)
     and ($7::text is null or s.status = $7)
   order by s.created_at desc, s.id desc limit $6`,
)

export const scheduleNotFound = () => notFound('scheduled payout')

/** The caller's schedule in the key's mode, or 404 (spec 1.3). */
export async function getSchedule(app: App, caller: Caller, id: string): Promise<Schedule> {
  const [schedule] =
    tagOf('spo_', id) === caller.tag ? await app.db.query(BY_ID, [caller.merchantId, id, caller.mode]) : []
  if (!schedule) throw scheduleNotFound()
  return schedule
}

/** The status in a query. Throws a refusal when it is none. */
export function readScheduleStatus(text: string | undefined): string | null {
  if (text === undefined) return null
  if (!SCHEDULE_STATUSES.some((one) => one === text)) throw badRequest(`invalid status: ${echo(text)}`)
  return text
}

/** One page of the caller's schedules, newest first. */
export async function listSchedules(
  app: App,
  caller: Caller,
  filter: ScheduleFilter,
): Promise<Page<Schedule>> {
  const cursor = filter.startingAfter === null ? null : await cursorOf(app, caller, filter.startingAfter)
  const rows = await app.db.query(LIST, [
    caller.merchantId,
    caller.mode,
    filter.createdAfter?.toISOString() ?? '-infinity',
    ...olderThan(cursor, filter.createdBefore),
    filter.limit + 1,
    filter.status,
  ])
  return pageOf(rows, filter.limit)
}

async function cursorOf(app: App, caller: Caller, id: string): Promise<Schedule> {
  const schedule = await orNull(getSchedule(app, caller, id))
  if (!schedule) throw badRequest('invalid starting_after cursor')
  return schedule
}
