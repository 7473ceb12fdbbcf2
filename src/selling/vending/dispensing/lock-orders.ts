import { MERCHANT_AND_ID_ROWS, toColumns, unnestColumns } from '../../../platform/db/columns.ts'
import { type Call, call, type Tx } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { lockChargesOfLinks } from '../../payment-links/hold-link.ts'
import { ORDER_COLUMNS, ORDER_TABLES, type VendingOrder } from '../orders/order.ts'
import { type DispenseKey, dispenseName, type LockedRows } from './dispense-move.ts'
import type { MoveFacts, NewestClaim } from './judge-move.ts'

type OrderFacts = Omit<MoveFacts, 'newest'>

/** A locked order with the facts that decide a move of it and its event. */
export type LockedOrder = { kind: 'order'; order: VendingOrder; facts: MoveFacts }

const LOCK_ORDERS = statement<{ id: string }>(
  'lock vending orders',
  `select o.id from vending_orders o where (o.merchant_id, o.id) in ${MERCHANT_AND_ID_ROWS}
   order by o.merchant_id, o.id for no key update`,
)
// The newest claim is locked until the commit: a process that is about to command it waits, or has committed before and is seen.
const LOCK_NEWEST_CLAIMS = statement<NewestClaim & { merchantId: number; orderId: string }>(
  'lock newest dispense claims',
  `select k.merchant_id as "merchantId", k.order_id as "orderId", k.id, k.state, k.machine,
     k.commanded_at as "commandedAt" from dispense_claims k where (k.merchant_id, k.id) in (
     select n.merchant_id, newest.id from ${unnestColumns('bigint', 'text')} as n (merchant_id, id)
     cross join lateral (select c.id from dispense_claims c
       where c.merchant_id = n.merchant_id and c.order_id = n.id and c.kind = 'order' order by c.attempt desc limit 1) newest)
   order by k.merchant_id, k.id for no key update`,
)
const READ_ORDERS = statement<VendingOrder & OrderFacts>(
  'vending orders to move',
  `select ${ORDER_COLUMNS}, m.tag, m.webhook_url is not null as "hasWebhookUrl", m.auto_refund_on_jam as "autoRefundOnJam",
     sent.commands, sent."commandedAt",
     exists (select 1 from events e where e.merchant_id = o.merchant_id and e.subject = o.id
       and e.type = 'vending.dispensed' and e.occurrence = o.attempts) as "dispensedTold"
   from ${ORDER_TABLES} join merchants m on m.id = o.merchant_id
   cross join lateral (select count(k.commanded_at)::int as commands, max(k.commanded_at) as "commandedAt" from dispense_claims k
     where k.merchant_id = o.merchant_id and k.order_id = o.id and k.kind = 'order') sent
   where (o.merchant_id, o.id) in ${MERCHANT_AND_ID_ROWS}`,
)

/** Locks orders, their charges and newest claims in one flush, so that each statement sees what the one before has waited for, then reads `also`. */
export async function lockOrders<Row>(
  tx: Tx,
  keys: readonly DispenseKey[],
  also: readonly Call<Row>[],
): Promise<LockedRows<LockedOrder, Row>> {
  const each = toColumns(keys)
  const columns = [...each.numbers('merchantId'), ...each.values('id')]
  const [, , claims, orders, ...rest] = await tx.send(
    call(LOCK_ORDERS, ...columns),
    lockChargesOfLinks(keys),
    call(LOCK_NEWEST_CLAIMS, ...columns),
    call(READ_ORDERS, ...columns),
    ...also,
  )
  const newestOf = new Map(claims.map((claim) => [dispenseName({ ...claim, id: claim.orderId }), claim]))
  const dispenses = orders.map((order): [string, LockedOrder] => {
    const name = dispenseName(order)
    return [name, { kind: 'order', order, facts: { ...order, newest: newestOf.get(name) ?? null } }]
  })
  return { dispenses: new Map(dispenses), also: rest.flat() }
}
