import { groupBy } from '../../../platform/group-by.ts'
import { findEarliest } from '../../../platform/time/earliest.ts'
import {
  cellWorkDatabase,
  directoryWorkDatabase,
  lateBefore,
  MAX_COUNTED_WAITING,
  readWaitingIn,
  type StaffWorkKind,
  type WaitingWork,
  type WorkDatabase,
} from '../../waiting/waiting-work.ts'
import type { Check, Finding } from '../check.ts'

const SENTENCES: Readonly<Record<StaffWorkKind, string>> = {
  approvals: 'approvals wait for a second operator',
  exceptions: 'exceptions are taken by nobody',
  withdrawals: 'withdrawals wait for a decision',
  standing_orders: 'standing orders wait for their approval',
  numbers: 'settlement numbers wait for their verification',
  verifications: 'applications wait for a review',
  marks: 'payments are marked to be looked at again',
  cases: 'cases of merchants wait for an answer',
}

/** Finds what has waited for staff for longer than WORK_WAITS_HOURS: in the cell, and what is about the platform and belongs to no cell. */
export const WAITING_WORK_CHECKS: readonly Check[] = [cellWorkDatabase, directoryWorkDatabase].map(
  (placeFor): Check => ({
    kinds: ['work_waiting'],
    source: (app) => `work of ${placeFor(app).databaseName}`,
    async find(app, at) {
      const place = placeFor(app)
      const waiting = await readWaitingIn(place, { at, before: lateBefore(app, at) })
      return describeWaiting(place, waiting, app.config.workWaitsHours)
    },
  }),
)

const describeWaiting = ({ databaseName }: WorkDatabase, waiting: readonly WaitingWork[], hours: number): Finding[] =>
  [...groupBy(waiting, ({ work }) => work)].flatMap(([work, rows]) => {
    const late = rows.reduce((sum, row) => sum + row.late, 0)
    const since = findEarliest(rows.map((row) => row.since))
    if (late === 0 || since === null) return []
    const many = rows.some((row) => row.late === MAX_COUNTED_WAITING) ? `at least ${late}` : late
    return {
      kind: 'work_waiting' as const,
      subject: `${databaseName} ${work}`,
      message: `${many} ${SENTENCES[work]} for more than ${hours} hours (${databaseName}, since ${since.toISOString()})`,
      size: late,
      since,
    }
  })
