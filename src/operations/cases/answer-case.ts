import { actorName, type StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { readMailOwners, readMailPeople } from '../../merchants/account/mail-owners.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import { call } from '../../platform/db/database.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import {
  addMessage,
  CASE_MESSAGES,
  type CaseMessage,
  LOCK_CASE,
  moveCase,
  type SupportCase,
  timeAfter,
} from './support-case.ts'
import { judgeRoom, makeId, parseMessage } from './write-case.ts'

type CaseAct = { merchant: Pick<Merchant, 'id' | 'tag'>; id: string }

/**
 * Answers a case: its merchant reads it on the dashboard, and those who wrote hear of it by mail. With `once` a repeat adds nothing. Throws
 * 400, 404 `case not found`, 400 `too_many_messages`, and 409 for a closed one.
 */
export async function answerCase(
  app: App,
  actor: StaffCaller,
  { merchant, id, says: typed, once }: CaseAct & { says: string; once?: string },
): Promise<void> {
  allow(actor, 'case.answer', merchant.id)
  const says = parseMessage(typed)
  const answerId = makeId('cmsg_', merchant.tag, once === undefined ? undefined : `${id} ${once}`)
  const told = await app.db.transaction(async (tx) => {
    const [[found], messages] = await tx.send(call(LOCK_CASE, merchant.id, id), call(CASE_MESSAGES, merchant.id, id))
    if (!found) throw notFound('case')
    const stored = messages.find((message) => message.id === answerId)
    if (stored) return { value: { found, answer: stored, messages } }
    if (found.state === 'closed')
      throw new Refusal(409, 'conflict', 'this case is closed: the merchant opens it again by writing')
    judgeRoom(messages)
    const at = timeAfter(found, app.clock.nowMs())
    const said = { says, saidBy: actorName(actor), personId: null, saidAt: at }
    const answer: CaseMessage = { id: answerId, caseId: id, side: 'staff', ...said }
    const row = auditRow({ actor, action: 'case.answer', at, merchantId: merchant.id, mode: found.mode, subject: id })
    const last = [addMessage(merchant.id, answer), moveCase(found, 'answered', at), row]
    return { value: { found, answer, messages }, last }
  })
  await mailAnswer(app, told)
}

/** Closes a case. A closed one stays as it is. Throws 404 `case not found`. */
export async function closeCase(app: App, actor: StaffCaller, { merchant, id }: CaseAct): Promise<void> {
  allow(actor, 'case.close', merchant.id)
  await app.db.transaction(async (tx) => {
    const [[found]] = await tx.send(call(LOCK_CASE, merchant.id, id))
    if (!found) throw notFound('case')
    if (found.state === 'closed') return { value: null }
    const at = timeAfter(found, app.clock.nowMs())
    const act = { actor, action: 'case.close', at, merchantId: merchant.id, mode: found.mode } as const
    const row = auditRow({ ...act, subject: id, before: { state: found.state } })
    return { value: null, last: [moveCase(found, 'closed', at), row] }
  })
}

// A mail is written after the answer is committed, because mails have a database of their own. A repeat within this time writes it again,
// in case the first process died in between; `once` makes both one mail.
const MAILED_WITHIN_MS = 3_600_000

type ToldAnswer = { found: SupportCase; answer: CaseMessage; messages: readonly CaseMessage[] }

/** Mails those who have written to the case; where none of them has a proven address, as at a till, the owners. */
async function mailAnswer(app: App, { found, answer, messages }: ToldAnswer): Promise<void> {
  const at = app.clock.now()
  if (addMs(answer.saidAt, MAILED_WITHIN_MS) < at) return
  const writers = messages.flatMap(({ personId }) => (personId === null ? [] : [personId]))
  const known = await readMailPeople(app, found.merchantId, [...new Set(writers)])
  const people = known.length > 0 ? known : await readMailOwners(app, found.merchantId)
  const link = `${app.baseUrl}/dashboard${found.mode === 'test' ? '/test' : ''}/help/${found.id}`
  for (const { email, handle } of people) {
    const values = { business: handle, says: answer.says, link }
    const mail = addMail(app, { to: email, template: 'case-answer', values, at, once: `${answer.id} ${email}` })
    await app.directory.query(mail.statement, mail.values)
  }
}
