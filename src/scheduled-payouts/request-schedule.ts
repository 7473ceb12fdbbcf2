import type { PersonCaller } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import type { App } from '../app.ts'
import type { Answer } from '../http/caller.ts'
import { payoutFee } from '../ledger/fees.ts'
import { termsOf } from '../merchants/merchant.ts'
import type { Approval } from '../payouts/prepared/approve-prepared.ts'
import { prepare } from '../payouts/prepared/prepare-payout.ts'
import { aloneOrPrepared } from '../payouts/prepared/request-payout.ts'
import { assert } from '../platform/assert.ts'
import { countOpen, createSchedule, judgeSchedule, type ScheduleRequest } from './create-schedule.ts'
import { judgeFirstDate } from './first-date.ts'
import { readScheduleTerms, type ScheduledPayoutCreate } from './schedule-request.ts'

type ByPerson = Omit<ScheduleRequest, 'caller' | 'prepared'> & { caller: PersonCaller; note: string | null }

/**
 * What a person on the dashboard asks for: the schedule where that person may make it alone, else a prepared one for a second person.
 * What one cycle pays together is what counts. Once for each key. Throws Refusal.
 */
export const requestSchedule = (app: App, request: ByPerson): Promise<Answer> =>
  aloneOrPrepared(
    request,
    () => createSchedule(app, request),
    () => prepareSchedule(app, request),
  )

/** Runs an approved schedule, as long as its first date is to come. */
export const approveSchedule = (app: App, approval: Approval, stored: unknown): Promise<Answer> =>
  // Its bytes were written from a value of this kind.
  createSchedule(app, { ...approval, input: stored as ScheduledPayoutCreate })

async function prepareSchedule(app: App, request: ByPerson): Promise<Answer> {
  const { caller, input } = request
  allow(caller, 'payout.prepare')
  return prepare(app, { ...request, kind: 'schedule', request: input }, async (tx, at) => {
    const wanted = readScheduleTerms(input)
    const [[terms], [counted]] = await tx.send(termsOf([caller.merchantId]), countOpen(caller))
    assert(terms && counted, 'a merchant that is acted on has a row')
    judgeSchedule(app, wanted, { terms, open: counted.open, at, mode: caller.mode })
    judgeFirstDate(wanted, { terms, mode: caller.mode, at })
    const recipients = wanted.recipients.length
    return { amount: wanted.amount * recipients, fees: payoutFee(wanted.amount) * recipients, recipients }
  })
}
