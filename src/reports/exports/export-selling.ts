import type { Caller } from '../../api/access/actor.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import { metadataCell } from '../../api/http/bodies/metadata.ts'
import type { App } from '../../program/app.ts'
import { chooseListStatement, type LinkFilter } from '../../selling/payment-links/find-links.ts'
import { type LinkWithCharges, presentLink } from '../../selling/payment-links/payment-link.ts'
import { chooseOrderStatement, type OrderFilter } from '../../selling/vending/orders/list-orders.ts'
import { paymentStatus, type VendingOrder } from '../../selling/vending/orders/order.ts'
import { listProductNames } from '../../selling/vending/orders/product-names.ts'
import { linkColumnsForPeople, ORDER_COLUMNS_FOR_PEOPLE } from './columns-for-people.ts'
import { type CsvColumn, type ExportRequest, exportRows } from './export-rows.ts'

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
  { name: 'metadata', cell: ({ metadata }) => metadataCell(metadata) },
]

/** The orders of machines that a filter finds, as a CSV file. */
export const exportOrders = (
  app: App,
  caller: Caller,
  { filter, reader }: ExportRequest<OrderFilter>,
): Promise<DocumentStream> =>
  exportRows(app, caller, {
    list: 'orders',
    columns: reader === 'people' ? ORDER_COLUMNS_FOR_PEOPLE : COLUMNS,
    reading: chooseOrderStatement(filter),
  })

const columnsFor = (baseUrl: string): readonly CsvColumn<LinkWithCharges>[] => [
  { name: 'id', cell: ({ id }) => id },
  { name: 'status', cell: (link) => presentLink(link, baseUrl).status },
  { name: 'amount', cell: ({ amount }) => amount },
  { name: 'currency', cell: () => 'UGX' },
  { name: 'description', cell: ({ description }) => description },
  { name: 'reference', cell: ({ reference }) => reference },
  { name: 'reusable', cell: ({ allowMultipleUses }) => (allowMultipleUses ? 'yes' : 'no') },
  { name: 'last_charge', cell: ({ paid, attempt }) => paid?.id ?? attempt?.id ?? null },
  { name: 'url', cell: (link) => presentLink(link, baseUrl).url },
  { name: 'created_at', cell: ({ createdAt }) => createdAt },
  { name: 'metadata', cell: ({ metadata }) => metadataCell(metadata) },
]

/** The payment links that a filter finds, as a CSV file. */
export const exportLinks = (
  app: App,
  caller: Caller,
  { filter, reader }: ExportRequest<LinkFilter>,
): Promise<DocumentStream> =>
  exportRows(app, caller, {
    list: 'links',
    columns:
      reader === 'people' ? linkColumnsForPeople((link) => presentLink(link, app.baseUrl)) : columnsFor(app.baseUrl),
    reading: chooseListStatement(filter),
  })
