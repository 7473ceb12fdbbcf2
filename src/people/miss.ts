import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import type { Call } from '../platform/db/database.ts'
import { type Account, accountsOf } from './accounts.ts'
import type { Try } from './begin-try.ts'
import type { EmailAddress } from './email-address.ts'
import { makeLink } from './links.ts'
import { mayMail } from './sign-in-limits.ts'
import { sent } from './sign-up.ts'
import { addressOfPage, tell } from './tell.ts'
import { lockCounter, locksAt } from './tries.ts'
import { type Visitor, visitorActor } from './visitor.ts'

type Miss = {
  /** The try that was wrong. */
  tried: Try
  email: EmailAddress
  /** The account that was tried; null where only an address was given. */
  account: Pick<Account, 'publicId' | 'merchantId'> | null
  visitor: Visitor
}

/**
 * Records a wrong password or code. The fifth locks the counter, and the owner of the address gets a mail; a merchant's person gets a link
 * in it to choose a new password.
 */
export async function missed(gateway: Gateway, { tried, email, account, visitor }: Miss): Promise<void> {
  const locks = tried.taken.filter(({ miss }) => locksAt(miss))
  if (locks.length === 0) return
  const at = gateway.clock.now()
  const [first] = await gateway.directory.query(...sent(accountsOf(visitor.realm, email)))
  const sendsMail = first !== undefined && (await mayMail(gateway, 'locked', `${visitor.realm} ${email.key}`))
  await gateway.directory.transaction(async (tx) => {
    await tx.send(...locks.map(({ counter }) => lockCounter(counter, at)))
    if (!first) return { value: null }
    const { publicId, merchantId } = account ?? first
    const act = { actor: visitorActor(visitor), action: 'account.sign-in', at, merchantId } as const
    const row = auditRow({ ...act, subject: publicId, after: { locked_for: '30 minutes' } })
    return {
      value: null,
      last: [...(sendsMail ? letterOf(gateway, { account: first, visitor, at }) : []), row],
    }
  })
}

type Locked = { account: Account; visitor: Visitor; at: Date }

/** Makes the mail about a lock. An operator's has no link: an admin or a command on the machine lets an operator in again. */
function letterOf(gateway: Gateway, { account: { id: personId, email: to }, visitor, at }: Locked): Call[] {
  const address = visitor.origin
  if (visitor.realm === 'operator')
    return tell(gateway, { to, template: 'operator-locked', values: { address }, at })
  const { token, add } = makeLink({ purpose: 'reset', personId, at })
  const values = { link: addressOfPage(gateway, `/reset?link=${token}`), address }
  return [add, ...tell(gateway, { to, template: 'account-locked', values, at })]
}
