import { setBackDeliveries } from '../merchants/webhooks/tend-deliveries.ts'
import { SET_BACK_CHARGES } from '../payments/charges/set-back-charges.ts'
import { SET_BACK_PAYOUTS } from '../payments/payouts/set-back-payouts.ts'
import { SET_BACK_TOP_UPS } from '../payments/top-ups/set-back-questions.ts'
import { longestSteps } from '../rails/following/follow-ladder.ts'
import { setBackTooFarAhead } from '../rails/following/questions-too-far-ahead.ts'
import type { App } from './app.ts'

export const SET_BACK_AT_ONCE = 500

/**
 * Makes due what a clock that was ahead has put off: movements and deliveries whose next question or attempt lies further ahead than the
 * longest step. Their claims find due times by index, so these are put right instead of skipped. Returns the largest number of rows that
 * one kind had.
 */
export async function setBackTimes({ db, config, clock }: App): Promise<number> {
  const now = clock.now()
  const input = { now, steps: longestSteps(config.followLadder), most: SET_BACK_AT_ONCE }
  const movements = [SET_BACK_CHARGES, SET_BACK_PAYOUTS, SET_BACK_TOP_UPS].map((statement) =>
    setBackTooFarAhead(statement, input),
  )
  const deliveries = setBackDeliveries(now, config.webhookRetryDelays, SET_BACK_AT_ONCE)
  let largest = 0
  for (const { statement, values } of [...movements, deliveries])
    largest = Math.max(largest, (await db.query(statement, values)).length)
  return largest
}
