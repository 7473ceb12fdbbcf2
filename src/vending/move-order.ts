import type { App } from '../app.ts'
import { lockCharges } from '../charges/refunded-charges.ts'
import { type MerchantTerms, termsOf } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { addEvents, inKeyOrder } from '../webhooks/events.ts'
import type { ClaimState } from './claim.ts'
import { lockOrder, orderById } from './find-orders.ts'
import { judgeMove, type MoveFacts } from './judge-move.ts'
import { presentOrder, type ReportedGoods, type VendingOrder } from './order.ts'

/** Who says so: a machine's report, the supplier's answer to our command, or a person (contract.md section 5). */
export type MoveSource = 'callback' | 'command' | 'manual'

/** What became of an order. */
export type OrderOutcome =
  | { status: 'dispensed'; confirmed: boolean; result: readonly ReportedGoods[] | null; note: string | null }
  | { status: 'failed'; confirmed: boolean; result: readonly ReportedGoods[] | null; error: string }

export type OrderMove = {
  merchantId: number
  id: string
  to: OrderOutcome
  source: MoveSource
  /** The one command it is about: nothing moves unless that is the newest and stands so. `none`: before the first. */
  about?: { claimId: string; while: readonly ClaimState[] } | 'none'
  /**
   * Keeps what was said, behind the locks and whatever comes of it. Where it writes no row, that was said before: the first
   * content wins, and nothing moves.
   */
  record?: (verdict: OrderMoved) => Call<{ id: string }>
  /** Commits with the move, and only with it. */
  alongside?: readonly Call[]
}

/**
 * `moved`: this call did it. `same`: it stood so already. Nothing is written by the rest: `final` was decided otherwise before,
 * `refunded` and `unpaid` by its charge, `never_commanded` because no command was sent, `seen` because this very message was
 * recorded before.
 */
export type OrderMoved = 'moved' | 'same' | 'final' | 'refunded' | 'unpaid' | 'never_commanded' | 'seen'

const MOVE = statement(
  'move vending order',
  `update vending_orders set vending_status = $3, confirmed = $4, dispense_result = $5, units_dispensed = $6,
     vending_error = $7, dispensed_at = case $3 when 'dispensed' then coalesce(dispensed_at, $8) end, watched = false,
     refund_due_at = $9, refund_until = $10
   where merchant_id = $1 and id = $2`,
)
// A reported jam, a definite refusal and a person's "not delivered" free the charge for another try; a delivery keeps it, and
// takes it again where the machine says so only after a failure was reported. The newest claim is the only one that may stand.
const END_CLAIM = statement(
  'end dispense claim',
  `update dispense_claims k set state = $3, released_at = case $3 when 'released' then $4::timestamptz end,
     answered_at = coalesce(k.answered_at, $4), lease_until = null, reports_at = null
   where k.merchant_id = $1 and k.order_id = $2 and k.kind = 'order' and k.attempt = (select max(n.attempt)
     from dispense_claims n where n.merchant_id = $1 and n.order_id = $2 and n.kind = 'order')`,
)
// The newest claim is held until the commit: a command of it that is just being sent waits, or was seen.
const LOCK_NEWEST = statement<MoveFacts['newest']>(
  'lock newest dispense claim',
  `select k.id, k.state, k.commanded_at as "commandedAt" from dispense_claims k
   where k.merchant_id = $1 and k.order_id = $2 and k.kind = 'order' order by k.attempt desc limit 1 for no key update`,
)
const FACTS = statement<Pick<MoveFacts, 'autoRefundOnJam' | 'commandedAt' | 'dispensedTold'>>(
  'facts of order move',
  `select m.auto_refund_on_jam as "autoRefundOnJam", (select max(k.commanded_at) from dispense_claims k
     where k.merchant_id = $1 and k.order_id = $2 and k.kind = 'order') as "commandedAt",
     exists (select 1 from vending_orders o join events e on e.merchant_id = o.merchant_id and e.subject = o.id
       and e.type = 'vending.dispensed' and e.occurrence = o.attempts where o.merchant_id = $1 and o.id = $2) as "dispensedTold"
   from merchants m where m.id = $1`,
)

const REFUND_WITHIN_MS = 3_600_000
const REFUND_TRIED_MS = 72 * 3_600_000

/**
 * The one door through which the machine's side of an order ends: order, claim, event and delivery in one commit, decided on
 * locked rows (contract.md G29a, 6.3). Said twice it moves once; what a machine or a person has confirmed as dispensed never
 * moves again. `callback` and `manual` move a paid and commanded order only; a callback about a refunded one changes nothing.
 */
