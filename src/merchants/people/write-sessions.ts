import { randomBytes } from 'node:crypto'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { newId, newTag } from '../../platform/text/ids.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { Realm } from './accounts.ts'
import { hashToken } from './session.ts'
import { cleanAgent, clientAddressOf, type Visitor } from './sign-in/visitor.ts'

// The longest session (reliability.md A68), and how long a code is awaited.
const SESSION_LIFETIME_MS: Readonly<Record<Realm, number>> = {
  merchant: 12 * 3_600_000,
  operator: 8 * 3_600_000,
}
const CODE_WAIT_MS = 10 * 60_000
// The old cookie still works this long, because other windows may have requests under way while it changes.
const OVERLAP_MS = 30_000

const ADD = statement(
  'add session',
  `insert into sessions (id, hash, person_id, merchant_id, stage, stepped_up_at, agent, address, created_at, seen_at, ends_at, signed_up,
     let_in_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12)`,
)
const RENEW = statement<{ id: string }>(
  'renew session',
  `update sessions set hash = $2, stepped_up_at = $3, seen_at = $3, previous_hash = hash, previous_until = $4
   where id = $1 and stage = 'in' returning id`,
)
const END = statement<{ id: string }>(
  'end session',
  'delete from sessions where id = $1 and person_id = $2 returning id',
)
const END_OF_COOKIE = statement('end session of cookie', 'delete from sessions where hash = $1')
const END_OTHERS = statement(
  'end other sessions',
  'delete from sessions where person_id = $1 and ($2::text is null or id <> $2)',
)
// Wrong confirmations of acts that end a session (reliability.md A73).
const MAX_WRONG_CONFIRMATIONS = 5
const COUNT_WRONG_CONFIRMATION = statement(
  'wrong confirmation',
  'update sessions set wrong_codes = wrong_codes + 1 where id = $1',
)
const END_AFTER_FIFTH_WRONG = statement(
  'end session of wrong confirmations',
  `delete from sessions where id = $1 and wrong_codes >= ${MAX_WRONG_CONFIRMATIONS}`,
)
const CLEAR_WRONG_CONFIRMATIONS = statement(
  'forgive wrong confirmations',
  'update sessions set wrong_codes = 0 where id = $1',
)
const END_OF_PEOPLE = statement('end sessions of people', 'delete from sessions where person_id = any($1::bigint[])')
const END_AT_MERCHANT = statement('end sessions at merchant of all', 'delete from sessions where merchant_id = $1')
const END_TILLS = statement(
  'end sessions of tills',
  'delete from sessions where let_in_by = any($1::bigint[]) and ($2::bigint is null or merchant_id = $2)',
)
const MOVE = statement('move session', 'update sessions set merchant_id = $2 where id = $1')
const FORGET = statement(
  'forget ended sessions',
  `delete from sessions where id in (
     select id from sessions where ends_at < $1 order by ends_at limit 1000 for update skip locked)`,
)

/** Makes the secret of a cookie or link: 256 random bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

type NewSession = {
  personId: number
  merchantId: number | null
  visitor: Visitor
  at: Date
  /** Whether the second factor is still awaited. */
  stage?: 'code' | 'in'
  /** When it ends; by default in twelve hours, an operator's in eight. */
  endsAt?: Date
  /** Whether the sign-in counts as a step-up. */
  steppedUp?: boolean
  signedUp?: boolean
  /** The person who let a till in. */
  letInBy?: number | null
}

/** Starts a session: returns its cookie, and the calls that add it and end the one that the browser had before. */
export function startSession(session: NewSession): { token: string; calls: Call[] } {
  const { personId, merchantId, visitor, at } = session
  const { stage = 'in', steppedUp = true, signedUp = false, letInBy = null } = session
  const token = newToken()
  const now = at.toISOString()
  const endsAt = session.endsAt ?? addMs(at, stage === 'code' ? CODE_WAIT_MS : SESSION_LIFETIME_MS[visitor.realm])
  const steppedUpAt = stage === 'in' && steppedUp ? now : null
  const add = call(
    ...([ADD, newId('ses_', newTag()), hashToken(token), personId, merchantId] as const),
    ...[
      stage,
      steppedUpAt,
      cleanAgent(visitor),
      clientAddressOf(visitor),
      now,
      endsAt.toISOString(),
      signedUp,
      letInBy,
    ],
  )
  const end = visitor.token === null ? [] : [call(END_OF_COOKIE, hashToken(visitor.token))]
  return { token, calls: [...end, add] }
}

/** Gives a session a new cookie and records that the factor was given now (reliability.md A67). */
export function renewSession(sessionId: string, at: Date): { token: string; renew: Call<{ id: string }> } {
  const token = newToken()
  const oldUntil = addMs(at, OVERLAP_MS).toISOString()
  return { token, renew: call(RENEW, sessionId, hashToken(token), at.toISOString(), oldUntil) }
}

/** Ends one session of a person. Returns no row where there is none. */
export const endSession = (personId: number, sessionId: string): Call<{ id: string }> => call(END, sessionId, personId)

/** Ends all sessions of a person but the one that stays. */
export const endOtherSessions = (personId: number, stays: string | null): Call => call(END_OTHERS, personId, stays)

/** Ends every session of these people. */
export const endSessionsOfPeople = (people: readonly number[]): Call => call(END_OF_PEOPLE, people)

/** Ends the sessions of the tills that these people have let in, at one merchant or at all of them. */
export const endTillsLetInBy = (people: readonly number[], merchantId: number | null = null): Call =>
  call(END_TILLS, people, merchantId)

/** Ends every session at this merchant. */
export const endSessionsAt = (merchantId: number): Call => call(END_AT_MERCHANT, merchantId)

/** Counts one more wrong confirmation in this session. */
export const countWrongConfirmation = (sessionId: string): Call => call(COUNT_WRONG_CONFIRMATION, sessionId)

/** Ends a session with five wrong confirmations. */
export const endAfterFifthWrong = (sessionId: string): Call => call(END_AFTER_FIFTH_WRONG, sessionId)

/** Clears the wrong confirmations of a session, after a right one. */
export const clearWrongConfirmations = (sessionId: string): Call => call(CLEAR_WRONG_CONFIRMATIONS, sessionId)

/** Moves a session to this merchant. */
export const moveSession = (sessionId: string, merchantId: number): Call => call(MOVE, sessionId, merchantId)

export const forgetSessions = (now: Date): Call => call(FORGET, now.toISOString())
