import type { Letter } from '../../merchants/mails/letter.ts'
import { findLetter } from '../../merchants/mails/texts.ts'
import { assert } from '../../platform/assert.ts'
import { dayBounds, kampalaTime } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { linkUrl } from '../payment-links/payment-link.ts'
import { formatInvoiceNumber, type Invoice, lineTotal } from './invoice.ts'
import type { InvoiceMailKind } from './invoice-mails.ts'
import { mailStopPath } from './mail-stops.ts'

const UGX = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const money = (amount: number) => `UGX ${UGX.format(amount)}`

/** A day of an invoice for people: `3 Dec 2026`. */
export const formatDueDay = (day: string): string => kampalaTime(dayBounds(day).start).split(',', 1)[0] ?? day

type LetterInput = { invoice: Invoice; business: string; kind: InvoiceMailKind }

/** The values that fill the mail about an invoice. */
export const makeLetterValues = (
  app: Pick<App, 'vault' | 'baseUrl'>,
  { invoice, business, kind }: LetterInput,
): Readonly<Record<string, string>> => ({
  business,
  kind,
  number: formatInvoiceNumber(invoice.number),
  name: invoice.name ?? '',
  amount: money(invoice.amount),
  due: formatDueDay(invoice.dueOn),
  lines: invoice.lines.map((line) => `${line.quantity} × ${line.description}: ${money(lineTotal(line))}`).join('\n'),
  note: invoice.note ?? '',
  link: linkUrl(invoice, app.baseUrl),
  stop: `${app.baseUrl}${mailStopPath(app, invoice.id)}`,
})

/** The mail as the customer reads it, for the page that shows it before it is sent. */
export function previewLetter(app: App, input: LetterInput): Letter {
  // The key in that address is the customer's alone.
  const stop = `${app.baseUrl}/pay/${input.invoice.id}/mails`
  const letter = findLetter('invoice', { ...makeLetterValues(app, input), stop })
  assert(letter, 'the template of invoices exists')
  return letter
}
