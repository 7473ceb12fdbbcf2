import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { dropMails } from '../../merchants/mails/mail.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { getInvoice } from './find-invoices.ts'
import { type InvoiceMail, nameInvoiceMail } from './invoice-mails.ts'

// Number, lines and amount stay: they are the books. The note may name the customer, so it goes too.
const FORGET = `set customer_name = null, customer_phone = null, customer_email = null, note = null, reminds = false, forgotten_at = $3
  where merchant_id = $1`
const FORGET_ONE = statement(
  'forget customer of invoice',
  `update invoices ${FORGET} and id = $2 and forgotten_at is null`,
)
const FORGET_PHONE = statement(
  'forget customer of invoices',
  `update invoices ${FORGET} and mode = $2 and customer_phone = $4`,
)

// Mails that ended earlier are deleted by now (`pruneMails`).
const MAILS_KEPT_MS = 31 * 86_400_000
const MAX_MAILS = 10_000
const WRITTEN_MAILS = statement<WrittenMail>(
  'written mails of customer of invoices',
  `select m.invoice_id as "invoiceId", m.kind, m.seq from invoices i
     join invoice_mails m on m.merchant_id = i.merchant_id and m.invoice_id = i.id and m.outcome = 'written' and m.ended_at > $5
   where i.merchant_id = $1 and i.mode = $2 and (i.id = $3 or i.customer_phone = $4) order by m.ended_at desc limit ${MAX_MAILS}`,
)

type WrittenMail = Pick<InvoiceMail, 'invoiceId' | 'kind' | 'seq'>
type Forgotten = { id: string } | { phone: string }

/**
 * Forgets the customer of every invoice for a number, or of one invoice, whose number, lines and payment stay; also in mails that wait or
 * have gone out. Adds these writes to the commit.
 */
export async function forgetInvoices(
  app: App,
  { merchantId, mode }: MerchantMode,
  { of, at, writes }: { of: Forgotten; at: Date; writes: readonly Call[] },
): Promise<void> {
  const day = at.toISOString()
  const [id, phone] = 'id' in of ? [of.id, null] : [null, of.phone]
  const since = addMs(at, -MAILS_KEPT_MS).toISOString()
  const mails = await app.db.query(WRITTEN_MAILS, [merchantId, mode, id, phone, since])
  const forget = id === null ? call(FORGET_PHONE, merchantId, mode, day, phone) : call(FORGET_ONE, merchantId, id, day)
  await writeInTransaction(app.db, [...writes, forget])
  // After the commit: what is written from now on has no address. A mail that is kept by a crash here is not sent (`isMailWanted`).
  const drop = dropMails(mails.map(nameInvoiceMail))
  await app.directory.query(drop.statement, drop.values)
}

/** Forgets the customer of one invoice. Throws 404. */
export async function forgetInvoiceCustomer(app: App, caller: Caller, id: string): Promise<void> {
  allow(caller, 'customer.forget')
  const { merchantId, mode } = await getInvoice(app, caller, id)
  const at = app.clock.now()
  const writes = [auditRow({ actor: caller, action: 'customer.forget', at, merchantId, mode, subject: null })]
  await forgetInvoices(app, caller, { of: { id }, at, writes })
}
