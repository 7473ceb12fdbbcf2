import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { isUniqueViolation } from '../../platform/db/unique-violation.ts'
import type { Mode } from '../../platform/mode.ts'
import { Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/text/ids.ts'
import { parseTypedText } from '../../platform/text/typed-text.ts'
import type { App } from '../../program/app.ts'

/** A mark of staff on a payment that needs another look, and the result when it was ended. */
export type PaymentMark = {
  id: string
  merchantId: number
  subject: string
  mode: Mode
  says: string
  markedBy: string
  markedAt: Date
  doneSays: string | null
  doneBy: string | null
  doneAt: Date | null
}

const COLUMNS = `k.id, k.merchant_id as "merchantId", k.subject, k.mode, k.says, k.marked_by as "markedBy", k.marked_at as "markedAt",
  k.done_says as "doneSays", k.done_by as "doneBy", k.done_at as "doneAt"`
const SAYS = { field: 'says', maxCharacters: 1000 }
const MAX_MARKS = 100

const ADD = statement(
  'mark payment',
  `insert into payment_marks (merchant_id, id, subject, mode, says, marked_by, marked_at) values ($1, $2, $3, $4, $5, $6, $7)`,
)
const LOCK = statement<PaymentMark>(
  'lock payment mark',
  `select ${COLUMNS} from payment_marks k where k.merchant_id = $1 and k.subject = $2 and k.done_at is null for no key update`,
)
const END_MARK = statement(
  'end payment mark',
  'update payment_marks set done_says = $3, done_by = $4, done_at = greatest($5::timestamptz, marked_at) where merchant_id = $1 and id = $2',
)
const OF_PAYMENT = statement<PaymentMark>(
  'marks of payment',
  `select ${COLUMNS} from payment_marks k where k.merchant_id = $1 and k.subject = $2 order by k.marked_at desc, k.id limit ${MAX_MARKS}`,
)
const OPEN_MARKS = statement<PaymentMark>(
  'open payment marks',
  `select ${COLUMNS} from payment_marks k where k.done_at is null order by k.marked_at, k.id limit ${MAX_MARKS}`,
)

/** The marks of one payment, newest first. */
export const listMarks = (app: App, merchantId: number, subject: string): Promise<PaymentMark[]> =>
  app.db.query(OF_PAYMENT, [merchantId, subject])

/** The marks of a cell that are not ended, oldest first; at most 100. */
export const listOpenMarks = (app: App): Promise<PaymentMark[]> => app.db.query(OPEN_MARKS)

type MarkInput = { merchantId: number; tag: string; mode: Mode; subject: string; says: string }

/** Marks a payment for another look. It changes nothing of the payment. Throws 400, and 409 while it is marked. */
export async function markPayment(app: App, actor: Actor, marking: MarkInput): Promise<void> {
  const { merchantId, tag, mode, subject } = marking
  allow(actor, 'payment.mark', merchantId)
  const says = parseTypedText(marking.says, SAYS)
  const at = app.clock.now()
  const id = newId('pmk_', tag)
  const row = auditRow({ actor, action: 'payment.mark', at, merchantId, mode, subject, after: { says } })
  try {
    await app.db.transaction(async (tx) => {
      await tx.send(call(ADD, merchantId, id, subject, mode, says, actorName(actor), at.toISOString()))
      return { value: null, last: [row] }
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Refusal(409, 'conflict', 'this payment is marked already')
    throw error
  }
}

/** Ends the mark of a payment with its result. Throws 400, and 409 where it has none. */
export async function endMark(
  app: App,
  actor: Actor,
  { merchantId, subject, says: typed }: { merchantId: number; subject: string; says: string },
): Promise<void> {
  allow(actor, 'payment.mark', merchantId)
  const says = parseTypedText(typed, SAYS)
  await app.db.transaction(async (tx) => {
    const [[mark]] = await tx.send(call(LOCK, merchantId, subject))
    if (!mark) throw new Refusal(409, 'conflict', 'this payment is not marked')
    const at = new Date(Math.max(app.clock.nowMs(), mark.markedAt.getTime()))
    const end = call(END_MARK, merchantId, mark.id, says, actorName(actor), at.toISOString())
    const act = { actor, action: 'payment.mark', at, merchantId, mode: mark.mode } as const
    return { value: null, last: [end, auditRow({ ...act, subject, after: { done: says } })] }
  })
}
