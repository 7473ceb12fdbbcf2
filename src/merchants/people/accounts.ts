import type { MerchantRole, SignedInActor, StaffRole } from '../../api/access/actor.ts'
import { type AuditAct, auditRow } from '../../api/access/audit-row.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { newId, newTag } from '../../platform/text/ids.ts'
import type { EmailAddress } from './addresses/email-address.ts'
import type { MembershipKey } from './roles.ts'

export type Realm = 'merchant' | 'operator'

export const realmOf = ({ kind }: Pick<SignedInActor, 'kind'>): Realm => (kind === 'operator' ? 'operator' : 'merchant')

/** Returns the merchant under which the audit files an act about the own account; null for operators and for people without a merchant. */
export const auditMerchantOf = (caller: SignedInActor): number | null =>
  caller.kind === 'operator' ? null : caller.merchantId || null

/** The row of the audit for an act of somebody about the own account. */
export const ownAccountRow = (actor: SignedInActor, act: Omit<AuditAct, 'actor' | 'merchantId' | 'mode'>): Call =>
  auditRow({ ...act, actor, merchantId: auditMerchantOf(actor) })

/** An account that an e-mail address may mean at sign-in. */
export type Account = {
  id: number
  publicId: string
  name: string
  email: string
  password: string | null
  confirmed: boolean
  hasFactor: boolean
  merchantId: number | null
}

/** How many accounts may claim an address besides the one that has proven it; beyond it the newest are closed. */
export const MAX_CLAIMS_PER_ADDRESS = 10

const ADD = statement<{ id: number; publicId: string }>(
  'add person',
  `insert into people (public_id, realm, kind, name, email, email_key, password, confirmed_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id, public_id as "publicId"`,
)
const ADD_STAFF = statement<{ id: number; publicId: string }>(
  'add operator',
  `insert into people (public_id, realm, name, email, email_key, password, operator_role, confirmed_at, created_at)
   values ($1, 'operator', $2, $3, $4, $5, $6, $7, $7) returning id, public_id as "publicId"`,
)
const FIND_ACCOUNTS = statement<Account>(
  'accounts of address',
  `select p.id, p.public_id as "publicId", p.name, p.email, p.password, p.confirmed_at is not null as confirmed,
     exists (select 1 from factors f where f.person_id = p.id and f.confirmed_at is not null) as "hasFactor",
     (select w.merchant_id from memberships w where w.person_id = p.id order by w.created_at, w.merchant_id limit 1) as "merchantId"
   from people p where p.realm = $1 and p.email_key = $2 and p.closed_at is null
   order by p.confirmed_at is null, p.id limit ${MAX_CLAIMS_PER_ADDRESS + 1}`,
)
const CLOSE_CLAIMS = statement(
  'close newest claims',
  `update people set closed_at = $3 where id in (
     select id from people where realm = $1 and email_key = $2 and closed_at is null and confirmed_at is null
     order by id offset ${MAX_CLAIMS_PER_ADDRESS})`,
)
const LOCK_ADDRESS = statement('lock address', `select pg_advisory_xact_lock(hashtextextended('address ' || $1, 0))`)
const ADD_MEMBER = statement(
  'add membership',
  `insert into memberships (person_id, merchant_id, role, created_at, role_since, role_by)
   values ($1, $2, $3, $4, case when $5::bigint is not null then $4::timestamptz end, $5)
   on conflict (person_id, merchant_id) do nothing`,
)
const LOCK_MERCHANT = statement<{ id: number }>(
  'lock merchant of people',
  'select id from merchants where id = $1 for no key update',
)

/** Finds the accounts that an address may mean: first the one that has proven it, then the oldest claims. */
export const findAccounts = (realm: Realm, email: EmailAddress): Call<Account> => call(FIND_ACCOUNTS, realm, email.key)

/** Locks an address until the commit, so that only one transaction at a time claims or proves it. */
export const lockAddress = ({ key }: Pick<EmailAddress, 'key'>): Call => call(LOCK_ADDRESS, key)

/** Adds an operator. Its address is proven: the link went there. */
export const addStaff = (operator: {
  name: string
  email: EmailAddress
  password: string
  role: StaffRole
  at: Date
}): Call<{ id: number; publicId: string }> => {
  const { name, email, password, role } = operator
  return call(
    ADD_STAFF,
    ...[newId('per_', newTag()), name, email.text, email.key, password, role, operator.at.toISOString()],
  )
}

/** Adds a person of the merchants' realm, with a password or none yet. */
export const addPerson = (person: {
  name: string
  email: EmailAddress
  password: string | null
  confirmed: boolean
  at: Date
}): Call<{ id: number; publicId: string }> => {
  const at = person.at.toISOString()
  const { text, key } = person.email
  const values = ['merchant', 'person', person.name, text, key, person.password]
  return call(ADD, newId('per_', newTag()), ...values, person.confirmed ? at : null, at)
}

/** Adds a till: a device that shows the counter. It has no password to sign in with. */
export const addTill = (name: string, at: Date): Call<{ id: number; publicId: string }> => {
  const now = at.toISOString()
  return call(ADD, newId('per_', newTag()), 'merchant', 'till', name, null, null, null, now, now)
}

/** Closes the newest claims to an address beyond the limit, so that new claims cannot push out older ones. */
export const closeNewestClaims = (email: EmailAddress, at: Date): Call =>
  call(CLOSE_CLAIMS, 'merchant', email.key, at.toISOString())

/** Adds a person to a merchant in a role. A member keeps the role that it has. `givenBy`: who invited it; null: nobody of the business. */
export const addMember = (
  { personId, merchantId }: MembershipKey,
  role: MerchantRole,
  { at, givenBy = null }: { at: Date; givenBy?: number | null },
): Call => call(ADD_MEMBER, personId, merchantId, role, at.toISOString(), givenBy)

/** Locks the members of a merchant until the commit that changes them. */
export const lockMembers = (merchantId: number): Call<{ id: number }> => call(LOCK_MERCHANT, merchantId)
