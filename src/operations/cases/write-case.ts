import { createHash } from 'node:crypto'
import { actorName, type PersonCaller } from '../../api/access/actor.ts'
import { allow, mayDo } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { domainRefusal, notFound, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/text/ids.ts'
import { parseTypedText } from '../../platform/text/typed-text.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { findSubject } from './find-subject.ts'
import { mayRead } from './read-cases.ts'
import {
  addMessage,
  CASE_COLUMNS,
  CASE_MESSAGES,
  type CaseMessage,
  LOCK_CASE,
  MAX_MESSAGE_CHARACTERS,
  MAX_MESSAGES_PER_CASE,
  MAX_MESSAGES_PER_HOUR,
  MAX_OPEN_CASES,
  moveCase,
  type SupportCase,
  timeAfter,
} from './support-case.ts'

const HOUR_MS = 3_600_000
const MAX_PAGE_CHARACTERS = 200
const PAGE_PATH = /^\/[A-Za-z0-9/_.-]*$/
const REFERENCE = /^[A-Za-z0-9._-]{1,100}$/

// One message of a merchant at a time, so that its bounds are exact.
const LOCK_WRITING = statement(
  'lock writing to support',
  `select pg_advisory_xact_lock(hashtextextended('support of ' || $1, 0))`,
)
const COUNT_WRITTEN = statement<{ open: number; recent: number }>(
  'what was written to support',
  `select (select count(*)::int from (select 1 from support_cases c where c.merchant_id = $1 and c.mode = $2 and c.state <> 'closed'
       limit ${MAX_OPEN_CASES}) open) as open,
     (select count(*)::int from (select 1 from support_case_messages m
       join support_cases c on c.merchant_id = m.merchant_id and c.id = m.case_id
       where m.merchant_id = $1 and c.mode = $2 and m.side = 'merchant' and m.said_at > $3 limit ${MAX_MESSAGES_PER_HOUR}) recent) as recent`,
)
const STORED_CASE = statement<SupportCase>(
  'support case stored before',
  `select ${CASE_COLUMNS} from support_cases c where c.merchant_id = $1 and c.id = $2`,
)
const ADD_CASE = statement(
  'open support case',
  `insert into support_cases (merchant_id, id, mode, subject, page, reference, at_counter, state, opened_at, last_at, waits_since)
   values ($1, $2, $3, $4, $5, $6, $7, 'waiting', $8, $8, $8)`,
)

/** `page`: the path of the page from which it is written, and `reference` what stood there; what cannot be one is left out. */
type CaseInput = { says: string; page: string; reference: string; once?: string }

/**
 * Opens a case with its first message. With `once` a repeat opens none. Throws 400, 400 `too_many_cases`, and 429 for a merchant that has
 * written too much within an hour.
 */
export async function openCase(app: App, caller: PersonCaller, input: CaseInput): Promise<SupportCase> {
  const { merchantId, mode, tag } = caller
  allow(caller, 'case.write', merchantId)
  const says = parseMessage(input.says)
  const page = parsePage(input.page)
  const subject = page === null ? null : await findSubject(app, caller, page)
  const id = makeId('case_', tag, input.once)
  return app.db.transaction(async (tx) => {
    await tx.send(call(LOCK_WRITING, merchantId))
    const [[stored]] = await tx.send(call(STORED_CASE, merchantId, id))
    if (stored) return { value: stored }
    const at = app.clock.now()
    const { open } = await judgeWriting(tx, { merchantId, mode }, at)
    judgeOpen(open)
    const reference = REFERENCE.test(input.reference) ? input.reference : null
    const opened: SupportCase = {
      ...{ merchantId, id, mode, subject, page: subject === null && hasId(page) ? null : page, reference },
      ...{ atCounter: !mayDo(caller, 'payouts.read'), state: 'waiting' },
      ...{ openedAt: at, lastAt: at, waitsSince: at, closedAt: null },
    }
    await tx.send(addCase(opened))
    const message = newMessage(caller, { caseId: id, says, at, ...(input.once !== undefined && { once: input.once }) })
    const act = { actor: caller, action: 'case.write', at, merchantId, mode, subject: id } as const
    return { value: opened, last: [addMessage(merchantId, message), auditRow({ ...act, after: { about: subject } })] }
  })
}

/**
 * Writes again to a case, which opens it if it was closed. With `once` a repeat adds nothing. Throws 400, 404 `case not found`, 400
 * `too_many_cases` and `too_many_messages`, and 429.
 */
export async function writeToCase(
  app: App,
  caller: PersonCaller,
  { id, says: typed, once }: { id: string; says: string; once?: string },
): Promise<void> {
  const { merchantId, mode } = caller
  allow(caller, 'case.write', merchantId)
  const says = parseMessage(typed)
  await app.db.transaction(async (tx) => {
    await tx.send(call(LOCK_WRITING, merchantId))
    const [[found], messages] = await tx.send(call(LOCK_CASE, merchantId, id), call(CASE_MESSAGES, merchantId, id))
    if (!found || !mayRead(caller, found)) throw notFound('case')
    const at = timeAfter(found, app.clock.nowMs())
    const message = newMessage(caller, { caseId: id, says, at, ...(once !== undefined && { once }) })
    if (messages.some((stored) => stored.id === message.id)) return { value: null }
    const { open } = await judgeWriting(tx, { merchantId, mode }, at)
    if (found.state === 'closed') judgeOpen(open)
    judgeRoom(messages)
    const act = { actor: caller, action: 'case.write', at, merchantId, mode, subject: id } as const
    const row = auditRow({ ...act, after: { again: found.state === 'closed' } })
    return { value: null, last: [addMessage(merchantId, message), moveCase(found, 'waiting', at), row] }
  })
}

/** Throws 400 `too_many_messages` for a case that holds as many as it may. */
export function judgeRoom(messages: readonly CaseMessage[]): void {
  if (messages.length >= MAX_MESSAGES_PER_CASE)
    throw domainRefusal('too_many_messages', `a case has at most ${MAX_MESSAGES_PER_CASE} messages: go on in a new one`)
}

/** Parses what one of both sides has written. Throws 400. */
export const parseMessage = (typed: string): string =>
  parseTypedText(typed, { field: 'message', maxCharacters: MAX_MESSAGE_CHARACTERS })

/** Makes an id: the same for the same `once`, so that a form which is sent twice adds one row. */
export const makeId = (prefix: 'case_' | 'cmsg_', tag: string, once: string | undefined): string =>
  once === undefined
    ? newId(prefix, tag)
    : `${prefix}${tag}${createHash('sha256')
        .update(`${prefix} ${once}`)
        .digest('hex')
        .slice(0, 21 - tag.length)}`

async function judgeWriting(tx: Tx, { merchantId, mode }: MerchantMode, at: Date): Promise<{ open: number }> {
  const anHourAgo = addMs(at, -HOUR_MS).toISOString()
  const [[written]] = await tx.send(call(COUNT_WRITTEN, merchantId, mode, anHourAgo))
  const { open, recent } = written ?? { open: 0, recent: 0 }
  if (recent >= MAX_MESSAGES_PER_HOUR)
    throw new Refusal(
      429,
      'rate_limited',
      `this business has written ${MAX_MESSAGES_PER_HOUR} messages within an hour: wait for our answer`,
    )
  return { open }
}

function judgeOpen(open: number): void {
  if (open >= MAX_OPEN_CASES)
    throw domainRefusal(
      'too_many_cases',
      `this business has ${MAX_OPEN_CASES} open cases: write to one of them, or wait until one is closed`,
    )
}

const parsePage = (typed: string): string | null =>
  typed.length <= MAX_PAGE_CHARACTERS && PAGE_PATH.test(typed) ? typed : null

/** Whether an id stands in the path: one of an object that was not found is not kept, as it may be anybody's. */
const hasId = (page: string | null): boolean => /[a-z]+_[a-z0-9]{12,}/.test(page ?? '')

function newMessage(
  caller: PersonCaller,
  { caseId, says, at, once }: { caseId: string; says: string; at: Date; once?: string },
): CaseMessage {
  const id = makeId('cmsg_', caller.tag, once === undefined ? undefined : `${caseId} ${once}`)
  return { id, caseId, side: 'merchant', says, saidBy: actorName(caller), personId: caller.personId, saidAt: at }
}

const addCase = ({ merchantId, id, mode, subject, page, reference, atCounter, openedAt }: SupportCase) =>
  call(ADD_CASE, merchantId, id, mode, subject, page, reference, atCounter, openedAt.toISOString())
