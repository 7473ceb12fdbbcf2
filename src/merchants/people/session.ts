import { createHash, createHmac } from 'node:crypto'
import type { MerchantRole, PersonCaller, StaffCaller, StaffRole } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { Gateway } from '../../program/app.ts'
import type { Realm } from './accounts.ts'

/** A merchant that a person works for. */
export type Membership = {
  merchantId: number
  publicId: string
  tag: string
  cell: string
  handle: string
  role: MerchantRole
  /** The largest charge that a cashier may refund here, in whole UGX. */
  cashierRefundLimit: number
}

/** An open session with its person, as every page needs it. */
export type SignedInSession = {
  /** The public id of the session, never its cookie. */
  sessionId: string
  /** `confirmed`: the e-mail address is proven; for a till, that of an owner. */
  person: { id: number; publicId: string; name: string; email: string; confirmed: boolean }
  /** The session is of a till: a device that a person has let in for a shift, without e-mail address, password or second factor. */
  till: boolean
  /** The role of an operator; null for people of merchants. */
  operatorRole: StaffRole | null
  /** The merchant at which the session works; null when the person works for none. */
  at: Membership | null
  memberships: readonly Membership[]
  /** When the second factor (where none is on, the password) was last given. */
  steppedUpAt: Date | null
  hasFactor: boolean
  hasPasskey: boolean
  /** Until when money out from the dashboard waits (reliability.md A74). */
  heldUntil: Date | null
  endsAt: Date
  /** The account was made in this session, within the last hour, so the first page shows the test key. */
  firstSteps: boolean
  /** The token that the forms of this session carry. */
  csrf: string
}

/** How long a session stays open without a request (reliability.md A68). A till shows its counter all day. */
export const IDLE_TIMEOUT_MS: Readonly<Record<Realm, number>> = {
  merchant: 30 * 60_000,
  operator: 15 * 60_000,
}
const FIRST_STEPS_MS = 3_600_000
const SEEN_EVERY_MS = 60_000
const MAX_MEMBERSHIPS = 200

type Row = {
  sessionId: string
  personId: number
  publicId: string
  name: string
  email: string | null
  kind: 'person' | 'till'
  operatorRole: StaffRole | null
  confirmed: boolean
  heldUntil: Date | null
  merchantId: number | null
  memberships: Membership[]
  steppedUpAt: Date | null
  seenAt: Date
  endsAt: Date
  hasFactor: boolean
  hasPasskey: boolean
  firstSteps: boolean
}

const FIND = statement<Row>(
  'find session',
  `select s.id as "sessionId", p.id as "personId", p.public_id as "publicId", p.name, p.email, p.kind, p.operator_role as "operatorRole",
     p.confirmed_at is not null or (p.kind = 'till' and exists (
       select 1 from memberships o join people q on q.id = o.person_id
       where o.merchant_id = s.merchant_id and o.role = 'owner' and q.confirmed_at is not null and q.closed_at is null)) as confirmed,
     p.held_until as "heldUntil", s.merchant_id as "merchantId",
     s.stepped_up_at as "steppedUpAt", s.seen_at as "seenAt", s.ends_at as "endsAt",
     s.signed_up and s.created_at > $4 as "firstSteps",
     exists (select 1 from factors f where f.person_id = p.id and f.confirmed_at is not null) as "hasFactor",
     exists (select 1 from factors f where f.person_id = p.id and f.kind = 'passkey') as "hasPasskey",
     (select coalesce(json_agg(w), '[]') from (
        select m.id as "merchantId", m.public_id as "publicId", m.tag, m.cell, m.handle, w.role,
          coalesce(r.cashier_refund_limit, 0) as "cashierRefundLimit"
        from memberships w join merchants m on m.id = w.merchant_id
          left join merchant_rules r on r.merchant_id = w.merchant_id
        where w.person_id = p.id order by w.created_at, m.id limit ${MAX_MEMBERSHIPS}) w) as memberships
   from sessions s join people p on p.id = s.person_id
   where s.id = (select id from sessions where hash = $1 union all
       select id from sessions where previous_hash = $1 and previous_until > $2 limit 1)
     and s.stage = 'in' and s.ends_at > $2 and (s.seen_at > $3 or p.kind = 'till')
     and p.realm = $5 and p.closed_at is null`,
)
const RECORD_SEEN = statement('session seen', 'update sessions set seen_at = $2 where id = $1 and seen_at < $2')

