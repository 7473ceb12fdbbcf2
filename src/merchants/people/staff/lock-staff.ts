import type { Actor, StaffRole } from '../../../api/access/actor.ts'
import { call, type Tx } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { domainRefusal, notFound, Refusal } from '../../../platform/refusal.ts'

/** An operator whose row is locked. */
type LockedStaff = { id: number; publicId: string; email: string; role: StaffRole }

// Locked in the order of their ids, so that two acts cannot deadlock.
const LOCK_ADMINS = statement<{ id: number }>(
  'lock admins',
  `select id from people where realm = 'operator' and closed_at is null and operator_role = 'admin' order by id for no key update`,
)
const COLUMNS = `id, public_id as "publicId", email, operator_role as role`
const LOCK = statement<LockedStaff>(
  'lock operator',
  `select ${COLUMNS} from people where realm = 'operator' and closed_at is null and public_id = $1 for no key update`,
)

/**
 * Locks every admin, and refuses (403) an operator who is none any more: of two admins that remove each other at once, one is refused.
 * Returns the ids of the admins.
 */
export async function lockAdmins(tx: Tx, actor: Actor): Promise<number[]> {
  const [rows] = await tx.send(call(LOCK_ADMINS))
  const admins = rows.map(({ id }) => id)
  if (actor.kind === 'operator' && !admins.includes(actor.personId))
    throw new Refusal(403, 'forbidden', 'you are not an admin any more')
  return admins
}

/** Locks an operator together with all admins. Throws 404, and 400 where no admin would be left. */
export async function lockStaff(
  tx: Tx,
  actor: Actor,
  { publicId, staysAdmin }: { publicId: string; staysAdmin: boolean },
): Promise<LockedStaff> {
  const admins = await lockAdmins(tx, actor)
  const [[operator]] = await tx.send(call(LOCK, publicId))
  if (!operator) throw notFound('operator')
  if (operator.role === 'admin' && !staysAdmin && admins.length <= 1)
    throw domainRefusal('last_admin', 'the console needs an admin: make somebody else an admin first')
  return operator
}
