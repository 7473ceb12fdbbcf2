import type { PersonCaller } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import { againWhenTaken } from '../platform/db/taken.ts'
import { domainRefusal } from '../platform/refusal.ts'
import { linkGone, makeLink, useLink, voidLinks } from './links.ts'
import { locked } from './own-account.ts'
import { takeLinkMail } from './reset-password.ts'
import { addressOfPage, tell } from './tell.ts'
import { type Visitor, visitorActor } from './visitor.ts'
import { closePerson, confirmPerson, lockPerson, moveMemberships, ownerOfAddress } from './write-accounts.ts'
import { endOtherSessions } from './write-sessions.ts'

/**
 * Proves an address by the link that was mailed to it. Where somebody has proven it before, that is the same person: the new
 * account's businesses are added to the older account, which alone remains. Throws 410.
 */
export function confirmEmail(gateway: Gateway, visitor: Visitor, token: string): Promise<void> {
  allow(visitorActor(visitor), 'account.confirm')
  const at = gateway.clock.now()
  return againWhenTaken(() =>
    gateway.directory.transaction(async (tx) => {
      const [[link]] = await tx.send(useLink('confirm', token, at))
      if (link?.personId == null) throw linkGone()
      const [[person]] = await tx.send(lockPerson(link.personId))
      if (!person) throw linkGone()
      const [[owner]] = await tx.send(ownerOfAddress(person.emailKey))
      const { id, email, merchantId, publicId } = person
      const act = { actor: visitorActor(visitor, email), action: 'account.confirm', at, merchantId } as const
      if (!owner || owner.id === id)
        return { value: undefined, last: [confirmPerson(id, at), auditRow({ ...act, subject: publicId })] }
      const into = [moveMemberships(id, owner.id), closePerson(id, at), endOtherSessions(id, null)]
      return {
        value: undefined,
        last: [...into, auditRow({ ...act, subject: publicId, after: { added_to: owner.id } })],
      }
    }),
  )
}

/** Sends the link that proves the person's address once more; the older one works no longer. Throws 400 where it is proven, 429. */
export async function resendConfirmation(
  gateway: Gateway,
  caller: PersonCaller,
  { visitor, business }: { visitor: Visitor; business: string },
): Promise<void> {
  allow(caller, 'account.resend')
  const at = gateway.clock.now()
  await takeLinkMail(gateway, visitor, `person ${caller.personId}`)
  await gateway.directory.transaction(async (tx) => {
    const [rows] = await tx.send(lockPerson(caller.personId), voidLinks(caller.personId, ['confirm'], at))
    const person = locked(rows)
    if (person.confirmed) throw domainRefusal('confirmed', 'your e-mail address is confirmed already')
    const [[owner]] = await tx.send(ownerOfAddress(person.emailKey))
    const { token, add } = makeLink({ purpose: 'confirm', personId: person.id, at })
    const values = { business, link: addressOfPage(gateway, `/confirm?link=${token}`) }
    const template = owner ? 'account-exists' : 'confirm-email'
    return { value: null, last: [add, ...tell(gateway, { to: person.email, template, values, at })] }
  })
}
