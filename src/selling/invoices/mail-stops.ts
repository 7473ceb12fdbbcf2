import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { publicActor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { parseEmail } from '../../merchants/people/addresses/email-address.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import { notFound } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { findInvoice } from './find-invoices.ts'
import type { Invoice } from './invoice.ts'

const IS_STOPPED = statement<{ stopped: number }>(
  'is invoice mail stopped',
  'select 1 as stopped from invoice_mail_stops where merchant_id = $1 and address = $2',
)
const STOP = statement(
  'stop invoice mails',
  'insert into invoice_mail_stops (merchant_id, address, stopped_at) values ($1, $2, $3) on conflict do nothing',
)

/** An address as it is remembered: the wish must outlive the address itself, which may be forgotten. */
const digestOf = ({ vault }: Pick<App, 'vault'>, merchantId: number, email: string): Buffer =>
  createHmac('sha256', vault.derive('checkout form tokens'))
    .update(`invoice mail stop ${merchantId} ${parseEmail(email).key}`)
    .digest()

/** One row if the owner of this address wants no mails about invoices of the merchant. */
export const isMailStopped = (
  app: Pick<App, 'vault'>,
  { merchantId, email }: { merchantId: number; email: string },
): Call<{ stopped: number }> => call(IS_STOPPED, merchantId, digestOf(app, merchantId, email))

/** Adds the digest of an address that wants no more mails. */
export const addMailStop = (merchantId: number, digest: Buffer, at: Date): Call =>
  call(STOP, merchantId, digest, at.toISOString())

type InvoiceKey = Pick<Invoice, 'merchantId' | 'id'>

/** The path of the page on which a customer stops the mails. Only mails hold it, because it shows who got them. */
export const mailStopPath = ({ vault }: Pick<App, 'vault'>, id: string): string =>
  `/pay/${id}/mails?key=${makeKey(vault, id)}`

const makeKey = (vault: App['vault'], id: string) =>
  createHmac('sha256', vault.derive('checkout form tokens')).update(`invoice mails of ${id}`).digest('hex').slice(0, 40)

/** Finds the invoice whose mail led here, and whether its mails are stopped. Throws 404 for a key that no mail held. */
export async function getMailedInvoice(
  app: App,
  { merchantId, id }: InvoiceKey,
  key: string,
): Promise<{ invoice: Invoice; stopped: boolean }> {
  const expected = digestText(makeKey(app.vault, id))
  const invoice = timingSafeEqual(digestText(key), expected) ? await findInvoice(app, { merchantId, id }) : null
  if (invoice === null) throw notFound('page')
  const { email } = invoice
  // Of a customer who was forgotten nothing is left to mail to.
  if (email === null) return { invoice, stopped: true }
  const { statement: asked, values } = isMailStopped(app, { merchantId, email })
  return { invoice, stopped: (await app.db.query(asked, values)).length > 0 }
}

const digestText = (text: string) => createHash('sha256').update(text).digest()

/** Stops the mails about invoices of the merchant to the customer of this one. A repeat changes nothing. Throws 404. */
export async function stopInvoiceMails(
  app: App,
  { key, address, ...owner }: InvoiceKey & { key: string; address: string },
): Promise<void> {
  allow(publicActor('customer', { origin: address }), 'invoice.answer')
  const { invoice, stopped } = await getMailedInvoice(app, owner, key)
  if (stopped || invoice.email === null) return
  const digest = digestOf(app, invoice.merchantId, invoice.email)
  await writeInTransaction(app.db, [addMailStop(invoice.merchantId, digest, app.clock.now())])
}
