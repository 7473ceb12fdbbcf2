import type { MerchantRole, OperatorRole, SignedInActor } from '../actors/actor.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { newId, newTag } from '../platform/ids.ts'
import type { EmailAddress } from './email-address.ts'
import type { AtWork } from './roles.ts'

export type Realm = 'merchant' | 'operator'

export const realmOf = ({ kind }: Pick<SignedInActor, 'kind'>): Realm =>
  kind === 'operator' ? 'operator' : 'merchant'

/** The merchant that the audit files an act about the own account under; null for operators and for people who work for nobody. */
export const merchantOf = (caller: SignedInActor): number | null =>
  caller.kind === 'operator' ? null : caller.merchantId || null

/** Somebody who may be meant by an e-mail address at sign-in. */
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

/** So many accounts may claim an address besides whoever has proven it; then the newest give way. */
export const MOST_CLAIMS = 10

const ADD = statement<{ id: number; publicId: string }>(
  'add person',
  `insert into people (public_id, realm, kind, name, email, email_key, password, confirmed_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id, public_id as "publicId"`,
)
const ADD_OPERATOR = statement<{ id: number; publicId: string }>(
  'add operator',
  `insert into people (public_id, realm, name, email, email_key, password, operator_role, confirmed_at, created_at)
   values ($1, 'operator', $2, $3, $4, $5, $6, $7, $7) returning id, public_id as "publicId"`,
)
const ACCOUNTS = statement<Account>(
  'accounts of address',
  `select p.id, p.public_id as "publicId", p.name, p.email, p.password, p.confirmed_at is not null as confirmed,
     exists (select 1 from factors f where f.person_id = p.id and f.confirmed_at is not null) as "hasFactor",
     (select w.merchant_id from memberships w where w.person_id = p.id order by w.created_at, w.merchant_id limit 1) as "merchantId"
   from people p where p.realm = $1 and p.email_key = $2 and p.closed_at is null
   order by p.confirmed_at is null, p.id limit ${MOST_CLAIMS + 1}`,
)
const CLOSE_CLAIMS = statement(
  'close newest claims',
  `update people set closed_at = $3 where id in (
     select id from people where realm = $1 and email_key = $2 and closed_at is null and confirmed_at is null
     order by id offset ${MOST_CLAIMS})`,
)
const LOCK_ADDRESS = statement(
  'lock address',
  `select pg_advisory_xact_lock(hashtextextended('address ' || $1, 0))`,
)
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

/** Who may be meant by an address: first whoever has proven it, then the oldest claims. */
export const accountsOf = (realm: Realm, email: EmailAddress): Call<Account> =>
  call(ACCOUNTS, realm, email.key)

/** Held while somebody begins to claim an address, or proves one: nobody else does so meanwhile. */
export const lockAddress = ({ key }: Pick<EmailAddress, 'key'>): Call => call(LOCK_ADDRESS, key)

/** A new operator: whoever opened its link has proven the address. */
export const addOperator = (operator: {
  name: string
  email: EmailAddress
  password: string
  role: OperatorRole
  at: Date
}): Call<{ id: number; publicId: string }> => {
  const { name, email, password, role } = operator
  return call(
    ADD_OPERATOR,
    ...[newId('per_', newTag()), name, email.text, email.key, password, role, operator.at.toISOString()],
  )
}

/** A new person of the merchants' realm, with a password or none yet. */
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

/** A device that shows the counter. Nobody signs in to it with a password. */
export const addTill = (name: string, at: Date): Call<{ id: number; publicId: string }> => {
  const now = at.toISOString()
  return call(ADD, newId('per_', newTag()), 'merchant', 'till', name, null, null, null, now, now)
}

/** Ends the newest claims to an address beyond a few: nobody may push out who was there before. */
export const closeNewestClaims = (email: EmailAddress, at: Date): Call =>
  call(CLOSE_CLAIMS, 'merchant', email.key, at.toISOString())

/** What a person may do at a merchant. Whoever is a member already stays what it is. `givenBy`: who invited; null: nobody of the business. */
export const addMember = (
  { personId, merchantId }: AtWork,
  role: MerchantRole,
  { at, givenBy = null }: { at: Date; givenBy?: number | null },
): Call => call(ADD_MEMBER, personId, merchantId, role, at.toISOString(), givenBy)

/** Held while the members of a merchant are changed. */
export const lockMembers = (merchantId: number): Call<{ id: number }> => call(LOCK_MERCHANT, merchantId)
