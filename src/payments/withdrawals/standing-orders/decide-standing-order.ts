import type { StaffCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { lockTerms } from '../../../merchants/account/merchant.ts'
import { assert } from '../../../platform/assert.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { domainRefusal, notFound, Refusal } from '../../../platform/refusal.ts'
import { shortDigest } from '../../../platform/text/short-digest.ts'
import type { App } from '../../../program/app.ts'
import { shareWithdrawalNumber } from '../withdrawal-number.ts'
import { nextRunOf, ORDER_COLUMNS, type StandingOrder } from './standing-order.ts'

/** What staff decide about the order that they have looked at: its revision, and the number that was shown with it. */
type StandingOrderDecision = { merchantId: number; id: string; revision: number } & (
  | { decision: 'approved'; phone: string; limit: number }
  | { decision: 'refused'; note: string }
)

/** The order with the last time for which it has sent something. */
type OrderToDecide = StandingOrder & { ranFor: Date | null }
const LOCK = statement<OrderToDecide>(
  'lock standing order to decide',
  `select ${ORDER_COLUMNS},
     (select max(r.due_at) from standing_order_runs r where r.merchant_id = o.merchant_id and r.order_id = o.id) as "ranFor"
   from standing_orders o where o.merchant_id = $1 and o.id = $2 for no key update of o`,
)
const APPROVE = statement(
  'approve standing order',
  `update standing_orders set state = 'approved', approved_at = $3, approved_limit = $4, approved_phone = $5, due_at = $6, try_at = $6,
     waits_for = null, waits_since = null where merchant_id = $1 and id = $2`,
)
const REFUSE = statement(
  'refuse standing order',
  `update standing_orders set state = 'refused', note = $3, waits_for = null, waits_since = null where merchant_id = $1 and id = $2`,
)

/**
 * Approves a standing order with the most that it may send in a day by itself, or refuses it with a sentence. Judged on locked rows: an order
 * or a number that changed since staff looked is refused (409), and the order waits on. A repeat changes nothing.
 */
export async function decideStandingOrder(app: App, actor: StaffCaller, input: StandingOrderDecision): Promise<void> {
  allow(actor, 'standing-order.decide', input.merchantId)
  const { merchantId, id } = input
  await app.db.transaction<null>(async (tx) => {
    const at = app.clock.now()
    const [[order], [terms], [own]] = await tx.send(
      call(LOCK, merchantId, id),
      lockTerms([merchantId]),
      shareWithdrawalNumber(merchantId),
    )
    if (!order) throw notFound('standing order')
    if (order.revision !== input.revision)
      throw conflict('the merchant has changed this order meanwhile, or its number: look at it again')
    if (order.state === input.decision && isSameDecision(order, input)) return { value: null }
    if (order.state !== 'waiting') throw conflict(`this order was already ${order.state}`)
    const act = { actor, action: 'standing-order.decide', at, merchantId, mode: 'live', subject: id } as const
    const facts = { state: input.decision, revision: order.revision }
    if (input.decision === 'refused') {
      const audit = auditRow({ ...act, after: { ...facts, note: input.note } })
      return { value: null, last: [call(REFUSE, merchantId, id, input.note), audit] }
    }
    assert(terms, 'a merchant has a row')
    if (!terms.active || terms.kycStatus !== 'verified')
      throw conflict('this merchant is inactive or not verified now: refuse the order, or approve it later')
    if (!own?.verified || own.phone !== input.phone)
      throw conflict(
        'the merchant has set another number meanwhile, or it is not verified: verify it first, and look again',
      )
    const { limit, phone } = input
    if (limit < 1 || limit > order.dayLimit)
      throw domainRefusal(
        'amount_too_large',
        `the limit is between 1 and the ${order.dayLimit} that the merchant wants in a day`,
        { field: 'limit' },
      )
    // The clock may have stepped back: a time that has run must not come again. One that is ahead must not put the next time off.
    const now = app.witness.earlier()
    const due = nextRunOf(order, order.ranFor !== null && order.ranFor > now ? order.ranFor : now)
    const write = call(APPROVE, merchantId, id, at.toISOString(), limit, phone, due.toISOString())
    const digest = shortDigest(phone).toString('hex')
    return { value: null, last: [write, auditRow({ ...act, after: { ...facts, limit, phone, digest } })] }
  })
}

/** Whether it was decided just so. Somebody whose limit is another one must not read that it counts. */
const isSameDecision = (order: StandingOrder, input: StandingOrderDecision): boolean =>
  input.decision === 'refused' || (order.approvedLimit === input.limit && order.approvedPhone === input.phone)

const conflict = (message: string) => new Refusal(409, 'conflict', message)
