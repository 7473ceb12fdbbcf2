import type { MerchantRole, StaffRole } from '../../api/access/actor.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { Refusal } from '../../platform/refusal.ts'
import { newId, newTag } from '../../platform/text/ids.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { Gateway } from '../../program/app.ts'
import type { EmailAddress } from './addresses/email-address.ts'
import { hashToken } from './session.ts'
import { newToken } from './write-sessions.ts'

/**
 * The purposes of a link: to confirm an address, choose a password, join a merchant, change an address or stop the change, let a till in,
 * become an operator, or set up an operator's sign-in again.
 */
export type LinkPurpose = 'confirm' | 'reset' | 'join' | 'email' | 'email-stop' | 'till' | 'operator' | 'operator-reset'

/**
 * The links that sign in or change the address of an account: they become void when its password or a factor changes, or its other
 * sessions are ended (reliability.md A74). A link that confirms the address stays valid, because its page asks for the password.
 */
export const LINKS_OF_SIGN_IN: readonly LinkPurpose[] = ['reset', 'email', 'email-stop', 'operator-reset']

/** An unused link that has not expired. */
export type OneTimeLink = {
  id: string
  purpose: LinkPurpose
  personId: number | null
  merchantId: number | null
  role: MerchantRole | null
  email: string | null
  name: string | null
  shiftEnds: Date | null
  madeBy: number | null
  expiresAt: Date
  operatorRole: StaffRole | null
  /** The secret of the authenticator that its page shows; gone when the link is used. */
  sealed: Buffer | null
}

const LINK_LIFETIME_MS = 24 * 3_600_000
// A longer secret is none of ours, and is not hashed.
const MAX_TOKEN_CHARACTERS = 100

const COLUMNS = `id, purpose, person_id as "personId", merchant_id as "merchantId", role, email, name,
  shift_ends as "shiftEnds", made_by as "madeBy", expires_at as "expiresAt",
  operator_role as "operatorRole", sealed`
