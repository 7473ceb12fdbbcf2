import type { Caller } from '../../../api/access/actor.ts'
import { listStatement } from '../../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, nullIfRefused, readListPage } from '../../../api/http/lists/lists.ts'
import type { App } from '../../../program/app.ts'
import { getOrder } from './find-orders.ts'
import { ORDER_COLUMNS, ORDER_TABLES, type VendingOrder } from './order.ts'

/** Which orders to list; an absent filter is null. `waiting`: only those whose machine still has to report. */
export type OrderFilter = ListWindow & { machine: string | null; waiting: boolean }

const listSql = (condition: string) =>
  `select ${ORDER_COLUMNS} from ${ORDER_TABLES} where o.merchant_id = :merchantId and o.mode = :mode
     and o.created_at >= :bound and (o.created_at, o.id) < (:cursorAt, :cursorId) and ${condition}
   order by o.created_at desc, o.id desc limit :limit`
const UNCONFIRMED = `(o.vending_status = 'dispensing' or o.vending_status = 'dispensed' and not o.confirmed)`

const LIST_ALL = listStatement<VendingOrder>('list orders', listSql(':machine::text is null'))
const LIST_OF_MACHINE = listStatement<VendingOrder>('list orders of machine', listSql('o.machine = :machine'))
const LIST_WAITING = listStatement<VendingOrder>(
  'list waiting orders',
  listSql(`${UNCONFIRMED} and (:machine::text is null or o.machine = :machine)`),
)

/** One page of the caller's orders, newest first. */
export const listOrders = (app: App, caller: Caller, filter: OrderFilter): Promise<ListPage<VendingOrder>> =>
  readListPage(app, caller, {
    ...chooseOrderStatement(filter),
    find: (id) => nullIfRefused(getOrder(app, caller, id)),
  })

/** Chooses the statement that finds these orders, with its values. */
export const chooseOrderStatement = (filter: OrderFilter) => ({
  window: filter,
  statement: filter.waiting ? LIST_WAITING : filter.machine === null ? LIST_ALL : LIST_OF_MACHINE,
  filters: { machine: filter.machine },
})
