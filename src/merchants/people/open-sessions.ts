import type { PersonCaller, SignedInActor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { Gateway } from '../../program/app.ts'
import { ownAccountRow, type Realm, realmOf } from './accounts.ts'
import { LINKS_OF_SIGN_IN, voidLinks } from './links.ts'
import { IDLE_TIMEOUT_MS } from './session.ts'
import { endOtherSessions, moveSession } from './write-sessions.ts'

/** An open session: a browser or till that is signed in. */
export type OpenSession = {
  id: string
  name: string
  till: boolean
  agent: string
  address: string
  createdAt: Date
  seenAt: Date
  endsAt: Date
}

const COLUMNS = `s.id, p.name, p.kind = 'till' as till, s.agent, s.address, s.created_at as "createdAt", s.seen_at as "seenAt",
  s.ends_at as "endsAt"`
// An idle session is over, though its row is still there.
const IS_OPEN = `s.stage = 'in' and s.ends_at > $2 and (s.seen_at > $3 or p.kind = 'till')`
const LIST_OWN = statement<OpenSession>(
  'sessions of person',
  `select ${COLUMNS} from sessions s join people p on p.id = s.person_id where s.person_id = $1 and ${IS_OPEN}
   order by s.created_at desc limit 200`,
)
const LIST_AT_MERCHANT = statement<OpenSession>(
  'sessions at merchant',
  `select ${COLUMNS} from memberships w join people p on p.id = w.person_id join sessions s on s.person_id = p.id
   where w.merchant_id = $1 and s.merchant_id = w.merchant_id and ${IS_OPEN} order by s.created_at desc limit 500`,
)
const LIST_OF_STAFF = statement<OpenSession>(
  'sessions of operators',
  `select ${COLUMNS} from people p join sessions s on s.person_id = p.id
   where p.realm = $1 and p.closed_at is null and ${IS_OPEN} order by s.created_at desc limit 500`,
)
const END_AT_MERCHANT = statement<{ id: string }>(
  'end session at merchant',
  'delete from sessions where id = $1 and merchant_id = $2 returning id',
)
const FIND_MEMBERSHIP = statement<{ merchantId: number }>(
  'merchant of membership',
  `select m.id as "merchantId" from memberships w join merchants m on m.id = w.merchant_id
   where w.person_id = $1 and m.public_id = $2`,
)

/** Lists the open sessions of this person, newest first. */
export const listOwnSessions = (
  gateway: Gateway,
  { kind, personId }: Pick<SignedInActor, 'kind' | 'personId'>,
): Promise<OpenSession[]> => gateway.directory.query(LIST_OWN, [personId, ...openBounds(gateway, realmOf({ kind }))])

/** Lists the open sessions at this merchant, those of tills too, newest first. */
export const listSessionsAt = (gateway: Gateway, merchantId: number): Promise<OpenSession[]> =>
  gateway.directory.query(LIST_AT_MERCHANT, [merchantId, ...openBounds(gateway, 'merchant')])

/** Lists the open sessions of all operators, newest first. */
export const listStaffSessions = (gateway: Gateway): Promise<OpenSession[]> =>
  gateway.directory.query(LIST_OF_STAFF, ['operator', ...openBounds(gateway, 'operator')])

function openBounds({ clock }: Gateway, realm: Realm): [string, string] {
  const now = clock.now()
  return [now.toISOString(), addMs(now, -IDLE_TIMEOUT_MS[realm]).toISOString()]
}

/** Ends one session at this merchant, of a person or a till. Throws 404. */
export async function endSessionAt(
  gateway: Gateway,
  caller: PersonCaller,
  { merchantId, sessionId }: { merchantId: number; sessionId: string },
): Promise<void> {
  allow(caller, 'people.sessions', merchantId)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [ended] = await tx.send(call(END_AT_MERCHANT, sessionId, merchantId))
    if (ended.length === 0) throw notFound('session')
    const act = { actor: caller, action: 'people.sessions', at, merchantId } as const
    return { value: null, last: [auditRow({ ...act, subject: sessionId })] }
  })
}

/** Ends all other sessions of the person, and voids its open links of sign-in. */
export async function endOwnOtherSessions(gateway: Gateway, caller: SignedInActor): Promise<void> {
  allow(caller, 'account.sessions')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    await tx.send(endOtherSessions(caller.personId, caller.sessionId), voidLinks(caller.personId, LINKS_OF_SIGN_IN, at))
    return { value: null, last: [ownAccountRow(caller, { action: 'account.sessions', at, subject: 'all others' })] }
  })
}

/** Moves the session to another merchant that the person works for. Throws 404. */
export async function switchMerchant(gateway: Gateway, caller: PersonCaller, publicId: string): Promise<void> {
  allow(caller, 'account.switch')
  const [membership] = await gateway.directory.query(FIND_MEMBERSHIP, [caller.personId, publicId])
  if (!membership) throw notFound('merchant')
  const move = moveSession(caller.sessionId, membership.merchantId)
  await gateway.directory.query(move.statement, move.values)
}
