import type { PersonCaller } from '../actors/actor.ts'
import { allow, mayDo } from '../actors/allow.ts'
import type { App } from '../app.ts'
import { payoutFee } from '../ledger/fees.ts'
import { termsOf } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { countOpen, judgeSchedule } from './create-schedule.ts'
import { judgeFirstDate } from './first-date.ts'
import { readScheduleTerms, type ScheduledPayoutCreate, type ScheduleTerms } from './schedule-request.ts'

/** What a person is about to start: what one cycle needs with its fees, in whole UGX, and when the first one runs; null: within a minute. */
export type SchedulePlan = { terms: ScheduleTerms; amount: number; fees: number; first: Date | null }

/**
 * Judges a schedule that a person is about to ask for, by the rules that will judge it when it is made. The balance counts when a cycle
 * runs. Throws Refusal.
 */
export async function checkSchedule(
  app: App,
  caller: PersonCaller,
  input: ScheduledPayoutCreate,
): Promise<SchedulePlan> {
  allow(caller, 'payout.prepare')
  // The factor is asked for when it is made; whose money is held hears it before.
  if (mayDo(caller, 'schedule.create')) allow({ ...caller, factorAgeMs: 0 }, 'schedule.create')
  const wanted = readScheduleTerms(input)
  const { merchantId, mode } = caller
  const asked = termsOf([merchantId])
  const counting = countOpen({ merchantId, mode })
  const [terms] = await app.db.query(asked.statement, asked.values)
  const [counted] = await app.db.query(counting.statement, counting.values)
  assert(terms && counted, 'a merchant that is acted on has a row')
  const at = app.clock.now()
  judgeSchedule(app, wanted, { terms, open: counted.open, at, mode })
  judgeFirstDate(wanted, { terms, mode, at })
  const people = wanted.recipients.length
  const each = { amount: wanted.amount * people, fees: payoutFee(wanted.amount) * people }
  return { terms: wanted, ...each, first: wanted.startAt }
}
