import { createHash } from 'node:crypto'
import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import { type EmailAddress, parseEmail } from '../../merchants/people/addresses/email-address.ts'
import { takeMailSlot } from '../../merchants/people/sign-in/sign-in-limits.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal, notFound, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/text/ids.ts'
import { parseTypedText } from '../../platform/text/typed-text.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { type Dispute, LOCK_DISPUTE } from './dispute.ts'

/** The shop's answer to a report. `saidBy` is shown to the shop only. */
export type DisputeAnswer = { id: string; disputeId: string; says: string; saidBy: string; saidAt: Date }

const MAX_ANSWER_CHARACTERS = 2000
// Each answer is a mail that the customer cannot reply to: beyond this, it is a conversation and belongs on the phone.
const MAX_ANSWERS_PER_REPORT = 20

const ADD_ANSWER = statement(
  'add dispute answer',
  `insert into dispute_answers (merchant_id, id, dispute_id, says, said_by, said_at) values ($1, $2, $3, $4, $5, $6)`,
)
const ANSWERS_TO_DISPUTE = statement<DisputeAnswer>(
  'answers to dispute',
  `select id, dispute_id as "disputeId", says, said_by as "saidBy", said_at as "saidAt" from dispute_answers
   where merchant_id = $1 and dispute_id = $2 order by said_at, id limit ${MAX_ANSWERS_PER_REPORT}`,
)
const ANSWERS_ABOUT_CHARGE = statement<Pick<DisputeAnswer, 'says' | 'saidAt'>>(
  'answers about charge',
  `select a.says, a.said_at as "saidAt" from disputes d
   join dispute_answers a on a.merchant_id = d.merchant_id and a.dispute_id = d.id
   where d.merchant_id = $1 and d.charge_id = $2 order by a.said_at desc, a.id desc limit ${MAX_ANSWERS_PER_REPORT}`,
)

/** The answers to one report, oldest first; at most 20. */
export const listAnswers = (app: App, merchantId: number, disputeId: string): Promise<DisputeAnswer[]> =>
  app.db.query(ANSWERS_TO_DISPUTE, [merchantId, disputeId])

/** The shop's answers to reports on one charge, newest first, as the customer reads them: without names. At most 20. */
export const listAnswersAboutCharge = (
  app: App,
  merchantId: number,
  chargeId: string,
): Promise<Pick<DisputeAnswer, 'says' | 'saidAt'>[]> => app.db.query(ANSWERS_ABOUT_CHARGE, [merchantId, chargeId])

type DisputeAnswerInput = {
  merchant: { id: number; tag: string; name: string }
  id: string
  says: string
  once?: string
}

/**
 * Answers a report: the customer reads it on the page of the report, and a live one who left an e-mail address gets it
 * by mail too. With `once` a repeat adds nothing. Throws 400, 404 `dispute not found`, 409 for a closed one.
 */
export async function answerDispute(
  app: App,
  actor: Actor,
  { merchant, id, says: typed, once }: DisputeAnswerInput,
): Promise<DisputeAnswer> {
  allow(actor, 'dispute.answer', merchant.id)
  const says = parseTypedText(typed, { field: 'answer', maxCharacters: MAX_ANSWER_CHARACTERS })
  const answerId = once === undefined ? newId('dsa_', merchant.tag) : deriveAnswerId(merchant.tag, `${id} ${once}`)
  const { answer, dispute } = await app.db.transaction(async (tx) => {
    const [[dispute], answers] = await tx.send(
      call(LOCK_DISPUTE, merchant.id, id),
      call(ANSWERS_TO_DISPUTE, merchant.id, id),
    )
    if (!dispute) throw notFound('dispute')
    const stored = answers.find((answer) => answer.id === answerId)
    if (stored) return { value: { answer: stored, dispute } }
    judgeAnswer(dispute, answers.length)
    // It may have been opened on a machine whose clock was ahead.
    const saidAt = new Date(Math.max(app.clock.nowMs(), dispute.openedAt.getTime()))
    const answer: DisputeAnswer = { id: answerId, disputeId: id, says, saidBy: actorName(actor), saidAt }
    const add = call(ADD_ANSWER, merchant.id, answerId, id, says, answer.saidBy, saidAt.toISOString())
    const act = { actor, action: 'dispute.answer', at: saidAt, merchantId: merchant.id } as const
    const row = auditRow({ ...act, mode: dispute.mode, subject: id, after: { charge: dispute.chargeId } })
    return { value: { answer, dispute }, last: [add, row] }
  })
  await mailAnswer(app, dispute, { answer, business: merchant.name })
  return answer
}

function judgeAnswer({ closedAt }: Dispute, answers: number): void {
  if (closedAt !== null) throw new Refusal(409, 'conflict', 'this dispute is closed: a closed one stays as it is')
  if (answers >= MAX_ANSWERS_PER_REPORT)
    throw domainRefusal('too_many_answers', `a report has at most ${MAX_ANSWERS_PER_REPORT} answers: call the customer`)
}

// A mail is written after the answer is committed, because mails have a database of their own. A repeat within this time writes it again,
// in case the first process died in between; `once` makes both one mail.
const MAILED_WITHIN_MS = 3_600_000

async function mailAnswer(
  app: App,
  { mode, contact }: Dispute,
  { answer, business }: { answer: DisputeAnswer; business: string },
): Promise<void> {
  const to = findAddress(contact)
  const at = app.clock.now()
  if (mode !== 'live' || to === null || addMs(answer.saidAt, MAILED_WITHIN_MS) < at) return
  // The address is not verified and may be anybody's: beyond a few mails a day the answer is on the page only.
  if (!(await takeMailSlot(app, 'dispute', to.key))) return
  const values = { business, says: answer.says }
  const mail = addMail(app, { to: to.text, template: 'dispute-answer', values, at, once: answer.id })
  await app.directory.query(mail.statement, mail.values)
}

/** The customer's contact as an e-mail address, or null if it is anything else. */
function findAddress(contact: string | null): EmailAddress | null {
  try {
    return contact === null ? null : parseEmail(contact)
  } catch {
    return null
  }
}

const deriveAnswerId = (tag: string, key: string) =>
  `dsa_${tag}${createHash('sha256')
    .update(key)
    .digest('hex')
    .slice(0, 21 - tag.length)}`
