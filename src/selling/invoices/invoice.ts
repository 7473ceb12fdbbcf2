import type { Mode } from '../../platform/mode.ts'

/** One line of an invoice. `price` is for one piece, in whole UGX. */
export type InvoiceLine = { description: string; quantity: number; price: number }

export const INVOICE_STATUSES = [
  'not_sent',
  'sent',
  'seen',
  'waiting',
  'paid',
  'refunded',
  'late',
  'cancelled',
] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

/**
 * A row of `invoices` with its link: what one customer is asked to pay, by the id of the link. `amount` is whole UGX, `dueOn` a day in
 * Kampala. The customer is null once forgotten.
 */
export type Invoice = {
  merchantId: number
  id: string
  mode: Mode
  number: number
  name: string | null
  phone: string | null
  email: string | null
  dueOn: string
  lines: readonly InvoiceLine[]
  note: string | null
  /** Whether reminders are mailed. */
  reminds: boolean
  sentAt: Date | null
  /** When the customer first opened the page. */
  seenAt: Date | null
  forgottenAt: Date | null
  createdAt: Date
  amount: number
  status: InvoiceStatus
  /** The charge that pays it or has tried to. */
  chargeId: string | null
}

/**
 * The state of an invoice, as SQL: the only place where it is decided. It follows from the invoice `i`, its link `l` and the charge `c` that
 * holds the link; `today` names the parameter with the day in Kampala. Money first: a payment under way goes on after a cancellation.
 */
export const invoiceStatusSql = (today: string) => `case
  when c.status = 'succeeded' then 'paid' when c.status = 'refunded' then 'refunded'
  when c.status in ('pending', 'authorized') then 'waiting'
  when l.switched_off_at is not null then 'cancelled' when i.due_on < ${today}::date then 'late'
  when i.seen_at is not null then 'seen' when i.sent_at is not null then 'sent' else 'not_sent' end`

/** Whether the customer still owes it, and nothing is under way. */
export const isUnpaid = (status: InvoiceStatus): boolean => ['not_sent', 'sent', 'seen', 'late'].includes(status)

const NUMBER_DIGITS = 4

/** The number as people write it, and the reference of the link: `INV-0001`. */
export const formatInvoiceNumber = (number: number): string => `INV-${String(number).padStart(NUMBER_DIGITS, '0')}`

export const lineTotal = ({ quantity, price }: InvoiceLine): number => quantity * price

/** The amount of an invoice with these lines. */
export const sumLines = (lines: readonly InvoiceLine[]): number => lines.reduce((sum, line) => sum + lineTotal(line), 0)
