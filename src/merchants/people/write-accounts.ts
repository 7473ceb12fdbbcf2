import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import type { EmailAddress } from './addresses/email-address.ts'
import { forgetChallenges } from './factors/passkeys.ts'
import { forgetLinks } from './links.ts'
import { forgetTries } from './sign-in/sign-in-counters.ts'
import { forgetSessions } from './write-sessions.ts'

// How long money out is held after a change of the sign-in (reliability.md A74).
const MONEY_HELD_MS = 24 * 3_600_000

/** The row of a person whose sign-in changes. */
export type KnownPerson = {
  id: number
  publicId: string
  name: string
  email: string
  emailKey: string
  password: string | null
  confirmed: boolean
  hasFactor: boolean
  merchantId: number | null
}

const LOCK = statement<KnownPerson>(
  'lock person',
  `select p.id, p.public_id as "publicId", p.name, p.email, p.email_key as "emailKey", p.password,
     p.confirmed_at is not null as confirmed,
     exists (select 1 from factors f where f.person_id = p.id and f.confirmed_at is not null) as "hasFactor",
     (select w.merchant_id from memberships w where w.person_id = p.id order by w.created_at, w.merchant_id limit 1) as "merchantId"
   from people p where p.id = $1 and p.kind = 'person' and p.closed_at is null for no key update of p`,
)
const FIND_OWNER_OF_ADDRESS = statement<{ id: number }>(
  'owner of address',
  'select id from people where realm = $1 and email_key = $2 and confirmed_at is not null and closed_at is null',
)
const CONFIRM = statement(
  'confirm person',
  'update people set confirmed_at = $2 where id = $1 and confirmed_at is null',
)
const CLOSE = statement('close person', 'update people set closed_at = $2 where id = $1')
const SET_PASSWORD = statement('set password', 'update people set password = $2 where id = $1')
const SET_EMAIL = statement(
  'set address of person',
  'update people set email = $2, email_key = $3, confirmed_at = $4 where id = $1',
)
const SET_NAME = statement('set name of person', 'update people set name = $2 where id = $1')
const HOLD = statement('hold money of person', 'update people set held_until = greatest(held_until, $2) where id = $1')
const MOVE_MEMBERSHIPS = statement(
  'move memberships',
  `update memberships w set person_id = $2 where w.person_id = $1
     and not exists (select 1 from memberships o where o.person_id = $2 and o.merchant_id = w.merchant_id)`,
)

/** Locks a person, not a till, for a change of its sign-in. */
export const lockPerson = (id: number): Call<KnownPerson> => call(LOCK, id)
/** Finds the person who has proven this address. */
export const findOwnerOfAddress = (emailKey: string): Call<{ id: number }> =>
  call(FIND_OWNER_OF_ADDRESS, 'merchant', emailKey)
export const confirmPerson = (id: number, at: Date): Call => call(CONFIRM, id, at.toISOString())
/** Closes an account: a removed operator, or a claim whose address another account has proven. */
export const closePerson = (id: number, at: Date): Call => call(CLOSE, id, at.toISOString())
export const setPassword = (id: number, hash: string): Call => call(SET_PASSWORD, id, hash)
/** Sets a new address, which is proven: its owner opened the link. */
export const setEmail = (id: number, email: EmailAddress, at: Date): Call =>
  call(SET_EMAIL, id, email.text, email.key, at.toISOString())
export const setPersonName = (id: number, name: string): Call => call(SET_NAME, id, name)
/** Holds live money out of the dashboard for a day. */
export const holdMoney = (id: number, at: Date): Call => call(HOLD, id, addMs(at, MONEY_HELD_MS).toISOString())
/** Moves the memberships of one account to another, which keeps its own where both have one. */
export const moveMemberships = (from: number, to: number): Call => call(MOVE_MEMBERSHIPS, from, to)

/** Deletes some of the expired sessions, links, challenges and misses. */
export async function prunePeople({ directory, witness }: App): Promise<number> {
  const now = witness.earlier()
  const calls = [forgetSessions(now), forgetLinks(now), forgetChallenges(now), ...forgetTries(now)]
  for (const { statement, values } of calls) await directory.query(statement, values)
  return 0
}
