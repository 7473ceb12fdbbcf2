import type { CallerMerchant, StaffCaller } from '../api/access/actor.ts'
import { allow } from '../api/access/allow.ts'
import { type CheckedNumber, storeNameCheck } from '../merchants/verification/name-check.ts'
import { readVerification } from '../merchants/verification/read-application.ts'
import { resolveAccount } from '../payments/payouts/resolve-account.ts'
import { findWithdrawalNumber } from '../payments/withdrawals/find-withdrawals.ts'
import { notFound } from '../platform/refusal.ts'
import type { App } from '../program/app.ts'

type NameCheckCaller = StaffCaller & CallerMerchant

/**
 * Asks the mobile-money company who holds a number of the merchant, and stores the answer. No transaction is open meanwhile. `which`:
 * withdrawal, settlement or director-N. Throws 404, and 502 without an answer.
 */
export async function askName(app: App, caller: NameCheckCaller, which: string): Promise<void> {
  allow(caller, 'merchant.name-check', caller.merchantId)
  const number = await findNumber(app, caller, which)
  if (number === null) throw notFound('number')
  const { what, phone } = number
  const { active, registered_name: name } = await resolveAccount(app, caller, phone)
  await storeNameCheck(app, caller, { what, answer: { phone, active, name } })
}

async function findNumber(
  app: App,
  caller: NameCheckCaller,
  which: string,
): Promise<{ what: CheckedNumber; phone: string } | null> {
  if (which === 'withdrawal') {
    const number = await findWithdrawalNumber(app, caller)
    return number && { what: 'withdrawal', phone: number.phone }
  }
  const { answers } = await readVerification(app, caller.merchantId)
  if (which === 'settlement') return answers.settlement ? { what: which, phone: answers.settlement.phone } : null
  const index = Number(/^director-([0-9])$/.exec(which)?.[1])
  const director = answers.directors?.[index]
  return director === undefined ? null : { what: `director-${index}`, phone: director.phone }
}
