import { allow } from '../../api/access/allow.ts'
import type { Answer } from '../../api/http/answer.ts'
import { type CreatedObject, createUnderOptionalKey, type KeyedRequest } from '../../api/idempotency/under-key.ts'
import { findTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { judgeLink } from '../payment-links/link-rules.ts'
import { findUnpayableReason } from '../payment-links/unpayable.ts'
import { addLinks, newLink } from '../payment-links/write-links.ts'
import { formatInvoiceNumber, sumLines } from './invoice.ts'
import { addReminders } from './invoice-mails.ts'
import { type InvoiceFields, type InvoiceInput, parseInvoice } from './invoice-request.ts'

// Locks the row of the numbers, so that the next invoice waits for this commit; without a commit the number is not given.
const TAKE_NUMBER = statement<{ number: number }>(
  'take invoice number',
  `insert into invoice_numbers as n (merchant_id, mode, last) values ($1, $2, 1)
   on conflict (merchant_id, mode) do update set last = n.last + 1 returning n.last as number`,
)
const ADD = statement(
  'add invoice',
  `insert into invoices (merchant_id, id, mode, number, customer_name, customer_phone, customer_email, due_on, lines, note, reminds, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8::date, $9::jsonb, $10, $11, $12)`,
)

/**
 * Makes an invoice: a payment link that is paid once, with the next number of the merchant and mode as its reference. Under the same key
 * it is made once. Throws Refusal.
 */
export async function createInvoice(app: App, request: KeyedRequest & { given: InvoiceInput }): Promise<Answer> {
  allow(request.caller, 'invoice.create')
  const fields = parseInvoice(request.given, app.clock.now())
  return createUnderOptionalKey(app, request, (tx, at) => makeInvoice(app, tx, { request, fields, at }))
}

async function makeInvoice(
  app: App,
  tx: Tx,
  { request: { caller }, fields, at }: { request: KeyedRequest; fields: InvoiceFields; at: Date },
): Promise<CreatedObject> {
  const { merchantId, mode } = caller
  const amount = sumLines(fields.lines)
  const [[terms]] = await tx.send(findTerms([merchantId]))
  assert(terms, 'a person works for a merchant with a row')
  judgeLink({ amount, currency: 'UGX' }, { terms, mode, config: app.config })
  const why = await findUnpayableReason(tx, { merchantId, mode, amount, at, limits: app.config })
  const code = amount < app.config.railCollectMin ? 'amount_too_small' : 'amount_too_large'
  if (why !== null) throw domainRefusal(code, why, { field: 'amount' })
  // The last step before the writes: a refusal above takes no number.
  const [[taken]] = await tx.send(takeNumber(caller))
  assert(taken, 'an upsert returns its row')
  const number = formatInvoiceNumber(taken.number)
  const link = newLink(
    caller,
    { amount, description: null, reference: number, successUrl: null, cancelUrl: null, allowMultipleUses: false },
    at,
  )
  const { name, phone, email, dueOn, lines, note, reminds } = fields
  const own = [name, phone, email, dueOn, JSON.stringify(lines), note, reminds, at.toISOString()]
  const writes = [...addLinks([link]), call(ADD, merchantId, link.id, mode, taken.number, ...own)]
  const reminders = reminds ? addReminders({ ...link, dueOn }, at) : []
  return { id: link.id, view: { id: link.id, number }, writes: [...writes, ...reminders] }
}

const takeNumber = ({ merchantId, mode }: MerchantMode): Call<{ number: number }> => call(TAKE_NUMBER, merchantId, mode)
