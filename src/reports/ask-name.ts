import type { OperatorCaller, Place } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import type { App } from '../app.ts'
import { resolveAccount } from '../payouts/resolve-account.ts'
import { notFound } from '../platform/refusal.ts'
import { type CheckedNumber, keepNameCheck } from '../verification/name-check.ts'
import { readVerification } from '../verification/read-application.ts'
import { findWithdrawalNumber } from '../withdrawals/find-withdrawals.ts'

type Asking = OperatorCaller & Place

/**
 * Asks the operator of a wallet who holds a number of the merchant, and keeps the answer. No transaction is open meanwhile. Throws 404,
 * and 502 without an answer.
 */
export async function askName(app: App, caller: Asking, wanted: string): Promise<void> {
  allow(caller, 'merchant.name-check', caller.merchantId)
  const number = await numberOf(app, caller, wanted)
  if (number === null) throw notFound('number')
  const { what, phone } = number
  const { active, registered_name: name } = await resolveAccount(app, caller, phone)
  await keepNameCheck(app, caller, { what, said: { phone, active, name } })
}

async function numberOf(
  app: App,
  caller: Asking,
  wanted: string,
): Promise<{ what: CheckedNumber; phone: string } | null> {
  if (wanted === 'withdrawal') {
    const number = await findWithdrawalNumber(app, caller)
    return number && { what: 'withdrawal', phone: number.phone }
  }
  const { answers } = await readVerification(app, caller.merchantId)
  if (wanted === 'settlement')
    return answers.settlement ? { what: wanted, phone: answers.settlement.phone } : null
  const place = Number(/^director-([0-9])$/.exec(wanted)?.[1])
  const director = answers.directors?.[place]
  return director === undefined ? null : { what: `director-${place}`, phone: director.phone }
}
