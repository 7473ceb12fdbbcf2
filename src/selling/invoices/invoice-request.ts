import { parseEmail } from '../../merchants/people/addresses/email-address.ts'
import { badRequest, type Refusal } from '../../platform/refusal.ts'
import { requirePhone } from '../../platform/text/phone.ts'
import { parseShillings } from '../../platform/text/shillings.ts'
import { oneLine } from '../../platform/text/text.ts'
import { kampalaDay } from '../../platform/time/kampala.ts'
import type { Invoice, InvoiceLine } from './invoice.ts'

/** What was typed for one line; all empty for a line that is not used. */
type TypedLine = Record<'description' | 'quantity' | 'price', string>

/** What was typed for a new invoice. */
export type InvoiceInput = Record<'name' | 'phone' | 'email' | 'due' | 'note', string> & {
  lines: readonly TypedLine[]
  reminds: boolean
}

/** The checked fields of a new invoice. */
export type InvoiceFields = Pick<Invoice, 'name' | 'phone' | 'email' | 'dueOn' | 'note' | 'reminds' | 'lines'>

export const MAX_INVOICE_LINES = 10
export const MAX_LINE_CHARACTERS = 120
export const MAX_INVOICE_NOTE_CHARACTERS = 500
const MAX_CUSTOMER_CHARACTERS = 100
// An invoice is a matter of weeks. Its reminders wait as rows until then.
const MAX_DAYS_AHEAD = 366
// With these bounds the sum of ten lines is an exact whole number.
const MAX_QUANTITY = 99_999
const MAX_PRICE = 1_000_000_000
const DAY_MS = 86_400_000
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** A refusal that stands beside a field of the form. */
const refuse = (says: string, field: string): Refusal => badRequest(says, { field })

/** Checks the fields of a new invoice in their order on the form. Throws 400 with the member that is wrong. */
export function parseInvoice(input: InvoiceInput, now: Date): InvoiceFields {
  const name = parseText(input.name, { field: 'name', most: MAX_CUSTOMER_CHARACTERS })
  if (name === '') throw refuse('name is missing', 'name')
  const phone = input.phone === '' ? null : requirePhone(input.phone, 'phone')
  const email = input.email === '' ? null : parseEmail(input.email).text
  if (phone === null && email === null) throw refuse('the customer needs a phone number or an e-mail address', 'phone')
  const dueOn = parseDue(input.due, now)
  const lines = parseLines(input.lines)
  const note = parseText(input.note, { field: 'note', most: MAX_INVOICE_NOTE_CHARACTERS }) || null
  if (input.reminds && email === null) throw refuse('reminders need an e-mail address', 'email')
  return { name, phone, email, dueOn, lines, note, reminds: input.reminds }
}

function parseText(typed: string, { field, most }: { field: string; most: number }): string {
  const text = oneLine(typed).replace(/\s+/g, ' ').trim()
  if (text.length > most) throw refuse(`${field} has more than ${most} characters`, field)
  return text
}

function parseDue(typed: string, now: Date): string {
  const at = DAY.test(typed) ? Date.parse(`${typed}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== typed) throw refuse('due is not a day', 'due')
  if (typed < kampalaDay(now)) throw refuse('due has passed', 'due')
  if (typed > kampalaDay(new Date(now.getTime() + MAX_DAYS_AHEAD * DAY_MS)))
    throw refuse('due is more than a year ahead', 'due')
  return typed
}

/** Parses the lines that are used. `lines[0]` is the first one that was sent, used or not. */
function parseLines(typed: readonly TypedLine[]): InvoiceLine[] {
  const lines = typed
    .slice(0, MAX_INVOICE_LINES)
    .flatMap((line, index) => (isEmpty(line) ? [] : [parseLine(line, `lines[${index}]`)]))
  if (lines.length === 0) throw refuse('an invoice has at least one line', 'lines[0].description')
  return lines
}

const isEmpty = ({ description, price }: TypedLine) => description.trim() === '' && price.trim() === ''

function parseLine(line: TypedLine, at: string): InvoiceLine {
  const description = parseText(line.description, { field: `${at}.description`, most: MAX_LINE_CHARACTERS })
  if (description === '') throw refuse('a line says what it is for', `${at}.description`)
  const quantity = line.quantity.trim() === '' ? 1 : parseShillings(line.quantity)
  if (quantity === null || quantity < 1 || quantity > MAX_QUANTITY)
    throw refuse(`a quantity is a whole number from 1 to ${MAX_QUANTITY}`, `${at}.quantity`)
  const price = parseShillings(line.price)
  if (price === null || price < 1 || price > MAX_PRICE)
    throw refuse('a price is an amount in whole shillings, such as 12,500', `${at}.price`)
  return { description, quantity, price }
}
