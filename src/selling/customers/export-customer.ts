import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { readInPieces } from '../../api/http/lists/list-pieces.ts'
import { parseListWindow } from '../../api/http/lists/lists.ts'
import { presentCharge } from '../../payments/charges/charge.ts'
import { NO_CHARGE_FILTERS } from '../../payments/charges/charge-filters.ts'
import { chargeListQuery } from '../../payments/charges/find-charges.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import type { App } from '../../program/app.ts'
import { listInvoicesOf } from '../invoices/find-invoices.ts'
import { formatInvoiceNumber, type Invoice } from '../invoices/invoice.ts'
import { getCustomer } from './find-customers.ts'

const ROWS_A_PIECE = 1000
/** A file holds this many payments of a person, the newest ones; the list of charges gives all of them. */
const MAX_PAYMENTS = 10_000
const MAX_INVOICES = 10_000

/** Makes the file of what the shop holds about a person, as JSON. The audit says that it was taken. Throws 404. */
export async function exportCustomer(app: App, caller: Caller, phone: string): Promise<Buffer> {
  allow(caller, 'export')
  const { name, note } = await getCustomer(app, caller, phone)
  const { merchantId, mode } = caller
  await writeInTransaction(app.db, [
    auditRow({ actor: caller, action: 'export', at: app.clock.now(), merchantId, mode, subject: 'customer' }),
  ])
  const reading = chargeListQuery({ ...parseListWindow({}), ...NO_CHARGE_FILTERS, phone })
  const payments: Record<string, unknown>[] = []
  for await (const piece of readInPieces((asked, values) => app.db.query(asked, values), caller, {
    reading,
    rows: ROWS_A_PIECE,
  })) {
    payments.push(...piece.map(presentCharge))
    if (payments.length >= MAX_PAYMENTS) break
  }
  const invoices = await listInvoicesOf(app, caller, { phone, most: MAX_INVOICES })
  const data = { phone, name, note, payments: payments.slice(0, MAX_PAYMENTS), invoices: invoices.map(presentInvoice) }
  return Buffer.from(`${JSON.stringify(data, null, 2)}\n`)
}

const presentInvoice = ({ number, status, ...invoice }: Invoice) => ({
  number: formatInvoiceNumber(number),
  status,
  ...{ name: invoice.name, phone: invoice.phone, email: invoice.email, note: invoice.note, lines: invoice.lines },
  ...{ amount: invoice.amount, due_on: invoice.dueOn, created_at: invoice.createdAt.toISOString() },
  ...{ sent_at: invoice.sentAt?.toISOString() ?? null, seen_at: invoice.seenAt?.toISOString() ?? null },
})
