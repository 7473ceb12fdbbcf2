import type { Caller } from '../../../api/access/actor.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { notFound } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import { ORDER_COLUMNS, ORDER_TABLES, type VendingOrder } from './order.ts'

const ORDER_BY_ID = statement<VendingOrder>(
  'vending order by id',
  `select ${ORDER_COLUMNS} from ${ORDER_TABLES} where o.merchant_id = $1 and o.id = $2`,
)
const LOCK_ORDER = statement<{ id: string }>(
  'lock vending order',
  'select o.id from vending_orders o where o.merchant_id = $1 and o.id = $2 for no key update',
)

const WAITING_SINCE = statement<{ since: Date | null }>(
  'releasing since of vending order',
  `select greatest(c.completed_at, (select max(k.claimed_at) from dispense_claims k
     where k.merchant_id = $1 and k.order_id = $2 and k.kind = 'order')) as since
   from charges c where c.merchant_id = $1 and c.id = $3`,
)

/** Finds an order of either mode, with its payment. */
export const findOrder = (
  app: App,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<VendingOrder | null> => firstRow(app.db.query(ORDER_BY_ID, [merchantId, id]))

/** Finds since when the customer of a paid order has waited: since the payment, or since the newest try to dispense. */
export async function findWaitingSince(
  app: App,
  { merchantId, id, charge }: Pick<VendingOrder, 'merchantId' | 'id' | 'charge'>,
): Promise<Date | null> {
  if (charge === null) return null
  const [row] = await app.db.query(WAITING_SINCE, [merchantId, id, charge.id])
  return row?.since ?? null
}

/** Returns the caller's order in the key's mode. Throws 404 (spec 1.3). Reading has no side effect. */
export async function getOrder(
  app: App,
  { merchantId, tag, mode }: Pick<Caller, 'merchantId' | 'tag' | 'mode'>,
  id: string,
): Promise<VendingOrder> {
  const order = parseTag('lnk_', id) === tag ? await findOrder(app, { merchantId, id }) : null
  if (order?.mode !== mode) throw notFound('vending order')
  return order
}

/** Locks a vending order. Must come after the lock of its link and before that of its charge. */
export const lockOrder = (merchantId: number, id: string): Call<{ id: string }> => call(LOCK_ORDER, merchantId, id)

/** Reads the order; sent after its lock, so that it is current. */
export const orderById = (merchantId: number, id: string): Call<VendingOrder> => call(ORDER_BY_ID, merchantId, id)
