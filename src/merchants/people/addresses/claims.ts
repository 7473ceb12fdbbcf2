import { type Call, call, type Tx } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Gateway } from '../../../program/app.ts'
import { findMerchantsById } from '../../account/merchant.ts'
import { voidClaimLinks, voidInvitationsBy } from '../links.ts'
import { endSessionsOfPeople, endTillsLetInBy } from '../write-sessions.ts'

// An address belongs to the account that has proven it; all other accounts that signed up with it claim it (decisions 29 and 47). The proof
// ends the other claims, so that the owner of the mailbox never gets into an account that a stranger has prepared.

/** An account that claims an address which it has not proven. */
export type EmailClaim = { id: number; publicId: string; password: string | null; confirmed: false }

const END_CLAIMS = statement<{ id: number }>(
  'end claims of address',
  `update people set closed_at = $3 where realm = 'merchant' and email_key = $1 and confirmed_at is null and closed_at is null
     and id <> $2 returning id`,
)
// An ended claim keeps its business, until the owner of the address gives the password of the claim.
const MAX_CLAIMS_LISTED = 20
const FIND_WITH_BUSINESS = statement<EmailClaim>(
  'claims with a business',
  `select p.id, p.public_id as "publicId", p.password, false as confirmed from people p
   where p.realm = 'merchant' and p.email_key = $1 and p.confirmed_at is null and p.password is not null
     and exists (select 1 from memberships w where w.person_id = p.id)
   order by p.id desc limit ${MAX_CLAIMS_LISTED}`,
)
const LOCK = statement<{ id: number; publicId: string; emailKey: string }>(
  'lock claim',
  `select id, public_id as "publicId", email_key as "emailKey" from people
   where id = $1 and kind = 'person' and confirmed_at is null for no key update`,
)
const FIND_OPENED = statement<{ publicId: string; at: Date; merchantId: number; cell: string }>(
  'businesses of claims',
  `select p.public_id as "publicId", p.created_at as at, m.id as "merchantId", m.cell
   from people p join lateral (select w.merchant_id from memberships w where w.person_id = p.id
     order by w.created_at, w.merchant_id limit 1) w on true join merchants m on m.id = w.merchant_id
   where p.realm = 'merchant' and p.email_key = $1 and p.confirmed_at is null and p.closed_at is null order by p.id limit 20`,
)

/**
 * Ends all other claims of an address that this person has proven, with their sessions, links, invitations and tills. The address is
 * locked. Returns how many ended, and the calls to send with the proof.
 */
export async function endOtherClaims(
  tx: Tx,
  { emailKey, keep, at }: { emailKey: string; keep: number; at: Date },
): Promise<{ ended: number; calls: Call[] }> {
  const [rows] = await tx.send(call(END_CLAIMS, emailKey, keep, at.toISOString()))
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { ended: 0, calls: [] }
  const calls = [endSessionsOfPeople(ids), voidClaimLinks(ids, at), voidInvitationsBy(ids, at), endTillsLetInBy(ids)]
  return { ended: ids.length, calls }
}

/** Finds the claims of this address, ended or not, that still have a business; the newest first. */
export const findClaimsWithBusiness = (emailKey: string): Call<EmailClaim> => call(FIND_WITH_BUSINESS, emailKey)

/** Locks a claim, ended or not. */
export const lockClaim = (id: number): Call<{ id: number; publicId: string; emailKey: string }> => call(LOCK, id)

/** A business that was opened with an address that nobody has proven. `publicId` is that of the claim. */
export type OpenedBusiness = { publicId: string; business: string; at: Date }

/** Reads the businesses that were opened with this address and are unproven, the oldest first, for a person who opened a mailed link. */
export async function readOpenedBusinesses(gateway: Gateway, emailKey: string): Promise<OpenedBusiness[]> {
  const rows = await gateway.directory.query(FIND_OPENED, [emailKey])
  const names = new Map<number, string>()
  for (const cell of new Set(rows.map((row) => row.cell))) {
    const find = findMerchantsById(rows.filter((row) => row.cell === cell).map(({ merchantId }) => merchantId))
    const merchants = await gateway.appOf({ cell }).db.query(find.statement, find.values)
    for (const { id, name } of merchants) names.set(id, name)
  }
  return rows.map(({ publicId, at, merchantId }) => ({ publicId, at, business: names.get(merchantId) ?? '' }))
}
