import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import { againWhenTaken } from '../platform/db/taken.ts'
import { linkGone, useLink } from './links.ts'
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
