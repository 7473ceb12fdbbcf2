import { auditRow } from '../../../api/access/audit-row.ts'
import type { Call } from '../../../platform/db/database.ts'
import type { Gateway } from '../../../program/app.ts'
import { accountMailRows, makeDashboardUrl } from '../account-mails.ts'
import { type Account, findAccounts } from '../accounts.ts'
import type { EmailAddress } from '../addresses/email-address.ts'
import { makeLink } from '../links.ts'
import type { SignInTry } from './begin-try.ts'
import { isLockingMiss, lockCounter } from './sign-in-counters.ts'
import { takeMailSlot } from './sign-in-limits.ts'
import { queryArguments } from './sign-up.ts'
import { type Visitor, visitorActor } from './visitor.ts'

type FailedTry = {
  /** The try that was wrong. */
  tried: SignInTry
  email: EmailAddress
  /** The account that was tried; null where only an address was given. */
  account: Pick<Account, 'publicId' | 'merchantId'> | null
  visitor: Visitor
}

/**
 * Records a wrong password or code. The fifth locks the counter, and the owner of the address gets a mail; a merchant's person gets a link
 * in it to choose a new password.
 */
export async function recordFailedTry(gateway: Gateway, { tried, email, account, visitor }: FailedTry): Promise<void> {
  const locks = tried.taken.filter(({ miss }) => isLockingMiss(miss))
  if (locks.length === 0) return
  const at = gateway.clock.now()
  const [first] = await gateway.directory.query(...queryArguments(findAccounts(visitor.realm, email)))
  const sendsMail = first !== undefined && (await takeMailSlot(gateway, 'locked', `${visitor.realm} ${email.key}`))
  await gateway.directory.transaction(async (tx) => {
    await tx.send(...locks.map(({ counter }) => lockCounter(counter, at)))
    if (!first) return { value: null }
    const { publicId, merchantId } = account ?? first
    const act = { actor: visitorActor(visitor), action: 'account.sign-in', at, merchantId } as const
    const row = auditRow({ ...act, subject: publicId, after: { locked_for: '30 minutes' } })
    return {
      value: null,
      last: [...(sendsMail ? makeLockedLetter(gateway, { account: first, visitor, at }) : []), row],
    }
  })
}

type LockedAccount = { account: Account; visitor: Visitor; at: Date }

/** Makes the mail about a lock. An operator's has no link: an admin or a command on the machine lets an operator in again. */
function makeLockedLetter(
  gateway: Gateway,
  { account: { id: personId, email: to }, visitor, at }: LockedAccount,
): Call[] {
  const address = visitor.origin
  if (visitor.realm === 'operator')
    return accountMailRows(gateway, { to, template: 'operator-locked', values: { address }, at })
  const { token, add } = makeLink({ purpose: 'reset', personId, at })
  const values = { link: makeDashboardUrl(gateway, `/reset?link=${token}`), address }
  return [add, ...accountMailRows(gateway, { to, template: 'account-locked', values, at })]
}
