import type { Caller } from '../../actors/actor.ts'
import type { App } from '../../app.ts'
import { listStatement } from '../../http/both-ways.ts'
import { type ListWindow, orNull, type Page, readPage } from '../../http/lists.ts'
import { getOrder } from './find-orders.ts'
import { ORDER_COLUMNS, ORDER_TABLES, type VendingOrder } from './order.ts'

/** Which orders to list; an absent filter is null. `waiting`: only those whose machine still has to report. */
export type OrderFilter = ListWindow & { machine: string | null; waiting: boolean }

const text = (condition: string) =>
  `select ${ORDER_COLUMNS} from ${ORDER_TABLES} where o.merchant_id = $1 and o.mode = $2
     and o.created_at >= $3 and (o.created_at, o.id) < ($4, $5) and ${condition}
   order by o.created_at desc, o.id desc limit $6`
const UNCONFIRMED = `(o.vending_status = 'dispensing' or o.vending_status = 'dispensed' and not o.confirmed)`

const ALL = listStatement<VendingOrder>('list orders', text('$7::text is null'))
const OF_MACHINE = listStatement<VendingOrder>('list orders of machine', text('o.machine = $7'))
const WAITING = listStatement<VendingOrder>(
  'list waiting orders',
  text(`${UNCONFIRMED} and ($7::text is null or o.machine = $7)`),
)

/** One page of the caller's orders, newest first. */
export const listOrders = (app: App, caller: Caller, filter: OrderFilter): Promise<Page<VendingOrder>> =>
  readPage(app, caller, { ...readingOf(filter), find: (id) => orNull(getOrder(app, caller, id)) })

/** Chooses the statement that finds these orders, with its values. */
export const readingOf = (filter: OrderFilter) => ({
  window: filter,
  statement: filter.waiting ? WAITING : filter.machine === null ? ALL : OF_MACHINE,
  filters: [filter.machine],
})
