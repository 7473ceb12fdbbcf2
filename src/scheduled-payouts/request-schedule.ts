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
import { judgeFirstDate } from './check-schedule.ts'
import { countOpen, createSchedule, judgeSchedule, type ScheduleRequest } from './create-schedule.ts'
import { readScheduleTerms, type ScheduledPayoutCreate } from './schedule-request.ts'

type ByPerson = Omit<ScheduleRequest, 'caller' | 'prepared'> & { caller: PersonCaller; note: string | null }

/**
 * What a person on the dashboard asks for: the schedule where that person may make it alone, else a prepared one for a second person.
 * What one cycle pays together is what counts. Once for each key. Throws Refusal.
 */
export async function requestSchedule(app: App, request: ByPerson): Promise<Answer> {
  await judgeStart(app, request.caller, request.input)
  return aloneOrPrepared(
    request,
    () => createSchedule(app, request),
    () => prepareSchedule(app, request),
  )
}

/** Runs an approved schedule, as long as its first date is to come. */
export async function approveSchedule(app: App, approval: Approval, stored: unknown): Promise<Answer> {
  // Its bytes were written from a value of this kind.
  const input = stored as ScheduledPayoutCreate
  await judgeStart(app, approval.caller, input)
  return createSchedule(app, { ...approval, input })
}

async function judgeStart(app: App, { merchantId, mode }: PersonCaller, input: ScheduledPayoutCreate) {
  const asked = termsOf([merchantId])
  const [terms] = await app.db.query(asked.statement, asked.values)
  assert(terms, 'a merchant that is acted on has a row')
  judgeFirstDate(readScheduleTerms(input), { terms, mode, at: app.clock.now() })
}

async function prepareSchedule(app: App, request: ByPerson): Promise<Answer> {
  const { caller, input } = request
  allow(caller, 'payout.prepare')
  return prepare(app, { ...request, kind: 'schedule', request: input }, async (tx, at) => {
    const wanted = readScheduleTerms(input)
    const [[terms], [counted]] = await tx.send(termsOf([caller.merchantId]), countOpen(caller))
    assert(terms && counted, 'a merchant that is acted on has a row')
    judgeSchedule(app, wanted, { terms, open: counted.open, at, mode: caller.mode })
    const recipients = wanted.recipients.length
    return { amount: wanted.amount * recipients, fees: payoutFee(wanted.amount) * recipients, recipients }
  })
}
