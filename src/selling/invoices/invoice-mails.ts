import { type Call, call } from '../../platform/db/database.ts'
import { dueCondition } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import { dayBounds } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import type { Invoice } from './invoice.ts'

/** The invoice itself, or a reminder: before the due day, on it, and after it. */
export type InvoiceMailKind = 'invoice' | 'before' | 'due' | 'after'

/** What became of a mail: written, or why not. */
export type InvoiceMailOutcome = 'written' | 'off' | 'closed' | 'stopped' | 'forgotten'

/** A row of `invoice_mails`. `outcome` is null while it waits. */
export type InvoiceMail = {
  merchantId: number
  invoiceId: string
  kind: InvoiceMailKind
  seq: number
  dueAt: Date
  endedAt: Date | null
  outcome: InvoiceMailOutcome | null
}

const DAY_MS = 86_400_000
// Reminders arrive when a shop is open: at nine in Kampala.
const HOUR_OF_REMINDERS_MS = 9 * 3_600_000
const REMINDERS: readonly { kind: InvoiceMailKind; days: number }[] = [
  { kind: 'before', days: -3 },
  { kind: 'due', days: 0 },
  { kind: 'after', days: 7 },
]
// A mail whose process died is taken up again after this time.
const LEASE_MS = 5 * 60_000

const COLUMNS = `m.merchant_id as "merchantId", m.invoice_id as "invoiceId", m.kind, m.seq, m.due_at as "dueAt", m.ended_at as "endedAt",
  m.outcome`
const KEY = '(merchant_id, invoice_id, kind, seq) = ($1, $2, $3, $4)'

const OF_INVOICE = statement<InvoiceMail>(
  'mails of invoice',
  `select ${COLUMNS} from invoice_mails m where m.merchant_id = $1 and m.invoice_id = $2 order by m.due_at, m.seq`,
)
// Reminders that were switched off wait again; one that was written stays so.
const ADD = statement(
  'add invoice mail',
  `insert into invoice_mails as m (merchant_id, invoice_id, kind, seq, due_at) values ($1, $2, $3, $4, $5)
   on conflict (merchant_id, invoice_id, kind, seq) do update set due_at = excluded.due_at, ended_at = null, outcome = null
     where m.outcome = 'off'`,
)
const SWITCH_OFF = statement(
  'switch invoice reminders off',
  `update invoice_mails set ended_at = $3, outcome = 'off'
   where merchant_id = $1 and invoice_id = $2 and kind <> 'invoice' and ended_at is null`,
)
const COUNT_WRITTEN = statement<{ written: number }>(
  'invoice mails of a day',
  `select count(*)::int as written from (select from invoice_mails
     where merchant_id = $1 and outcome = 'written' and ended_at > $2 limit $3) m`,
)
const CLAIM = statement<InvoiceMail>(
  'claim invoice mails',
  `with due as (select merchant_id, invoice_id, kind, seq from invoice_mails where ended_at is null and due_at <= $1
     and (lease_until is null or ${dueCondition('lease_until', '$1', LEASE_MS)})
     order by due_at limit $2 for no key update skip locked)
   update invoice_mails m set lease_until = $3 from due
   where (m.merchant_id, m.invoice_id, m.kind, m.seq) = (due.merchant_id, due.invoice_id, due.kind, due.seq)
   returning ${COLUMNS}`,
)
const END = statement(
  'end invoice mail',
  `update invoice_mails set ended_at = $5, outcome = $6, lease_until = null where ${KEY} and ended_at is null`,
)
const PUT_OFF = statement(
  'put invoice mail off',
  `update invoice_mails set due_at = $5, lease_until = null where ${KEY} and ended_at is null`,
)

/** A merchant's mails about invoices in 24 hours: enough for a busy shop, too few to annoy strangers. */
export const MAX_INVOICE_MAILS_PER_DAY = 100

/** Reads the mails of an invoice, in the order of their time. */
export const readInvoiceMails = (merchantId: number, invoiceId: string): Call<InvoiceMail> =>
  call(OF_INVOICE, merchantId, invoiceId)

/** Adds a mail that is due at this time. */
export const addInvoiceMail = (mail: Omit<InvoiceMail, 'endedAt' | 'outcome'>): Call =>
  call(ADD, mail.merchantId, mail.invoiceId, mail.kind, mail.seq, mail.dueAt.toISOString())

/** Adds the reminders whose time is still to come. Mails go out in live mode alone. */
export function addReminders(
  { merchantId, id, mode, dueOn }: Pick<Invoice, 'merchantId' | 'id' | 'mode' | 'dueOn'>,
  at: Date,
): Call[] {
  return mode === 'test'
    ? []
    : planReminders(dueOn, at).map(({ kind, dueAt }) =>
        addInvoiceMail({ merchantId, invoiceId: id, kind, seq: 1, dueAt }),
      )
}

/** The reminders of an invoice that is due on this day, without those whose time has passed. */
export const planReminders = (dueOn: string, at: Date): { kind: InvoiceMailKind; dueAt: Date }[] =>
  REMINDERS.map(({ kind, days }) => ({
    kind,
    dueAt: addMs(dayBounds(dueOn).start, days * DAY_MS + HOUR_OF_REMINDERS_MS),
  })).filter(({ dueAt }) => dueAt > at)

/** Ends the reminders that wait. */
export const switchRemindersOff = (merchantId: number, invoiceId: string, at: Date): Call =>
  call(SWITCH_OFF, merchantId, invoiceId, at.toISOString())

/** Counts the mails about invoices of a merchant that were written in the last 24 hours, up to the largest number. */
export const countInvoiceMails = (merchantId: number, at: Date): Call<{ written: number }> =>
  call(COUNT_WRITTEN, merchantId, addMs(at, -DAY_MS).toISOString(), MAX_INVOICE_MAILS_PER_DAY)

/** Claims mails that are due, for a few minutes. */
export const claimInvoiceMails = ({ db }: App, at: Date, most: number): Promise<InvoiceMail[]> =>
  db.query(CLAIM, [at.toISOString(), most, addMs(at, LEASE_MS).toISOString()])

type MailKey = Pick<InvoiceMail, 'merchantId' | 'invoiceId' | 'kind' | 'seq'>

/** The key under which a mail is written, so that it is written once. */
export const nameInvoiceMail = ({ invoiceId, kind, seq }: Omit<MailKey, 'merchantId'>): string =>
  `invoice ${invoiceId} ${kind} ${seq}`

/** Ends a mail that waits. */
export const endInvoiceMail = (
  { merchantId, invoiceId, kind, seq }: MailKey,
  { outcome, at }: { outcome: InvoiceMailOutcome; at: Date },
): Call => call(END, merchantId, invoiceId, kind, seq, at.toISOString(), outcome)

/** Puts a mail off to a later time. */
export const putInvoiceMailOff = ({ merchantId, invoiceId, kind, seq }: MailKey, until: Date): Call =>
  call(PUT_OFF, merchantId, invoiceId, kind, seq, until.toISOString())