export async function moveOrder(app: App, move: OrderMove): Promise<OrderMoved> {
  const at = app.clock.now()
  const { merchantId, id } = move
  const moved = await app.db.transaction(
    async (tx): Promise<{ value: OrderMoved; last?: readonly Call[] }> => {
      const [, [before], [terms]] = await tx.send(
        lockOrder(merchantId, id),
        orderById(merchantId, id),
        termsOf([merchantId]),
      )
      assert(before && terms, 'an order is never deleted, nor is its merchant')
      const paidBy = before.charge === null ? [] : [{ merchantId, id: before.charge.id }]
      const [, [newest]] = await tx.send(lockCharges(paidBy), call(LOCK_NEWEST, merchantId, id))
      const [[order], [read]] = await tx.send(orderById(merchantId, id), call(FACTS, merchantId, id))
      assert(order && read, 'neither was deleted meanwhile')
      const facts: MoveFacts = { ...read, newest: newest ?? null }
      const verdict = judgeMove(order, move, facts)
      const recorded = move.record === undefined ? null : await tx.send(move.record(verdict))
      if (recorded?.[0].length === 0) return { value: 'seen' }
      if (verdict !== 'moved') return { value: verdict }
      return { value: 'moved', last: writesOf(app, { order, move, terms, facts, at }) }
    },
  )
  if (moved === 'moved') {
    app.nudge('send-deliveries')
    app.nudge('refund-jams')
  }
  return moved
}

type RefundTimes = { due: Date; until: Date } | null

/** A reported jam is refunded where the merchant has said so, once, and not long after its command (G41b, VE8). */
function refundTimes(
  order: VendingOrder,
  { move, facts, at }: { move: OrderMove; facts: MoveFacts; at: Date },
): RefundTimes {
  const jam = move.source === 'callback' && move.to.status === 'failed'
  const wanted = facts.autoRefundOnJam === 'both' || facts.autoRefundOnJam === order.mode
  if (!jam || !wanted || order.charge?.status !== 'succeeded') return null
  const age = facts.commandedAt === null ? Infinity : at.getTime() - facts.commandedAt.getTime()
  return age > REFUND_WITHIN_MS ? null : { due: at, until: new Date(at.getTime() + REFUND_TRIED_MS) }
}

function writesOf(
  app: App,
  {
    order,
    move,
    terms,
    facts,
    at,
  }: { order: VendingOrder; move: OrderMove; terms: MerchantTerms; facts: MoveFacts; at: Date },
): Call[] {
  const { to } = move
  const refunding = refundTimes(order, { move, facts, at })
  const { merchantId, id } = order
  const units = to.result === null ? null : to.result.reduce((sum, { chsl }) => sum + chsl, 0)
  const error = to.status === 'failed' ? to.error : to.note
  // Seen before: an optimistic success that the machine now confirms is no new event.
  const news = order.vendingStatus !== to.status
  const next: VendingOrder = {
    ...order,
    vendingStatus: to.status,
    vendingError: error,
    confirmed: to.confirmed,
    dispenseResult: to.result,
    unitsDispensed: units,
    dispensedAt: to.status === 'dispensed' ? (order.dispensedAt ?? at) : null,
  }
  return [
    call(
      MOVE,
      merchantId,
      id,
      to.status,
      to.confirmed,
      to.result === null ? null : JSON.stringify(to.result),
      units,
      error,
      at.toISOString(),
      refunding?.due.toISOString() ?? null,
      refunding?.until.toISOString() ?? null,
    ),
    ...(to.status === 'failed' || to.confirmed
      ? [call(END_CLAIM, merchantId, id, to.status === 'failed' ? 'released' : 'delivered', at.toISOString())]
      : []),
    ...(news ? announce(app, { order: next, terms, move, facts, at }) : []),
    ...(move.alongside ?? []),
  ]
}

/** `vending.dispensed` or `vending.dispense_failed` (contract.md section 5), keys in the order of canonical JSON. */
function announce(
  app: App,
  {
    order,
    terms,
    move,
    facts,
    at,
  }: { order: VendingOrder; terms: MerchantTerms; move: OrderMove; facts: MoveFacts; at: Date },
): Call[] {
  const view = presentOrder(order, { baseUrl: app.baseUrl, at })
  const data = { ...view, merchant_reference: order.reference, source: move.source }
  const dispensed = order.vendingStatus === 'dispensed'
  return addEvents(
    [
      {
        merchantId: order.merchantId,
        tag: terms.tag,
        mode: order.mode,
        type: dispensed ? 'vending.dispensed' : 'vending.dispense_failed',
        subject: order.id,
        // Of one command twice only after an optimistic success was contradicted, and that in its turn: the opposite number.
        occurrence: dispensed && facts.dispensedTold ? -order.attempts : order.attempts,
        data: inKeyOrder(data),
        hasWebhookUrl: terms.hasWebhookUrl,
      },
    ],
    at,
  )
}
