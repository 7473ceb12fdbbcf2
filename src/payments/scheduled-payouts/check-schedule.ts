import type { PersonCaller } from '../../api/access/actor.ts'
import { allow, mayDo } from '../../api/access/allow.ts'
import { payoutFee } from '../../ledger/fees.ts'
import { findTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import type { App } from '../../program/app.ts'
import { countOpenSchedules, judgeSchedule } from './create-schedule.ts'
import { judgeFirstDate } from './first-date.ts'
import { parseScheduleTerms, type ScheduledPayoutCreate, type ScheduleTerms } from './schedule-request.ts'

/** A schedule before it is created: the cost of one cycle in whole UGX, and when the first one runs (null: within a minute). */
export type SchedulePlan = { terms: ScheduleTerms; amount: number; fees: number; first: Date | null }

/**
 * Checks a schedule that a person is about to create by the rules of its creation. The balance is not checked: it counts when a cycle
 * runs. Throws Refusal.
 */
export async function checkSchedule(
  app: App,
  caller: PersonCaller,
  input: ScheduledPayoutCreate,
): Promise<SchedulePlan> {
  allow(caller, 'payout.prepare')
  // The second factor is checked at creation, so it is taken as fresh here. Other reasons, such as held money, already refuse now.
  if (mayDo(caller, 'schedule.create')) allow({ ...caller, factorAgeMs: 0 }, 'schedule.create')
  const scheduleTerms = parseScheduleTerms(input)
  const { merchantId, mode } = caller
  const termsCall = findTerms([merchantId])
  const countCall = countOpenSchedules({ merchantId, mode })
  const [terms] = await app.db.query(termsCall.statement, termsCall.values)
  const [counted] = await app.db.query(countCall.statement, countCall.values)
  assert(terms && counted, 'a merchant that is acted on has a row')
  const at = app.clock.now()
  judgeSchedule(app, scheduleTerms, { terms, open: counted.open, at, mode })
  judgeFirstDate(scheduleTerms, { terms, mode, at })
  const people = scheduleTerms.recipients.length
  const costs = { amount: scheduleTerms.amount * people, fees: payoutFee(scheduleTerms.amount) * people }
  return { terms: scheduleTerms, ...costs, first: scheduleTerms.startAt }
}
