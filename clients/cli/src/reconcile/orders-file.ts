import { type CsvRow, parseRows } from '../../../../src/payments/payouts/bulk/bulk-csv.ts'
import { detectDialect } from '../../../../src/payments/payouts/bulk/csv-dialect.ts'
import { parsePhone } from '../../../../src/platform/text/phone.ts'
import { parseShillings } from '../../../../src/platform/text/shillings.ts'
import { echo } from '../../../../src/platform/text/text.ts'
import { UsageError } from '../faults.ts'
import { formatNumber } from '../table.ts'

/** What an order should have become. */
export type OrderState = 'paid' | 'failed' | 'refunded' | 'open'

/** An order of the merchant's. */
export type Order = { line: number; reference: string; amount: number; state: OrderState; phone: string | null }

type Field = 'reference' | 'amount' | 'status' | 'phone'

const MAX_ORDERS = 20_000
// The names that columns and states have in most shops.
const FIELDS: Readonly<Record<string, Field>> = {
  reference: 'reference',
  ref: 'reference',
  order: 'reference',
  amount: 'amount',
  total: 'amount',
  status: 'status',
  state: 'status',
  phone: 'phone',
  msisdn: 'phone',
}
const STATES: Readonly<Record<string, OrderState>> = {
  ...{ paid: 'paid', succeeded: 'paid', success: 'paid', completed: 'paid', shipped: 'paid' },
  ...{ failed: 'failed', cancelled: 'failed', canceled: 'failed', unpaid: 'failed' },
  ...{ refunded: 'refunded', returned: 'refunded' },
  ...{ open: 'open', pending: 'open', authorized: 'open', waiting: 'open' },
}

/** Reads the orders of a CSV file. Throws UsageError, with the line, where one cannot be read. */
export async function parseOrders(bytes: Buffer): Promise<Order[]> {
  const [header, ...rows] = await parseRows(bytes, { limit: MAX_ORDERS + 2, dialect: detectDialect(bytes) })
  if (header === undefined) throw new UsageError('the file is empty')
  if (rows.length > MAX_ORDERS)
    throw new UsageError(`the file has more than ${formatNumber(MAX_ORDERS)} orders: split it by days`)
  const places = findColumns(header.cells)
  return rows.map((row) => parseOrder(row, places))
}

function findColumns(cells: readonly string[]): ReadonlyMap<Field, number> {
  const places = new Map<Field, number>()
  for (const [at, cell] of cells.entries()) {
    const name = cell.toLowerCase()
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
    if (field === undefined) continue
    if (places.has(field)) throw new UsageError(`the header names ${field} twice`)
    places.set(field, at)
  }
  for (const field of ['reference', 'amount'] as const)
    if (!places.has(field))
      throw new UsageError(`the header must name reference and amount; it is ${echo(cells.join(', '))}`)
  return places
}

function parseOrder({ cells, line }: CsvRow, places: ReadonlyMap<Field, number>): Order {
  const cell = (field: Field) => cells[places.get(field) ?? -1] ?? ''
  const reference = cell('reference')
  if (reference === '') throw new UsageError(`line ${line} has no reference`)
  const amount = parseShillings(cell('amount'))
  if (amount === null) throw new UsageError(`line ${line}: "${echo(cell('amount'))}" is no amount in whole shillings`)
  return {
    line,
    reference,
    amount,
    state: parseState(cell('status'), line),
    phone: parsePhoneCell(cell('phone'), line),
  }
}

/** An order without a state should have been paid. */
function parseState(text: string, line: number): OrderState {
  const name = text.toLowerCase()
  if (name === '') return 'paid'
  if (Object.hasOwn(STATES, name)) return STATES[name] as OrderState // The name is one of its own.
  throw new UsageError(`line ${line}: the status "${echo(text)}" is none of ${Object.keys(STATES).join(', ')}`)
}

function parsePhoneCell(text: string, line: number): string | null {
  const phone = text === '' ? null : parsePhone(text)
  if (text !== '' && phone === null) throw new UsageError(`line ${line}: "${echo(text)}" is no phone number`)
  return phone
}
