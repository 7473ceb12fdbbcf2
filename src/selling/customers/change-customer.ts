import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { forgetPayer } from '../../payments/charges/forget-payer.ts'
import { forgetRefunds } from '../../payments/payouts/write-payouts.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import { oneLine } from '../../platform/text/text.ts'
import type { App } from '../../program/app.ts'
import { forgetInvoices } from '../invoices/forget-invoices.ts'
import { forgetLinkPayer } from '../payment-links/change-link.ts'
import type { CustomerNote } from './find-customers.ts'

export const MAX_NAME_CHARACTERS = 100
export const MAX_NOTE_CHARACTERS = 2000

const WRITE = statement(
  'write customer down',
  `insert into customers (merchant_id, mode, phone, name, note, changed_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (merchant_id, mode, phone) do update
     set name = excluded.name, note = excluded.note, changed_at = excluded.changed_at`,
)
const FORGET = statement('forget customer', 'delete from customers where merchant_id = $1 and mode = $2 and phone = $3')

/** Writes down a name and a note about a number; empty texts take them away. The audit says that it was done, and not what. Throws 400. */
export async function setCustomer(
  app: App,
  caller: Caller,
  { phone, ...texts }: { phone: string; name: string; note: string },
): Promise<void> {
  allow(caller, 'customer.set')
  const name = oneLine(texts.name).replace(/\s+/g, ' ').trim()
  const note = texts.note.trim()
  requireLength('name', name, MAX_NAME_CHARACTERS)
  requireLength('note', note, MAX_NOTE_CHARACTERS)
  const { merchantId, mode } = caller
  const at = app.clock.now()
  const change =
    name === '' && note === ''
      ? call(FORGET, merchantId, mode, phone)
      : call(WRITE, merchantId, mode, phone, name || null, note || null, at.toISOString())
  await writeInTransaction(app.db, [
    change,
    auditRow({ actor: caller, action: 'customer.set', at, merchantId, mode, subject: null }),
  ])
}

/**
 * Forgets what was written down about a number, also on invoices, payments and what they paid. The payments stay, and the lines and sums of invoices: they are
 * the books of both sides.
 */
export async function forgetCustomer(app: App, caller: Caller, { phone }: Pick<CustomerNote, 'phone'>): Promise<void> {
  allow(caller, 'customer.forget')
  const { merchantId, mode } = caller
  const at = app.clock.now()
  const writes = [
    call(FORGET, merchantId, mode, phone),
    auditRow({ actor: caller, action: 'customer.forget', at, merchantId, mode, subject: null }),
  ]
  // Links before the charges that lead to them.
  await forgetLinkPayer(app, caller, phone)
  await forgetRefunds(app, caller, phone)
  await forgetPayer(app, caller, phone)
  await forgetInvoices(app, caller, { of: { phone }, at, writes })
}

function requireLength(field: 'name' | 'note', text: string, most: number): void {
  if (Array.from(text).length > most) throw invalidRequest(`${field} has more than ${most} characters`, field)
}
