import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { clockOffsetMs, findTerms, merchantInactive } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { scheduleNotFound } from './find-schedules.ts'
import { refuseLimitedKey } from './refuse-limited-key.ts'
import { SCHEDULE_COLUMNS, type Schedule } from './schedule.ts'

/** The changes that a merchant may make to a schedule (contract.md 2.3a). */
export type ScheduleChange = 'pause' | 'resume' | 'cancel'

/** `now` is on the clock that decides what is due, `at` is the real time. */
type ChangeTimes = { now: Date; at: Date }

const LOCK_SCHEDULE = statement<Schedule>(
  'lock schedule',
  `select ${SCHEDULE_COLUMNS} from schedules s where s.merchant_id = $1 and s.id = $2 and s.mode = $3 for no key update`,
)
const CHANGE_SCHEDULE = statement(
  'change schedule',
  `update schedules set status = $4, next_run_at = $5, failure_reason = $6, cancelled_at = $7
   where merchant_id = $1 and id = $2 and status = $3`,
)

/**
 * Pauses, resumes or cancels the caller's schedule and returns the result; a repeat changes nothing. A cycle that is due at
 * the same time runs completely before or after the change. Throws Refusal: 400 inactive, 404, 409.
 */
export async function changeSchedule(
  app: App,
  caller: Caller,
  { id, change }: { id: string; change: ScheduleChange },
): Promise<Schedule> {
  allow(caller, 'schedule.change')
  if (change === 'resume') refuseLimitedKey(caller)
  const own = parseTag('spo_', id) === caller.tag
  return app.db.transaction(async (tx) => {
    const at = app.clock.now()
    const [[terms], [schedule]] = await tx.send(
      findTerms([caller.merchantId]),
      call(LOCK_SCHEDULE, caller.merchantId, own ? id : null, caller.mode),
    )
    assert(terms, 'a merchant with a key has a row')
    if (!terms.active) throw merchantInactive(terms)
    if (!schedule) throw scheduleNotFound()
    const next = applyChange(schedule, change, { at, now: addMs(at, clockOffsetMs(terms, caller.mode)) })
    if (next === schedule) return { value: next }
    const act = { actor: caller, action: 'schedule.change', at, merchantId: caller.merchantId } as const
    const states = { before: { status: schedule.status }, after: { status: next.status } }
    const row = auditRow({ ...act, mode: caller.mode, subject: id, ...states })
    return { value: next, last: [writeChange(schedule, next), row] }
  })
}

/** Returns the schedule after the change, or the same object if nothing changes. Throws 409 for a cancelled one. */
export function applyChange(schedule: Schedule, change: ScheduleChange, times: ChangeTimes): Schedule {
  switch (change) {
    case 'pause':
      return pause(schedule)
    case 'resume':
      return resume(schedule, times.now)
    case 'cancel':
      return cancel(schedule, times.at)
  }
}

function pause(schedule: Schedule): Schedule {
  if (schedule.status === 'cancelled') throw cancelledIsFinal('paused')
  if (schedule.status === 'paused') return schedule
  return { ...schedule, status: 'paused', failureReason: null }
}

/** However many dates passed during the pause, one cycle runs now. The anchor stays. */
function resume(schedule: Schedule, now: Date): Schedule {
  if (schedule.status === 'cancelled') throw cancelledIsFinal('resumed')
  if (schedule.status === 'active') return schedule
  const nextRunAt = schedule.nextRunAt !== null && schedule.nextRunAt > now ? schedule.nextRunAt : now
  return { ...schedule, status: 'active', failureReason: null, nextRunAt }
}

function cancel(schedule: Schedule, at: Date): Schedule {
  if (schedule.status === 'cancelled') return schedule
  return { ...schedule, status: 'cancelled', failureReason: null, nextRunAt: null, cancelledAt: at }
}

const cancelledIsFinal = (attempt: 'paused' | 'resumed') =>
  new Refusal(409, 'conflict', `a cancelled schedule cannot be ${attempt}`)

const writeChange = (from: Schedule, to: Schedule) =>
  call(
    CHANGE_SCHEDULE,
    from.merchantId,
    from.id,
    from.status,
    to.status,
    to.nextRunAt?.toISOString() ?? null,
    to.failureReason,
    to.cancelledAt?.toISOString() ?? null,
  )