const ADD = statement(
  'add one-time link',
  `insert into one_time_links (hash, id, purpose, person_id, merchant_id, role, email, name, shift_ends, made_by, created_at, expires_at,
     operator_role, sealed)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
)
const FIND = statement<OneTimeLink>(
  'find one-time link',
  `select ${COLUMNS} from one_time_links where hash = $1 and purpose = $2 and used_at is null and expires_at > $3`,
)
const USE = statement<OneTimeLink>(
  'use one-time link',
  `update one_time_links set used_at = $3, sealed = null where hash = $1 and purpose = $2 and used_at is null and expires_at > $3
   returning ${COLUMNS}`,
)
const VOID = statement(
  'void links of person',
  `update one_time_links set used_at = $3, sealed = null where person_id = $1 and purpose = any($2::text[]) and used_at is null`,
)
const VOID_ONE = statement<OneTimeLink>(
  'void link of merchant',
  `update one_time_links set used_at = $3 where merchant_id = $1 and id = $2 and used_at is null and expires_at > $3
   returning ${COLUMNS}`,
)
const LIST_OPEN = statement<OneTimeLink>(
  'open links of merchant',
  `select ${COLUMNS} from one_time_links where merchant_id = $1 and used_at is null and expires_at > $2
   order by created_at desc limit 200`,
)
const IS_OPEN_STAFF_LINK = `purpose = 'operator' and used_at is null`
const VOID_STAFF_TO = statement(
  'void operator links to address',
  `update one_time_links set used_at = $2, sealed = null where ${IS_OPEN_STAFF_LINK} and lower(email) = $1`,
)
const VOID_STAFF_BY = statement(
  'void operator links by person',
  `update one_time_links set used_at = $2, sealed = null where ${IS_OPEN_STAFF_LINK} and made_by = $1`,
)
const VOID_STAFF = statement<OneTimeLink>(
  'void operator link',
  `update one_time_links set used_at = $2, sealed = null where ${IS_OPEN_STAFF_LINK} and id = $1 and expires_at > $2 returning ${COLUMNS}`,
)
const LIST_OPEN_OF_STAFF = statement<OneTimeLink>(
  'open links of operators',
  `select ${COLUMNS} from one_time_links where ${IS_OPEN_STAFF_LINK} and expires_at > $1 order by created_at desc limit 200`,
)
const VOID_OF_CLAIMS = statement(
  'void links of claims',
  `update one_time_links set used_at = $2, sealed = null where person_id = any($1::bigint[]) and purpose <> 'confirm' and used_at is null`,
)
const VOID_MADE_BY = statement(
  'void invitations by people',
  `update one_time_links set used_at = $2, sealed = null
   where made_by = any($1::bigint[]) and purpose in ('join', 'till', 'operator') and used_at is null
     and ($3::bigint is null or merchant_id = $3)`,
)
const VOID_OF_MERCHANT = statement(
  'void links of merchant',
  `update one_time_links set used_at = $2, sealed = null where merchant_id = $1 and purpose in ('join', 'till') and used_at is null`,
)
const FORGET = statement(
  'forget expired links',
  `delete from one_time_links where hash in (
     select hash from one_time_links where expires_at < $1 order by expires_at limit 1000 for update skip locked)`,
)

type NewLink = Partial<Omit<OneTimeLink, 'id' | 'expiresAt' | 'sealed'>> & {
  purpose: LinkPurpose
  at: Date
  lastsMs?: number
  /** Seals the secret that belongs to the link with this id. */
  seal?(id: string): Buffer
}

/** Makes a link that works once, for 24 hours by default: returns its secret, which is never stored, and the call that adds its row. */
export function makeLink(link: NewLink): { id: string; token: string; add: Call } {
  const {
    purpose,
    personId = null,
    merchantId = null,
    role = null,
    email = null,
    at,
    lastsMs = LINK_LIFETIME_MS,
  } = link
  const token = newToken()
  const id = newId('lnk_', newTag())
  const more = [link.name ?? null, link.shiftEnds?.toISOString() ?? null, link.madeBy ?? null]
  const times = [at.toISOString(), addMs(at, lastsMs).toISOString()]
  const ofOperator = [link.operatorRole ?? null, link.seal?.(id) ?? null]
  return {
    id,
    token,
    add: call(ADD, hashToken(token), id, purpose, personId, merchantId, role, email, ...more, ...times, ...ofOperator),
  }
}

/** Finds the link with this secret without using it, for its page; null when it does not work any more. */
export async function findOneTimeLink(
  { directory, clock }: Gateway,
  purpose: LinkPurpose,
  token: string,
): Promise<OneTimeLink | null> {
  if (token.length > MAX_TOKEN_CHARACTERS) return null
  return firstRow(directory.query(FIND, [hashToken(token), purpose, clock.now().toISOString()]))
}

/** Uses a link up, in the transaction of its act. Returns no row when it does not work any more. */
export const useLink = (purpose: LinkPurpose, token: string, at: Date): Call<OneTimeLink> =>
  call(USE, hashToken(token), purpose, at.toISOString())

/** Voids all links of this person with these purposes. */
export const voidLinks = (personId: number, purposes: readonly LinkPurpose[], at: Date): Call =>
  call(VOID, personId, purposes, at.toISOString())

/**
 * Voids all links of these claims but the one that confirms: with the passwords of both accounts that one adds the business to the
 * owner of the address.
 */
export const voidClaimLinks = (people: readonly number[], at: Date): Call =>
  call(VOID_OF_CLAIMS, people, at.toISOString())

/** Voids the open invitations and codes for tills that these people have made, at one merchant or at all of them. */
export const voidInvitationsBy = (people: readonly number[], at: Date, merchantId: number | null = null): Call =>
  call(VOID_MADE_BY, people, at.toISOString(), merchantId)

/** Voids the open invitations and codes for tills of a merchant. */
export const voidMerchantLinks = (merchantId: number, at: Date): Call =>
  call(VOID_OF_MERCHANT, merchantId, at.toISOString())

/** Takes back one invitation or code for a till. Returns no row when it does not work any more. */
export const voidLink = (merchantId: number, id: string, at: Date): Call<OneTimeLink> =>
  call(VOID_ONE, merchantId, id, at.toISOString())

/** Voids the invitations of operators to this address. */
export const voidStaffLinksTo = (email: EmailAddress, at: Date): Call =>
  call(VOID_STAFF_TO, email.key, at.toISOString())

/** Voids the invitations of operators that this person has made, because they end with its role. */
export const voidStaffLinksBy = (personId: number, at: Date): Call => call(VOID_STAFF_BY, personId, at.toISOString())

/** Takes back one invitation of an operator. Returns no row when it does not work any more. */
export const voidStaffLink = (id: string, at: Date): Call<OneTimeLink> => call(VOID_STAFF, id, at.toISOString())

/** Finds the open invitations of operators, newest first. */
export const findOpenStaffLinks = (at: Date): Call<OneTimeLink> => call(LIST_OPEN_OF_STAFF, at.toISOString())

/** Finds the open invitations and codes for tills of a merchant, newest first. */
export const findOpenLinks = (merchantId: number, at: Date): Call<OneTimeLink> =>
  call(LIST_OPEN, merchantId, at.toISOString())

export const forgetLinks = (now: Date): Call => call(FORGET, now.toISOString())

/** 410: the link was used, has expired, or never was one. */
export const linkGone = () =>
  new Refusal(410, 'link_gone', 'this link does not work any more: it works once, and only for a while')
