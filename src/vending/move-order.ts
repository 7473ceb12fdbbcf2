import type { App } from '../app.ts'
import { type MerchantTerms, termsOf } from '../merchants/merchant.ts'
import { lockChargesOfLinks } from '../payment-links/hold-link.ts'
import { assert } from '../platform/assert.ts'
import { done, type Outcome, runApart } from '../platform/batch.ts'
import { numbers } from '../platform/db/columns.ts'
import { call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { judgeMove, type MoveFacts, type NewestClaim } from './judge-move.ts'
import { type MovedOrder, writesOf } from './move-writes.ts'
import { ORDER_COLUMNS, ORDER_TABLES, type VendingOrder } from './order.ts'
import type { OrderMove, OrderMoved } from './order-move.ts'
import { addCallbacks, type KeptCallback } from './vendor-callbacks.ts'

type OrderFacts = Omit<MoveFacts, 'newest'>

const NAMED = '(select * from unnest($1::bigint[], $2::text[]))'
const LOCK = statement<{ id: string }>(
  'lock vending orders',
  `select o.id from vending_orders o where (o.merchant_id, o.id) in ${NAMED}
   order by o.merchant_id, o.id for no key update`,
)
// The newest claim is held until the commit: a command of it that is just being sent waits, or was seen.
const LOCK_NEWEST = statement<NewestClaim & { merchantId: number; orderId: string }>(
  'lock newest dispense claims',
  `select k.merchant_id as "merchantId", k.order_id as "orderId", k.id, k.state, k.commanded_at as "commandedAt"
   from dispense_claims k where (k.merchant_id, k.id) in (
     select n.merchant_id, newest.id from unnest($1::bigint[], $2::text[]) as n (merchant_id, id)
     cross join lateral (select c.id from dispense_claims c
       where c.merchant_id = n.merchant_id and c.order_id = n.id and c.kind = 'order' order by c.attempt desc limit 1) newest)
   order by k.merchant_id, k.id for no key update`,
)
const ORDERS = statement<VendingOrder & OrderFacts>(
  'vending orders to move',
  `select ${ORDER_COLUMNS}, m.auto_refund_on_jam as "autoRefundOnJam",
     (select max(k.commanded_at) from dispense_claims k
      where k.merchant_id = o.merchant_id and k.order_id = o.id and k.kind = 'order') as "commandedAt",
     exists (select 1 from events e where e.merchant_id = o.merchant_id and e.subject = o.id
       and e.type = 'vending.dispensed' and e.occurrence = o.attempts) as "dispensedTold"
   from ${ORDER_TABLES} join merchants m on m.id = o.merchant_id where (o.merchant_id, o.id) in ${NAMED}`,
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
 * Several travel in one transaction, those about one order in turn. Answers each in the order given.
 */
export function moveOrders(app: App, moves: readonly OrderMove[]): Promise<Outcome<OrderMoved>[]> {
  return runApart(moves, nameOf, async (some) => (await moveAll(app, some)).map(done))
}

/** Each about another order. */
async function moveAll(app: App, moves: readonly OrderMove[]): Promise<OrderMoved[]> {
  const at = app.clock.now()
  const moved = await app.db.transaction(async (tx) => {
    const known = await lockAndRead(tx, moves)
    const verdicts = moves.map((move) => judgeMove(orderOf(known, move), move, factsOf(known, move)))
    const heard = await record(tx, moves, verdicts)
    const rows = moves.flatMap((move, index): MovedOrder[] => {
      if (heard[index] !== 'moved') return []
      const terms = known.terms.get(move.merchantId)
      assert(terms, 'a merchant is never deleted')
      return [{ order: orderOf(known, move), facts: factsOf(known, move), move, terms }]
    })
    return { value: heard, last: writesOf(app, rows, at) }
  })
  if (moved.includes('moved')) {
    app.nudge('send-deliveries')
    app.nudge('refund-jams')
  }
  return moved
}

type Known = {
  orders: Map<string, VendingOrder & OrderFacts>
  newest: Map<string, NewestClaim>
  terms: Map<number, MerchantTerms>
}

/** One flush: each statement sees what those before it have waited for. */
async function lockAndRead(tx: Tx, moves: readonly OrderMove[]): Promise<Known> {
  const named = [numbers(moves.map(({ merchantId }) => merchantId)), moves.map(({ id }) => id)] as const
  const [, , newest, orders, terms] = await tx.send(
    call(LOCK, ...named),
    lockChargesOfLinks(moves),
    call(LOCK_NEWEST, ...named),
    call(ORDERS, ...named),
    termsOf([...new Set(moves.map(({ merchantId }) => merchantId))]),
  )
  return {
    orders: new Map(orders.map((order) => [nameOf(order), order])),
    newest: new Map(newest.map((claim) => [nameOf({ ...claim, id: claim.orderId }), claim])),
    terms: new Map(terms.map((one) => [one.id, one])),
  }
}

function orderOf({ orders }: Known, place: Place): VendingOrder & OrderFacts {
  const order = orders.get(nameOf(place))
  assert(order, 'an order is never deleted')
  return order
}

const factsOf = (known: Known, place: Place): MoveFacts => ({
  ...orderOf(known, place),
  newest: known.newest.get(nameOf(place)) ?? null,
})

/** Keeps what was said; what was kept before moves nothing. */
async function record(
  tx: Tx,
  moves: readonly OrderMove[],
  verdicts: readonly OrderMoved[],
): Promise<OrderMoved[]> {
  const kept = moves.map(
    (move, index): KeptCallback | null => move.record?.(verdicts[index] as OrderMoved) ?? null,
  )
  const given = kept.filter((one) => one !== null)
  if (given.length === 0) return [...verdicts]
  const [added] = await tx.send(addCallbacks(given))
  const ids = new Set(added.map(({ id }) => id))
  return verdicts.map((verdict, index) => {
    const own = kept[index]
    return own && !ids.has(own.id) ? 'seen' : verdict
  })
}