/** Hashes the secret of a cookie or link for storing. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/**
 * Finds the open session of this realm by its cookie; null without a cookie, or for an unknown or ended one. Records at most once a
 * minute that it was used. A request that a page makes by itself (`isPoll`) is no use, except for a till, which shows its counter all day.
 */
export async function findSession(
  gateway: Gateway,
  realm: Realm,
  token: string | null,
  { isPoll }: { isPoll: boolean } = { isPoll: false },
): Promise<SignedInSession | null> {
  if (token === null || token.length > 100) return null
  const now = gateway.clock.now()
  const idleSince = addMs(now, -IDLE_TIMEOUT_MS[realm])
  const [row] = await gateway.directory.query(FIND, [
    hashToken(token),
    now.toISOString(),
    idleSince.toISOString(),
    addMs(now, -FIRST_STEPS_MS).toISOString(),
    realm,
  ])
  if (!row) return null
  const isUsed = !isPoll || row.kind === 'till'
  if (isUsed && now.getTime() - row.seenAt.getTime() >= SEEN_EVERY_MS)
    await gateway.directory.query(RECORD_SEEN, [row.sessionId, now.toISOString()])
  return {
    sessionId: row.sessionId,
    person: {
      id: row.personId,
      publicId: row.publicId,
      name: row.name,
      email: row.email ?? '',
      confirmed: row.confirmed,
    },
    till: row.kind === 'till',
    operatorRole: row.operatorRole,
    at: row.memberships.find(({ merchantId }) => merchantId === row.merchantId) ?? row.memberships[0] ?? null,
    memberships: row.memberships,
    steppedUpAt: row.steppedUpAt,
    hasFactor: row.hasFactor,
    hasPasskey: row.hasPasskey,
    heldUntil: row.heldUntil !== null && row.heldUntil > now ? row.heldUntil : null,
    endsAt: row.endsAt,
    firstSteps: row.firstSteps,
    csrf: makeFormToken(gateway, row.sessionId),
  }
}

/** Makes the token for forms. It stays the same when the cookie gets a new value, because other windows may have forms open. */
const makeFormToken = ({ vault }: Gateway, sessionId: string): string =>
  createHmac('sha256', vault.derive('dashboard form tokens')).update(sessionId).digest('base64url')

/** Makes the caller of operations from the session of a person who works for a merchant, in one mode. */
export function makePersonCaller(
  { at, person, sessionId, steppedUpAt, heldUntil, till }: SignedInSession & { at: Membership },
  { mode, origin, requestId, nowMs }: { mode: Mode; origin: string; requestId: string | null; nowMs: number },
): PersonCaller {
  const { merchantId, tag, cell, role, cashierRefundLimit } = at
  return {
    ...{ kind: 'person', merchantId, tag, cell, mode, role, origin, requestId },
    name: till ? `${person.name} (till ${person.publicId})` : person.email,
    ...{ personId: person.id, sessionId, confirmed: person.confirmed, heldUntil },
    ...(till ? { till: true as const } : {}),
    factorAgeMs: steppedUpAt === null ? null : Math.max(0, nowMs - steppedUpAt.getTime()),
    refundLimit: role === 'cashier' ? cashierRefundLimit : null,
  }
}

/** Makes the caller of operations from the session of an operator. */
export function makeStaffCaller(
  { person, sessionId, steppedUpAt }: SignedInSession,
  { role, origin, requestId, nowMs }: { role: StaffRole; origin: string; requestId: string | null; nowMs: number },
): StaffCaller {
  const factorAgeMs = steppedUpAt === null ? null : Math.max(0, nowMs - steppedUpAt.getTime())
  const { email: name, id: personId } = person
  return { kind: 'operator', name, role, origin, requestId, personId, sessionId, factorAgeMs }
}
