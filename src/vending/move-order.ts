import type { App } from '../app.ts'
import { lockChargesOfLinks } from '../payment-links/hold-link.ts'
import { assert } from '../platform/assert.ts'
import { done, type Outcome, runApart } from '../platform/batch.ts'
import { numbers, PLACES, rowsOf } from '../platform/db/columns.ts'
import { call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { whenTaken } from '../platform/db/taken.ts'
import { judgeMove, type MoveFacts, type NewestClaim } from './judge-move.ts'
import { type MovedOrder, planRefund, writesOf } from './move-writes.ts'
import { ORDER_COLUMNS, ORDER_TABLES, type VendingOrder } from './order.ts'
import type { OrderMove, OrderMoved } from './order-move.ts'
import { addCallbacks, ordersOfSigns, signName } from './vendor-callbacks.ts'

type OrderFacts = Omit<MoveFacts, 'newest'>

const LOCK = statement<{ id: string }>(
  'lock vending orders',
  `select o.id from vending_orders o where (o.merchant_id, o.id) in ${PLACES}
   order by o.merchant_id, o.id for no key update`,
)
// The newest claim is held until the commit: a command of it that is just being sent waits, or was seen.
const LOCK_NEWEST = statement<NewestClaim & { merchantId: number; orderId: string }>(
  'lock newest dispense claims',
  `select k.merchant_id as "merchantId", k.order_id as "orderId", k.id, k.state, k.machine,
     k.commanded_at as "commandedAt" from dispense_claims k where (k.merchant_id, k.id) in (
     select n.merchant_id, newest.id from ${rowsOf('bigint', 'text')} as n (merchant_id, id)
     cross join lateral (select c.id from dispense_claims c
       where c.merchant_id = n.merchant_id and c.order_id = n.id and c.kind = 'order' order by c.attempt desc limit 1) newest)
   order by k.merchant_id, k.id for no key update`,
)
const ORDERS = statement<VendingOrder & OrderFacts>(
  'vending orders to move',
  `select ${ORDER_COLUMNS}, m.tag, m.webhook_url is not null as "hasWebhookUrl", m.auto_refund_on_jam as "autoRefundOnJam",
     sent.commands, sent."commandedAt",
     exists (select 1 from events e where e.merchant_id = o.merchant_id and e.subject = o.id
       and e.type = 'vending.dispensed' and e.occurrence = o.attempts) as "dispensedTold"
   from ${ORDER_TABLES} join merchants m on m.id = o.merchant_id
   cross join lateral (select count(k.commanded_at)::int as commands, max(k.commanded_at) as "commandedAt" from dispense_claims k
     where k.merchant_id = o.merchant_id and k.order_id = o.id and k.kind = 'order') sent
   where (o.merchant_id, o.id) in ${PLACES}`,
)

type Place = { merchantId: number; id: string }
const nameOf = ({ merchantId, id }: Place) => `${merchantId} ${id}`

/** `moveOrders` of one. */
export async function moveOrder(app: App, move: OrderMove): Promise<OrderMoved> {
  const [moved] = await moveAll(app, [move])
  assert(moved, 'one was given')
  return moved
}

/**
 * The one door through which the machine's side of an order ends: order, claim, event and delivery in one commit, decided on
 * locked rows (contract.md G29a, 6.3). Said twice it moves once; what a machine or a person has confirmed as dispensed never
 * moves again. `callback` and `manual` move a paid and commanded order only; a callback about a refunded one changes nothing.
 * Several travel in one transaction, those about one order or with one sign in turn. Answers each in the order given.
 */
export function moveOrders(app: App, moves: readonly OrderMove[]): Promise<Outcome<OrderMoved>[]> {
  return runApart(moves, nameOf, (apart) =>
    runApart(apart, signOf, async (some) => (await moveAll(app, some)).map(done)),
  )
}

const signOf = (move: OrderMove) =>
  move.said === undefined ? nameOf(move) : signName({ ...move, ...move.said })

/** Each about another order. */
async function moveAll(app: App, moves: readonly OrderMove[]): Promise<OrderMoved[]> {
  const { verdicts, rows } = await unlessSeen(() => judgeAndMove(app, moves))
  if (rows.some(({ facts }) => facts.hasWebhookUrl)) app.nudge('send-deliveries')
  if (rows.some(({ refund }) => refund.due !== null)) app.nudge('refund-jams')
  return verdicts
}

/** A sign that another order was moved by in the meantime is found at the second look. */
export const unlessSeen = <T>(move: () => Promise<T>): Promise<T> => whenTaken(move, move)

function judgeAndMove(app: App, moves: readonly OrderMove[]) {
  const at = app.clock.now()
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const known = await lockAndRead(tx, moves)
    const verdicts = moves.map((move) =>
      isSeen(known, move) ? 'seen' : judgeMove(orderOf(known, move), move, factsOf(known, move)),
    )
    const rows = moves.flatMap((move, index): MovedOrder[] => {
      if (verdicts[index] !== 'moved') return []
      const judged = { order: orderOf(known, move), facts: factsOf(known, move), move }
      return [{ ...judged, refund: planRefund(judged, at) }]
    })
    const kept = moves.flatMap(({ said }, index) => {
      const verdict = verdicts[index] as OrderMoved
      return said === undefined || verdict === 'seen' ? [] : [said.kept(verdict)]
    })
    return {
      value: { verdicts, rows },
      last: [...(kept.length === 0 ? [] : [addCallbacks(kept)]), ...writesOf(app, rows, at)],
    }
  })
}

type Known = {
  orders: Map<string, VendingOrder & OrderFacts>
  newest: Map<string, NewestClaim>
  signs: ReadonlySet<string>
}

/** One flush: each statement sees what those before it have waited for. */
async function lockAndRead(tx: Tx, moves: readonly OrderMove[]): Promise<Known> {
  const named = [numbers(moves.map(({ merchantId }) => merchantId)), moves.map(({ id }) => id)] as const
  const said = moves.flatMap(({ merchantId, said }) => (said ? [{ merchantId, sign: said.sign }] : []))
  const [, , newest, orders, ...seen] = await tx.send(
    call(LOCK, ...named),
    lockChargesOfLinks(moves),
    call(LOCK_NEWEST, ...named),
    call(ORDERS, ...named),
    ...(said.length === 0 ? [] : [ordersOfSigns(said)]),
  )
  return {
    orders: new Map(orders.map((order) => [nameOf(order), order])),
    newest: new Map(newest.map((claim) => [nameOf({ ...claim, id: claim.orderId }), claim])),
    signs: new Set(seen.flat().map(signName)),
  }
}

const isSeen = ({ signs }: Known, { merchantId, said }: OrderMove) =>
  said !== undefined && signs.has(signName({ merchantId, sign: said.sign }))

function orderOf({ orders }: Known, place: Place): VendingOrder & OrderFacts {
  const order = orders.get(nameOf(place))
  assert(order, 'an order is never deleted')
  return order
}

const factsOf = (known: Known, place: Place): MoveFacts => ({
  ...orderOf(known, place),
  newest: known.newest.get(nameOf(place)) ?? null,
})
