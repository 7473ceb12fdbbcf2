import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import type { Call } from '../platform/db/database.ts'
import { makeLink } from './links.ts'
import { addressOfPage, tell } from './tell.ts'
import { type Counter, lockCounter, locksAt } from './tries.ts'
import { type Visitor, visitorActor } from './visitor.ts'

type Miss = {
  counter: Counter
  /** Which miss of the counter it was. */
  miss: number
  /** Whose account was tried; null when nobody has it. */
  account: { id: number; publicId: string; email: string; merchantId: number | null } | null
  visitor: Visitor
}

/** After a wrong password or code: the fifth locks, and the owner gets a mail, a merchant's person with a link to choose a new password. */
export async function missed(gateway: Gateway, { counter, miss, account, visitor }: Miss): Promise<void> {
  if (!locksAt(miss)) return
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    await tx.send(lockCounter(counter, at))
    if (account === null) return { value: null }
    const { publicId, merchantId } = account
    const act = { actor: visitorActor(visitor), action: 'account.sign-in', at, merchantId } as const
    const row = auditRow({ ...act, subject: publicId, after: { locked_for: '30 minutes' } })
    return { value: null, last: [...letterOf(gateway, { account, visitor, at }), row] }
  })
}

type Locked = { account: NonNullable<Miss['account']>; visitor: Visitor; at: Date }

/** An operator's has no link: an admin or whoever runs the machine lets an operator in again. */
function letterOf(gateway: Gateway, { account: { id: personId, email: to }, visitor, at }: Locked): Call[] {
  const address = visitor.origin
  if (visitor.realm === 'operator')
    return tell(gateway, { to, template: 'operator-locked', values: { address }, at })
  const { token, add } = makeLink({ purpose: 'reset', personId, at })
  const values = { link: addressOfPage(gateway, `/reset?link=${token}`), address }
  return [add, ...tell(gateway, { to, template: 'account-locked', values, at })]
}
