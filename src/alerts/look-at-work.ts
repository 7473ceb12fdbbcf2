import type { App } from '../app.ts'
import { earliest } from '../platform/earliest.ts'
import { groupBy } from '../platform/group-by.ts'
import {
  lateBefore,
  MOST_WAITING,
  placeOfCell,
  placeOfPlatform,
  type Waiting,
  type WaitingPlace,
  type WorkKind,
  waitingIn,
} from '../waiting/waiting-work.ts'
import type { Alarm } from './alert.ts'
import { recordLook } from './raise-alerts.ts'

const NAMES: Readonly<Record<WorkKind, string>> = {
  approvals: 'approvals wait for a second operator',
  exceptions: 'exceptions are taken by nobody',
  withdrawals: 'withdrawals wait for a decision',
  numbers: 'settlement numbers wait for their verification',
  verifications: 'applications wait for a review',
  marks: 'payments are marked to be looked at again',
}

/** Records as alerts what has waited for an operator for longer than WORK_WAITS_HOURS. Answers how many kinds do. */
export async function lookAtWork(app: App, at: Date): Promise<number> {
  const before = lateBefore(app, at)
  let holding = 0
  // What is about the platform belongs to no cell: whoever looks first records it.
  for (const place of [placeOfCell(app), placeOfPlatform(app)]) {
    const found = alarmsOf(place, await waitingIn(place, { at, before }), app.config.workWaitsHours)
    holding += found.length
    await recordLook(app.directory, { place: `work of ${place.place}`, kinds: ['work_waiting'], found, at })
  }
  return holding
}

const alarmsOf = ({ place }: WaitingPlace, waiting: readonly Waiting[], hours: number): Alarm[] =>
  [...groupBy(waiting, ({ work }) => work)].flatMap(([work, rows]) => {
    const late = rows.reduce((sum, row) => sum + row.late, 0)
    const since = earliest(rows.map((row) => row.since))
    if (late === 0 || since === null) return []
    const many = rows.some((row) => row.late === MOST_WAITING) ? `at least ${late}` : late
    return {
      kind: 'work_waiting' as const,
      subject: `${place} ${work}`,
      says: `${many} ${NAMES[work]} for more than ${hours} hours (${place}, since ${since.toISOString()})`,
      size: late,
      since,
    }
  })
