import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import type { Moves } from '../../platform/moves.ts'

/** Something that a merchant has written to us about, with what was written after it. Moves no money. */
export type SupportCase = {
  merchantId: number
  id: string
  mode: Mode
  /** The id of the object; null where it is about none. */
  subject: string | null
  /** The page of the dashboard from which it was written, without its mode. */
  page: string | null
  /** The reference that stood on that page. */
  reference: string | null
  /** Written by somebody who sees no payouts. */
  atCounter: boolean
  state: CaseState
  openedAt: Date
  lastAt: Date
  /** Since when the merchant waits for an answer. */
  waitsSince: Date | null
  closedAt: Date | null
}

export type CaseMessage = {
  id: string
  caseId: string
  side: 'merchant' | 'staff'
  says: string
  /** The name of a person of the merchant, or the address of one of staff, which merchants are not shown. */
  saidBy: string
  personId: number | null
  saidAt: Date
}

/** `waiting`: for our answer. A closed case opens again when the merchant writes. */
export const CASE_MOVES = {
  waiting: { answered: null, closed: null },
  answered: { waiting: null, closed: null },
  closed: { waiting: null },
} as const satisfies Moves<'waiting' | 'answered' | 'closed'>
export type CaseState = keyof typeof CASE_MOVES

export const MAX_MESSAGE_CHARACTERS = 2000
/** More is a conversation, and belongs on the phone or in a case of its own. */
export const MAX_MESSAGES_PER_CASE = 50
/** How many cases of a merchant may be open in one mode. */
export const MAX_OPEN_CASES = 20
/** How many messages a merchant may write within an hour in one mode. */
export const MAX_MESSAGES_PER_HOUR = 30

export const CASE_COLUMNS = `c.merchant_id as "merchantId", c.id, c.mode, c.subject, c.page, c.reference, c.at_counter as "atCounter", c.state,
  c.opened_at as "openedAt", c.last_at as "lastAt", c.waits_since as "waitsSince", c.closed_at as "closedAt"`

/** Locks a case while something is written to it, or it is closed. */
export const LOCK_CASE = statement<SupportCase>(
  'lock support case',
  `select ${CASE_COLUMNS} from support_cases c where c.merchant_id = $1 and c.id = $2 for no key update`,
)
export const CASE_MESSAGES = statement<CaseMessage>(
  'messages of support case',
  `select m.id, m.case_id as "caseId", m.side, m.says, m.said_by as "saidBy", m.person_id as "personId", m.said_at as "saidAt"
   from support_case_messages m where m.merchant_id = $1 and m.case_id = $2 order by m.said_at, m.id limit ${MAX_MESSAGES_PER_CASE}`,
)
const ADD_MESSAGE = statement(
  'add message to support case',
  `insert into support_case_messages (merchant_id, id, case_id, side, says, said_by, person_id, said_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)
const MOVE_CASE = statement(
  'move support case',
  `update support_cases set state = $3, last_at = $4, waits_since = $5, closed_at = $6 where merchant_id = $1 and id = $2`,
)

export const addMessage = (merchantId: number, { id, caseId, side, says, saidBy, personId, saidAt }: CaseMessage) =>
  call(ADD_MESSAGE, merchantId, id, caseId, side, says, saidBy, personId, saidAt.toISOString())

/** Stores the state of a locked case at this time. Who waits already goes on waiting since the first message without an answer. */
export function moveCase({ merchantId, id, waitsSince }: SupportCase, state: CaseState, at: Date) {
  const time = at.toISOString()
  const since = state === 'waiting' ? (waitsSince?.toISOString() ?? time) : null
  return call(MOVE_CASE, merchantId, id, state, time, since, state === 'closed' ? time : null)
}

/** Now, or when something was last written to the case on a machine whose clock was ahead. */
export const timeAfter = ({ lastAt }: Pick<SupportCase, 'lastAt'>, nowMs: number): Date =>
  new Date(Math.max(nowMs, lastAt.getTime()))
