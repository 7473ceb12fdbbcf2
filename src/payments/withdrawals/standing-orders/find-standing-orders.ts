import type { Actor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import {
  type CrossCellList,
  type CrossCellPage,
  type PageCursors,
  readCrossCellPage,
} from '../../../api/http/lists/cross-cell-list.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App, Gateway } from '../../../program/app.ts'
import { ORDER_COLUMNS, type StandingOrder } from './standing-order.ts'

/** A standing order as staff see it, with the number that the merchant has now. `key` is its id. */
export type ListedOrder = StandingOrder & {
  at: Date
  key: string
  publicId: string
  name: string
  phone: string | null
  verified: boolean
}
export const ORDER_LISTS = ['waiting', 'running'] as const
export type OrderList = (typeof ORDER_LISTS)[number]

const LATEST = statement<StandingOrder>(
  'latest standing order',
  `select ${ORDER_COLUMNS} from standing_orders o where o.merchant_id = $1 order by o.state = 'stopped', o.set_at desc, o.id limit 1`,
)

const listSql = (time: string, compare: '>' | '<', order: 'asc' | 'desc') =>
  `select ${ORDER_COLUMNS}, o.${time} as at, o.id as key, m.public_id as "publicId", m.name, n.phone,
     coalesce(n.verified_at is not null, false) as verified
   from standing_orders o join merchants m on m.id = o.merchant_id left join withdrawal_numbers n on n.merchant_id = o.merchant_id
   where o.${time} is not null and (o.${time}, o.id) ${compare} ($1::timestamptz, $2) order by o.${time} ${order}, o.id ${order} limit $3`
const LISTS: Readonly<Record<OrderList, CrossCellList<ListedOrder>>> = {
  waiting: {
    forward: statement('waiting standing orders', listSql('waits_since', '>', 'asc')),
    backward: statement('waiting standing orders, back', listSql('waits_since', '<', 'desc')),
  },
  running: {
    forward: statement('approved standing orders', listSql('approved_at', '>', 'asc')),
    backward: statement('approved standing orders, back', listSql('approved_at', '<', 'desc')),
  },
}

/** The merchant's order, or the last one if it was stopped; null if it never had one. */
export async function findStandingOrder(app: App, merchantId: number): Promise<StandingOrder | null> {
  const [order] = await app.db.query(LATEST, [merchantId])
  return order ?? null
}

/** The orders that wait for staff, or those that are approved, the oldest first. */
export function listStandingOrders(
  gateway: Gateway,
  actor: Actor,
  { list, ...around }: PageCursors & { list: OrderList },
): Promise<CrossCellPage<ListedOrder>> {
  allow(actor, 'console.read')
  return readCrossCellPage(gateway, LISTS[list], around)
}
