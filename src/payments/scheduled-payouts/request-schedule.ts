import type { PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import type { Answer } from '../../api/http/answer.ts'
import { payoutFee } from '../../ledger/fees.ts'
import { findTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import type { App } from '../../program/app.ts'
import type { PreparedApproval } from '../payouts/prepared/approve-prepared.ts'
import { prepare } from '../payouts/prepared/prepare-payout.ts'
import { sendOrPrepare } from '../payouts/prepared/request-payout.ts'
import { countOpenSchedules, createSchedule, judgeSchedule, type ScheduleRequest } from './create-schedule.ts'
import { judgeFirstDate } from './first-date.ts'
import { parseScheduleTerms, type ScheduledPayoutCreate } from './schedule-request.ts'

type PersonScheduleRequest = Omit<ScheduleRequest, 'caller' | 'prepared'> & {
  caller: PersonCaller
  note: string | null
}

/**
 * Creates a schedule for a person on the dashboard if that person may create it alone, judged by the sum of one cycle; otherwise prepares it
 * for the approval of a second person. Once for each key. Throws Refusal.
 */
export const requestSchedule = (app: App, request: PersonScheduleRequest): Promise<Answer> =>
  sendOrPrepare(
    request,
    () => createSchedule(app, request),
    () => prepareSchedule(app, request),
  )

/** Creates an approved schedule. Refused if its first date has passed meanwhile. */
export const approveSchedule = (app: App, approval: PreparedApproval, stored: unknown): Promise<Answer> =>
  // `prepareSchedule` stored a value of this type.
  createSchedule(app, { ...approval, input: stored as ScheduledPayoutCreate })

async function prepareSchedule(app: App, request: PersonScheduleRequest): Promise<Answer> {
  const { caller, input } = request
  allow(caller, 'payout.prepare')
  return prepare(app, { ...request, kind: 'schedule', request: input }, async (tx, at) => {
    const scheduleTerms = parseScheduleTerms(input)
    const [[terms], [counted]] = await tx.send(findTerms([caller.merchantId]), countOpenSchedules(caller))
    assert(terms && counted, 'a merchant that is acted on has a row')
    judgeSchedule(app, scheduleTerms, { terms, open: counted.open, at, mode: caller.mode })
    judgeFirstDate(scheduleTerms, { terms, mode: caller.mode, at })
    const recipients = scheduleTerms.recipients.length
    return {
      amount: scheduleTerms.amount * recipients,
      fees: payoutFee(scheduleTerms.amount) * recipients,
      recipients,
    }
  })
}
