import type { Actor, StaffRole } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { notFound } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { dropFactors } from '../factors/factors.ts'
import { LINKS_OF_SIGN_IN, voidLinks, voidStaffLinksBy } from '../links.ts'
import { forgetBrowsers } from '../sign-in/sign-in-counters.ts'
import { closePerson } from '../write-accounts.ts'
import { endOtherSessions } from '../write-sessions.ts'
import { lockAdmins, lockStaff } from './lock-staff.ts'

/** An operator of the console, as the page of operators shows it. */
export type StaffMember = {
  publicId: string
  name: string
  email: string
  role: StaffRole
  factors: ('totp' | 'passkey')[]
  createdAt: Date
  seenAt: Date | null
}

// More operators than any console has.
const MAX_STAFF_LISTED = 500
// `seenAt` reads known browsers too, because ended sessions are deleted.
const LIST = statement<StaffMember>(
  'operators',
  `select p.public_id as "publicId", p.name, p.email, p.operator_role as role, p.created_at as "createdAt",
     array(select distinct f.kind from factors f where f.person_id = p.id and f.confirmed_at is not null order by 1) as factors,
     greatest((select max(s.seen_at) from sessions s where s.person_id = p.id and s.stage = 'in'),
       (select max(b.seen_at) from known_browsers b where b.person_id = p.id)) as "seenAt"
   from people p where p.realm = 'operator' and p.closed_at is null order by p.id limit ${MAX_STAFF_LISTED}`,
)
const SET_ROLE = statement('set role of operator', 'update people set operator_role = $2 where id = $1')
const END_SESSION = statement<{ publicId: string }>(
  'end session of operator',
  `delete from sessions s using people p
   where s.id = $1 and p.id = s.person_id and p.realm = 'operator' returning p.public_id as "publicId"`,
)

/** Lists the operators of the console, in the order in which they joined. */
export const listStaff = ({ directory }: Gateway): Promise<StaffMember[]> => directory.query(LIST)

/** Gives an operator another role, from its next page on. The last admin stays one. Throws 400, 403, 404. */
export async function setStaffRole(
  gateway: Gateway,
  actor: Actor,
  { publicId, role }: { publicId: string; role: StaffRole },
): Promise<void> {
  allow(actor, 'operator.role')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const operator = await lockStaff(tx, actor, { publicId, staysAdmin: role === 'admin' })
    const act = { actor, action: 'operator.role', at, merchantId: null } as const
    const row = auditRow({ ...act, subject: publicId, before: { role: operator.role }, after: { role } })
    const ends = role === 'admin' ? [] : [voidStaffLinksBy(operator.id, at)]
    return { value: null, last: [call(SET_ROLE, operator.id, role), ...ends, row] }
  })
}

/**
 * Closes an operator's account, with its sessions, factors and invitations. The last admin cannot go. Throws 400, 403, 404.
 */
export async function removeStaff(gateway: Gateway, actor: Actor, publicId: string): Promise<void> {
  allow(actor, 'operator.remove')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const { id, role, email } = await lockStaff(tx, actor, { publicId, staysAdmin: false })
    const act = { actor, action: 'operator.remove', at, merchantId: null } as const
    const row = auditRow({ ...act, subject: publicId, before: { role, email }, after: { removed: true } })
    const last = [
      closePerson(id, at),
      endOtherSessions(id, null),
      ...dropFactors(id),
      forgetBrowsers(id),
      voidLinks(id, LINKS_OF_SIGN_IN, at),
      voidStaffLinksBy(id, at),
      row,
    ]
    return { value: null, last }
  })
}

/** Signs an operator out of one browser. Throws 404. */
export async function endStaffSession(gateway: Gateway, actor: Actor, sessionId: string): Promise<void> {
  allow(actor, 'operator.sessions')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    await lockAdmins(tx, actor)
    const [[ended]] = await tx.send(call(END_SESSION, sessionId))
    if (!ended) throw notFound('session')
    const act = { actor, action: 'operator.sessions', at, merchantId: null } as const
    return { value: null, last: [auditRow({ ...act, subject: `${ended.publicId} ${sessionId}` })] }
  })
}
