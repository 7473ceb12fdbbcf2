import type { Caller } from '../../api/access/actor.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import type { App } from '../../program/app.ts'
import { chooseOrderStatement, type OrderFilter } from '../../selling/vending/orders/list-orders.ts'
import { paymentStatus, type VendingOrder } from '../../selling/vending/orders/order.ts'
import { listProductNames } from '../../selling/vending/orders/product-names.ts'
import { type CsvColumn, exportRows } from './export-rows.ts'

const COLUMNS: readonly CsvColumn<VendingOrder>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'machine', cell: ({ machine }) => machine },
  { name: 'amount', cell: ({ amount }) => amount },
  { name: 'currency', cell: () => 'UGX' },
  { name: 'payment_status', cell: paymentStatus },
  { name: 'vending_status', cell: ({ vendingStatus }) => vendingStatus },
  { name: 'confirmed', cell: ({ confirmed }) => (confirmed ? 'yes' : 'no') },
  { name: 'products', cell: ({ goods }) => listProductNames(goods).join(', ') },
  { name: 'units_dispensed', cell: ({ unitsDispensed }) => unitsDispensed },
  { name: 'vending_error', cell: ({ vendingError }) => vendingError },
  { name: 'reference', cell: ({ reference }) => reference },
  { name: 'charge_id', cell: ({ charge }) => charge?.id ?? null },
  { name: 'created_at', cell: ({ createdAt }) => createdAt },
  { name: 'dispensed_at', cell: ({ dispensedAt }) => dispensedAt },
]

/** The orders of machines that a filter finds, as a CSV file. */
export const exportOrders = (app: App, caller: Caller, filter: OrderFilter): Promise<DocumentStream> =>
  exportRows(app, caller, { list: 'orders', columns: COLUMNS, reading: chooseOrderStatement(filter) })
