import { findTerms } from '../../merchants/account/merchant.ts'
import { readMerchantName } from '../../merchants/account/merchant-names.ts'
import type { LetterValues } from '../../merchants/mails/letter.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import { parseEmail } from '../../merchants/people/addresses/email-address.ts'
import { takeMailSlot } from '../../merchants/people/sign-in/sign-in-limits.ts'
import { assert } from '../../platform/assert.ts'
import type { Call } from '../../platform/db/database.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import { unavailable } from '../../platform/refusal.ts'
import { oneLine } from '../../platform/text/text.ts'
import { addMs } from '../../platform/time/clock.ts'
import { kampalaDay } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { maySell } from '../payment-links/payable.ts'
import { recordInvoiceSent } from './change-invoice.ts'
import { readInvoice } from './find-invoices.ts'
import { type Invoice, isUnpaid } from './invoice.ts'
import { makeLetterValues } from './invoice-letter.ts'
import {
  claimInvoiceMails,
  countInvoiceMails,
  endInvoiceMail,
  type InvoiceMail,
  type InvoiceMailKind,
  type InvoiceMailOutcome,
  MAX_INVOICE_MAILS_PER_DAY,
  nameInvoiceMail,
  putInvoiceMailOff,
} from './invoice-mails.ts'
import { isMailStopped } from './mail-stops.ts'

/** How many mails one run handles. */
export const INVOICE_MAILS_PER_RUN = 20
const TEMPLATE = 'invoice'
// A mail that must wait, for room under a limit or for the end of a payment, is looked at again after this time.
const PUT_OFF_MS = 3_600_000

/**
 * Writes the mails about invoices that are due: the invoice itself and its reminders. What is paid, cancelled, forgotten or unwelcome is not
 * mailed. A crash at any moment writes nothing twice, because a mail has one key, and leaves nothing out. Returns how many were due.
 */
export async function writeInvoiceMails(app: App): Promise<number> {
  const claimed = await claimInvoiceMails(app, app.clock.now(), INVOICE_MAILS_PER_RUN)
  for (const mail of claimed)
    await writeInvoiceMail(app, mail).catch((error) =>
      app.log.error({ err: error, invoice: mail.invoiceId }, 'a mail about an invoice could not be written'),
    )
  return claimed.length
}

async function writeInvoiceMail(app: App, mail: InvoiceMail): Promise<void> {
  const at = app.clock.now()
  const facts = await readFacts(app, mail, at)
  const refused = judgeFacts(facts)
  if (refused !== null) return send(app, [endInvoiceMail(mail, { outcome: refused, at })])
  const { invoice, written } = facts
  assert(invoice.email !== null, 'a mail without an address was refused')
  const { key, text } = parseEmail(invoice.email)
  const mustWait = invoice.status === 'waiting' || written >= MAX_INVOICE_MAILS_PER_DAY
  if (mustWait || !(await takeMailSlot(app, TEMPLATE, key)))
    return send(app, [putInvoiceMailOff(mail, addMs(at, PUT_OFF_MS))])
  const { merchantId, invoiceId } = mail
  const business = oneLine(await readMerchantName(app, merchantId))
  const kind = kindOnDay(mail.kind, invoice.dueOn, kampalaDay(at))
  const own = { cell: app.cell, merchant: String(merchantId), invoice: invoiceId }
  const values = { ...makeLetterValues(app, { invoice, business, kind }), ...own }
  const letter = addMail(app, { to: text, template: TEMPLATE, values, at, once: nameInvoiceMail(mail) })
  await app.directory.query(letter.statement, letter.values)
  await send(app, [endInvoiceMail(mail, { outcome: 'written', at }), recordInvoiceSent(merchantId, invoiceId, at)])
  app.nudge('send-mails')
}

/** What a mail says when it is written: one that had to wait must not call a day that has passed today. */
function kindOnDay(kind: InvoiceMailKind, dueOn: string, today: string): InvoiceMailKind {
  if (kind === 'invoice') return kind
  if (today === dueOn) return 'due'
  return today < dueOn ? 'before' : 'after'
}

const send = ({ db }: App, writes: readonly Call[]): Promise<void> => writeInTransaction(db, writes)

type MailOwner = Pick<InvoiceMail, 'merchantId' | 'invoiceId'>
type MailFacts = { invoice: Invoice; written: number; sells: boolean; stopped: boolean }

async function readFacts(app: App, { merchantId, invoiceId }: MailOwner, at: Date): Promise<MailFacts> {
  return app.db.transaction(async (tx) => {
    const [[invoice], [day], [terms]] = await tx.send(
      readInvoice(merchantId, invoiceId, at),
      countInvoiceMails(merchantId, at),
      findTerms([merchantId]),
    )
    assert(invoice && terms, 'a mail is of an invoice, and that of a merchant')
    const { email } = invoice
    const [stops] = email === null ? [[]] : await tx.send(isMailStopped(app, { merchantId, email }))
    const sells = maySell(terms, invoice.mode)
    return { value: { invoice, written: day?.written ?? 0, sells, stopped: stops.length > 0 } }
  })
}

/** Why the mail must not go out; null if it may. */
function judgeFacts({ invoice, sells, stopped }: MailFacts): InvoiceMailOutcome | null {
  if (invoice.email === null) return 'forgotten'
  if (stopped) return 'stopped'
  const isOpen = isUnpaid(invoice.status) || invoice.status === 'waiting'
  return isOpen && sells && invoice.mode === 'live' ? null : 'closed'
}

/**
 * Whether a mail may still be sent: while one about an invoice waited for the mail server, the invoice may have been paid or cancelled, or
 * its customer forgotten. Throws 503 while the cell of the merchant is away.
 */
export async function isMailWanted(
  app: App,
  template: string,
  { cell, merchant, invoice }: LetterValues,
): Promise<boolean> {
  // A mail that an earlier release has written does not say whose it is.
  if (template !== TEMPLATE || cell === undefined || invoice === undefined) return true
  const home = app.allCells().find((one) => one.cell === cell)
  if (home === undefined) throw unavailable()
  const facts = await readFacts(home, { merchantId: Number(merchant), invoiceId: invoice }, app.clock.now())
  return judgeFacts(facts) === null
}
