import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow, mayDo } from '../../../api/access/allow.ts'
import type { Answer } from '../../../api/http/answer.ts'
import { throwStoredRefusal } from '../../../api/idempotency/refused-answer.ts'
import { NOT_COUNTED } from '../../../api/rate-limits/exact-window.ts'
import { payoutFee } from '../../../ledger/fees.ts'
import { domainRefusal, Refusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import type { BulkItem } from '../bulk/bulk-item.ts'
import { type BulkRequest, createBulk, judgeBulkCall } from '../bulk/bulk-payouts.ts'
import { createPayout, type PayoutRequest } from '../create-payout.ts'
import { lockDesk } from '../desk/lock-desk.ts'
import { checkRequestReadiness, judgeWithoutWriting } from './check-payout.ts'
import { SECOND_PERSON } from './open-checks.ts'
import { prepare } from './prepare-payout.ts'

type PersonRequest = { caller: PersonCaller; note: string | null }
type PersonPayoutRequest = Omit<PayoutRequest, 'caller' | 'prepared'> & PersonRequest
type PersonBulkRequest = Omit<BulkRequest, 'caller' | 'prepared'> & PersonRequest

/**
 * Requests a payout from the dashboard: creates the payout where the person may send it alone, else a prepared one for a second person
 * (the prefix of `objectId` tells which). Once for each key, whichever it became. Throws Refusal.
 */
export const requestPayout = (app: App, request: PersonPayoutRequest): Promise<Answer> =>
  sendOrPrepare(
    request,
    () => createPayout(app, request),
    () => preparePayout(app, request),
  )

/** Requests a bulk call from the dashboard, as requestPayout requests a payout. */
export const requestBulk = (app: App, request: PersonBulkRequest): Promise<Answer> =>
  sendOrPrepare(
    request,
    () => createBulk(app, request),
    () => prepareBulk(app, request),
  )

/** Runs `alone`, or `prepared` where the caller may only prepare or the rule of the second person requires it. Throws Refusal. */
export async function sendOrPrepare(
  { caller }: PersonRequest,
  alone: () => Promise<Answer>,
  prepared: () => Promise<Answer>,
): Promise<Answer> {
  allow(caller, 'payout.prepare')
  // An accountant may only prepare payouts.
  if (!mayDo(caller, 'payout.create')) return throwStoredRefusal(await prepared())
  try {
    return throwStoredRefusal(await alone())
  } catch (error) {
    if (!(error instanceof Refusal && error.code === SECOND_PERSON)) throw error
    return throwStoredRefusal(await prepared())
  }
}

async function preparePayout(app: App, request: PersonPayoutRequest): Promise<Answer> {
  const { caller, input } = request
  allow(caller, 'payout.prepare')
  const readiness = await checkRequestReadiness(app, request)
  return prepare(app, { ...request, kind: 'payout', request: input }, async (tx, at) => {
    const { amount, fee } = await judgeWithoutWriting(app, tx, { caller, input, readiness, at })
    return { amount, fees: fee, recipients: 1 }
  })
}

async function prepareBulk(app: App, request: PersonBulkRequest): Promise<Answer> {
  const { caller, items } = request
  allow(caller, 'payout.prepare')
  return prepare(app, { ...request, kind: 'bulk', request: items }, async (tx, at) => {
    const locked = await lockDesk(tx, { merchantModes: [caller], at, own: [], window: NOT_COUNTED })
    judgeBulkCall(caller, locked)
    const amounts = judgeBulk(items)
    const sum = (part: (amount: number) => number) => amounts.reduce((total, amount) => total + part(amount), 0)
    return { amount: sum((amount) => amount), fees: sum(payoutFee), recipients: items.length }
  })
}

// No payout is larger than 10^12; a larger item fails by itself when the call runs.
const MAX_ITEM_AMOUNT = 1e12

/** Returns the amounts of the items that can be paid. Throws Refusal when there are none, because then no second person should be asked. */
function judgeBulk(items: readonly BulkItem[]): number[] {
  const amounts = items.flatMap((item) =>
    item.ok && item.amount > 0 && item.amount <= MAX_ITEM_AMOUNT ? [item.amount] : [],
  )
  if (amounts.length === 0) throw domainRefusal('nothing_to_pay', 'none of these lines can be paid')
  return amounts
}
