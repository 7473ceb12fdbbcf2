import type { Actor, Caller } from '../../api/access/actor.ts'
import { allow, requireLiveMode } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest } from '../../platform/refusal.ts'
import { addMs } from '../../platform/time/clock.ts'
import { kampalaTime } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { getInvoice, readInvoice } from './find-invoices.ts'
import { type Invoice, isUnpaid } from './invoice.ts'
import {
  addInvoiceMail,
  addReminders,
  countInvoiceMails,
  type InvoiceMail,
  MAX_INVOICE_MAILS_PER_DAY,
  readInvoiceMails,
  switchRemindersOff,
} from './invoice-mails.ts'
import { isMailStopped } from './mail-stops.ts'

const LOCK = statement('lock invoice', 'select id from invoices where merchant_id = $1 and id = $2 for no key update')
const SENT = statement(
  'invoice was sent',
  'update invoices set sent_at = coalesce(sent_at, $3) where merchant_id = $1 and id = $2',
)
const SEEN = statement(
  'invoice was seen',
  'update invoices set seen_at = $3 where merchant_id = $1 and id = $2 and seen_at is null',
)
const SET_REMINDS = statement(
  'set invoice reminders',
  'update invoices set reminds = $3 where merchant_id = $1 and id = $2',
)

/** How often the invoice itself can be mailed, reminders apart. */
const MAX_MAILS_OF_INVOICE = 3
// A second tap within this time mails nothing.
const MAIL_AGAIN_AFTER_MS = 3_600_000

/** Records that the invoice has gone out; the first time counts. */
export const recordInvoiceSent = (merchantId: number, id: string, at: Date): Call =>
  call(SENT, merchantId, id, at.toISOString())

/** Records that a customer has opened the page of the invoice. The first time counts. */
export async function recordInvoiceSeen(
  app: App,
  actor: Actor,
  { merchantId, id }: Pick<Invoice, 'merchantId' | 'id'>,
): Promise<void> {
  allow(actor, 'invoice.answer')
  await app.db.query(SEEN, [merchantId, id, app.clock.now().toISOString()])
}

/** Says that somebody has given the invoice to the customer, on paper or by a message. Throws 404. */
export function markInvoiceSent(app: App, caller: Caller, id: string): Promise<void> {
  allow(caller, 'invoice.send')
  return changeInvoice(app, caller, { id, after: { by: 'hand' } }, async ({ invoice, at }) => [
    recordInvoiceSent(invoice.merchantId, id, at),
  ])
}

/**
 * Mails the invoice to the customer's address, a few times at most: whoever gets it has not asked for it. The mail is written by
 * `writeInvoiceMails`, so that it is neither lost nor sent twice. Only in live mode. Throws 400, 404.
 */
export async function mailInvoice(app: App, caller: Caller, id: string): Promise<void> {
  allow(caller, 'invoice.send')
  requireLiveMode(caller)
  const { email } = await getInvoice(app, caller, id)
  if (email === null) throw badRequest('this invoice has no e-mail address')
  await changeInvoice(app, caller, { id, after: { by: 'mail' } }, async ({ tx, invoice, at }) => {
    const { merchantId } = invoice
    const [mails, [day], stops] = await tx.send(
      readInvoiceMails(merchantId, id),
      countInvoiceMails(merchantId, at),
      isMailStopped(app, { merchantId, email }),
    )
    if (stops.length > 0)
      throw badRequest('the customer wants no more mails about your invoices: call, or send the link')
    if ((day?.written ?? 0) >= MAX_INVOICE_MAILS_PER_DAY)
      throw badRequest(`at most ${MAX_INVOICE_MAILS_PER_DAY} mails about invoices go out in 24 hours: try again later`)
    const seq = judgeMail(invoice, { mails, at })
    return [addInvoiceMail({ merchantId, invoiceId: id, kind: 'invoice', seq, dueAt: at })]
  })
  app.nudge('mail-invoices')
}

/** Decides whether the invoice may be mailed now, and as which mail. */
function judgeMail({ status }: Invoice, { mails, at }: { mails: readonly InvoiceMail[]; at: Date }): number {
  requireUnpaid(status)
  const own = mails.filter(({ kind }) => kind === 'invoice')
  if (own.length >= MAX_MAILS_OF_INVOICE)
    throw badRequest(`an invoice is mailed at most ${MAX_MAILS_OF_INVOICE} times: call the customer`)
  const last = own.at(-1)
  const again = last === undefined ? null : addMs(last.dueAt, MAIL_AGAIN_AFTER_MS)
  if (again !== null && again > at)
    throw badRequest(`it was mailed just now: mail it again after ${kampalaTime(again)}`)
  return own.length + 1
}

function requireUnpaid(status: Invoice['status']): void {
  if (status === 'waiting') throw badRequest('a payment of this invoice is on its way')
  if (!isUnpaid(status)) throw badRequest(`this invoice is ${status}`)
}

/** Switches the reminders by mail on or off. Those whose time has passed are not sent. Throws 400, 404. */
export function setReminders(app: App, caller: Caller, { id, on }: { id: string; on: boolean }): Promise<void> {
  allow(caller, 'invoice.send')
  return changeInvoice(app, caller, { id, after: { reminders: on } }, async ({ invoice, at }) => {
    const set = call(SET_REMINDS, invoice.merchantId, id, on)
    if (!on) return [set, switchRemindersOff(invoice.merchantId, id, at)]
    if (invoice.email === null) throw badRequest('reminders need an e-mail address')
    requireUnpaid(invoice.status)
    return [set, ...addReminders(invoice, at)]
  })
}

type InvoiceChange = { id: string; after: Readonly<Record<string, unknown>> }

/** Runs a change of an invoice of the caller's mode on its locked row, with its row of the audit. */
async function changeInvoice(
  app: App,
  caller: Caller,
  { id, after }: InvoiceChange,
  decide: (locked: { tx: Tx; invoice: Invoice; at: Date }) => Promise<readonly Call[]>,
): Promise<void> {
  const { merchantId, mode } = await getInvoice(app, caller, id)
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    const [, [invoice]] = await tx.send(call(LOCK, merchantId, id), readInvoice(merchantId, id, at))
    assert(invoice, 'an invoice is never deleted')
    const writes = await decide({ tx, invoice, at })
    const act = { actor: caller, action: 'invoice.send', at, merchantId, mode, subject: id } as const
    return { value: null, last: [...writes, auditRow({ ...act, after })] }
  })
}
