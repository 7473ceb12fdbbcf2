import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'
import { addMember, addPerson, lockMembers } from './accounts.ts'
import { hashPasswordFor } from './addresses/address-salt.ts'
import { parseEmail } from './addresses/email-address.ts'

const FIND_MERCHANT_ID = statement<{ merchantId: number }>(
  'merchant of owner',
  'select id as "merchantId" from merchants where public_id = $1',
)

/** Adds an owner with a password and a proven address to a merchant, without any mail: for the demo merchant. */
export async function makeOwner(
  gateway: Gateway,
  actor: Actor,
  { merchant, email: typed, name, password }: { merchant: string; email: string; name: string; password: string },
): Promise<void> {
  allow(actor, 'account.create')
  const email = parseEmail(typed)
  const hash = await hashPasswordFor(gateway, { realm: 'merchant', email }, password)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[row]] = await tx.send(call(FIND_MERCHANT_ID, merchant))
    assert(row, 'the merchant of an owner is there')
    const { merchantId } = row
    const person = { name, email, password: hash, confirmed: true, at }
    const [[added]] = await tx.send(addPerson(person), lockMembers(merchantId))
    assert(added, 'a person that was added has an id')
    const act = { actor, action: 'account.create', at, merchantId } as const
    const audited = auditRow({ ...act, subject: merchant, after: { role: 'owner', person: added.publicId } })
    return {
      value: null,
      last: [addMember({ personId: added.id, merchantId }, 'owner', { at }), audited],
    }
  })
}
