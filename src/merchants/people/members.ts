import type { Actor, MerchantRole, PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal, notFound, Refusal } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import { lockMembers } from './accounts.ts'
import { voidInvitationsBy, voidLinks } from './links.ts'
import { endTillsLetInBy } from './write-sessions.ts'

/** A person or till that works for a merchant. */
export type MerchantMember = {
  personId: number
  publicId: string
  name: string
  email: string | null
  till: boolean
  role: MerchantRole
  hasFactor: boolean
  confirmed: boolean
  since: Date
  seenAt: Date | null
}

const LIST = statement<MerchantMember>(
  'members of merchant',
  `select p.id as "personId", p.public_id as "publicId", p.name, p.email, p.kind = 'till' as till, w.role, p.confirmed_at is not null as confirmed,
     exists (select 1 from factors f where f.person_id = p.id and f.confirmed_at is not null) as "hasFactor",
     w.created_at as since,
     (select max(s.seen_at) from sessions s where s.person_id = p.id and s.merchant_id = w.merchant_id) as "seenAt"
   from memberships w join people p on p.id = w.person_id where w.merchant_id = $1 and p.closed_at is null
   order by w.created_at, p.id limit 500`,
)
const FIND = statement<{ personId: number; role: MerchantRole; till: boolean }>(
  'member of merchant',
  `select p.id as "personId", w.role, p.kind = 'till' as till from memberships w join people p on p.id = w.person_id
   where w.merchant_id = $1 and p.public_id = $2`,
)
const COUNT_OWNERS = statement<{ owners: number }>(
  'owners of merchant',
  `select count(*)::int as owners from memberships where merchant_id = $1 and role = 'owner'`,
)
const SET_ROLE = statement(
  'set role',
  'update memberships set role = $3, role_since = $4, role_by = $5 where merchant_id = $1 and person_id = $2 and role <> $3',
)
const REMOVE = statement('remove member', 'delete from memberships where merchant_id = $1 and person_id = $2')
const END_SESSIONS = statement(
  'end sessions at merchant',
  'delete from sessions where merchant_id = $1 and person_id = $2',
)

const FIND_MERCHANTS_BY_EMAIL = statement<{ merchantId: number }>(
  'merchants of address',
  `select distinct w.merchant_id as "merchantId" from people p join memberships w on w.person_id = p.id
   where p.realm = 'merchant' and p.email_key = lower($1) and p.closed_at is null order by 1 desc limit $2`,
)

/** Reads the merchants for which an account with this address works, newest first. */
export async function readMerchantsOfEmail(
  { directory }: Pick<Gateway, 'directory'>,
  email: string,
  most: number,
): Promise<number[]> {
  const rows = await directory.query(FIND_MERCHANTS_BY_EMAIL, [email, most])
  return rows.map(({ merchantId }) => merchantId)
}

/** Lists the people and tills that work for this merchant, in the order in which they joined. */
export const listMembers = ({ directory }: Gateway, merchantId: number): Promise<MerchantMember[]> =>
  directory.query(LIST, [merchantId])

type MemberKey = { merchantId: number; publicId: string }

/** Refuses to make an owner while the caller's money out is held, because the new owner could send it (reliability.md A74). It applies in both
 * modes, because roles belong to no mode. */
export const allowMakingOwner = (actor: Actor, merchantId: number): void =>
  allow(actor.kind === 'person' ? { ...actor, mode: 'live' } : actor, 'people.owner', merchantId)

/** Gives a member another role, from its next page on. What an owner has begun ends. The last owner stays one. Throws 400, 404. */
export async function setRole(
  gateway: Gateway,
  caller: PersonCaller,
  { member, role }: { member: MemberKey; role: MerchantRole },
): Promise<void> {
  allow(caller, 'people.role', member.merchantId)
  if (role === 'owner') allowMakingOwner(caller, member.merchantId)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const { personId, role: before, till } = await lockMember(tx, member, role)
    if (till && role !== 'cashier')
      throw new Refusal(400, 'till', 'role of a till is always cashier', { field: 'role' })
    const act = { actor: caller, action: 'people.role', at, merchantId: member.merchantId } as const
    const row = auditRow({ ...act, subject: member.publicId, before: { role: before }, after: { role } })
    const given = call(SET_ROLE, member.merchantId, personId, role, at.toISOString(), caller.personId)
    const ends = before === 'owner' && role !== 'owner' ? endWorkOfOwner(personId, member.merchantId, at) : []
    return { value: null, last: [given, ...ends, row] }
  })
}

/** Removes a member, with what it has begun and its sessions at this merchant. The last owner cannot go. Throws 400, 404. */
export async function removeMember(gateway: Gateway, caller: PersonCaller, member: MemberKey): Promise<void> {
  allow(caller, 'people.remove', member.merchantId)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const { personId, role } = await lockMember(tx, member, null)
    const act = { actor: caller, action: 'people.remove', at, merchantId: member.merchantId } as const
    const gone: Call[] = [REMOVE, END_SESSIONS].map((statement) => call(statement, member.merchantId, personId))
    // Another person may have asked for a change of address in this person's browser.
    const links = voidLinks(personId, ['email', 'email-stop'], at)
    const row = auditRow({ ...act, subject: member.publicId, before: { role } })
    const begun = endWorkOfOwner(personId, member.merchantId, at)
    return { value: null, last: [...gone, ...begun, links, row] }
  })
}

/**
 * Ends what an owner has begun at this merchant, with its role: open invitations, codes for tills, and the tills that it let in. Its
 * prepared payouts are withdrawn in the cell (`payments/payouts/prepared/withdraw-without-role.ts`).
 */
const endWorkOfOwner = (personId: number, merchantId: number, at: Date): Call[] => [
  voidInvitationsBy([personId], at, merchantId),
  endTillsLetInBy([personId], merchantId),
]

/** Locks all members together, so that two requests cannot remove the last two owners. Throws 400, 404. */
async function lockMember(tx: Tx, { merchantId, publicId }: MemberKey, next: MerchantRole | null) {
  const [, [member], [count]] = await tx.send(
    lockMembers(merchantId),
    call(FIND, merchantId, publicId),
    call(COUNT_OWNERS, merchantId),
  )
  if (!member) throw notFound('person')
  if (member.role === 'owner' && next !== 'owner' && (count?.owners ?? 0) <= 1)
    throw domainRefusal('last_owner', 'a business needs an owner: make somebody else an owner first')
  return member
}
