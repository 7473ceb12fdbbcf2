import { mayDo } from '../../../api/access/allow.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { dayBounds } from '../../../platform/time/kampala.ts'
import { getInvoice } from '../../../selling/invoices/find-invoices.ts'
import {
  formatInvoiceNumber,
  type Invoice,
  type InvoiceLine,
  isUnpaid,
  lineTotal,
} from '../../../selling/invoices/invoice.ts'
import { formatDueDay } from '../../../selling/invoices/invoice-letter.ts'
import { linkUrl } from '../../../selling/payment-links/payment-link.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { CopyBox, Facts, Money, OutsideText, PhoneNumber, Section, State, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { INVOICES } from '../texts/invoices.ts'
import type { DashboardVisit } from '../visit.ts'
import { MailsBox, readMailsOf } from './mails-box.tsx'

const { columns, facts, share, cancel, data } = INVOICES

const button = (path: string, { action, submit }: Pick<FormSpec, 'action' | 'submit'>): FormSpec => ({
  ...{ path: `/invoices/:id/${path}`, action, fields: [], submit },
})
export const MARK_INVOICE: FormSpec = { ...button('sent', { action: 'invoice.send', submit: share.mark }), plain: true }
export const CANCEL_INVOICE: FormSpec = {
  ...button('cancel', { action: 'link.switch', submit: cancel.submit }),
  danger: true,
}
export const REOPEN_INVOICE: FormSpec = button('reopen', { action: 'link.switch', submit: cancel.back })
export const FORGET_INVOICE: FormSpec = {
  ...button('forget', { action: 'customer.forget', submit: data.forget }),
  danger: true,
}

const LINE_COLUMNS: readonly ListColumn<InvoiceLine>[] = [
  column.who(columns.description, ({ description }) => description),
  { title: columns.quantity, cell: ({ quantity, price }) => `${quantity} × ${formatShillings(price)}`, at: 'what' },
  column.amount(columns.total, lineTotal),
]

/** Shows one invoice: its state, who owes it and for what, how to give it to the customer, its mails, and what ends it. */
export async function showInvoice(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const invoice = await getInvoice(visit.app, visit.caller, visit.params.id ?? '')
  const mails = await readMailsOf(visit, invoice)
  const number = formatInvoiceNumber(invoice.number)
  const params = { id: invoice.id }
  return pageReply(
    INVOICES.pageTitle(number, oneLine(invoice.name ?? INVOICES.forgotten)),
    <>
      <div class="top">
        <div>
          <h1>{INVOICES.heading(number)}</h1>
          <p class="about">
            <Money amount={invoice.amount} />
          </p>
        </div>
        <State of="invoice" state={invoice.status} />
      </div>
      <div class="split">
        <Section title={INVOICES.about}>
          <InvoiceFacts visit={visit} invoice={invoice} />
          <p class="ways">
            <a href={visit.to(`/invoices/${invoice.id}/print`)}>{INVOICES.print}</a>
            <a href={visit.to(`/links/${invoice.id}`)}>{INVOICES.link}</a>
          </p>
        </Section>
        {isUnpaid(invoice.status) && <ShareBox visit={visit} invoice={invoice} state={state} />}
      </div>
      <Section title={INVOICES.lines}>
        <div class="whole">
          <Table caption={INVOICES.lines} rows={invoice.lines} columns={LINE_COLUMNS} />
        </div>
      </Section>
      <MailsBox visit={visit} invoice={invoice} mails={mails} state={state} />
      {isUnpaid(invoice.status) && (
        <FormBox of={CANCEL_INVOICE} visit={visit} state={state} params={params}>
          <p class="hint">{cancel.says}</p>
        </FormBox>
      )}
      {invoice.status === 'cancelled' && <FormBox of={REOPEN_INVOICE} visit={visit} state={state} params={params} />}
      <CustomerData visit={visit} invoice={invoice} state={state} />
    </>,
    { status: state?.status ?? 200 },
  )
}

type InvoiceProps = { visit: DashboardVisit; invoice: Invoice }

const InvoiceFacts = ({ visit, invoice }: InvoiceProps) => (
  <Facts
    facts={[
      [facts.customer, <OutsideText text={invoice.name ?? INVOICES.forgotten} />],
      invoice.phone !== null && [
        facts.phone,
        <a href={visit.to(`/customers/${invoice.phone}`)}>
          <PhoneNumber phone={invoice.phone} />
        </a>,
      ],
      invoice.email !== null && [facts.email, <OutsideText text={invoice.email} />],
      [facts.due, <Time at={dayBounds(invoice.dueOn).start} day />],
      invoice.note !== null && [facts.note, <OutsideText text={invoice.note} />],
      [facts.made, <Time at={invoice.createdAt} />],
      invoice.sentAt !== null && [facts.sent, <Time at={invoice.sentAt} />],
      invoice.seenAt !== null && [facts.seen, <Time at={invoice.seenAt} />],
      invoice.chargeId !== null && [
        facts.payment,
        <a href={visit.to(`/charges/${invoice.chargeId}`)}>{invoice.chargeId}</a>,
      ],
    ]}
  />
)

type StatefulProps = InvoiceProps & { state: FormState | null }

function ShareBox({ visit, invoice, state }: StatefulProps) {
  const url = linkUrl(invoice, visit.app.baseUrl)
  const number = formatInvoiceNumber(invoice.number)
  const shop = oneLine(visit.merchant.name)
  const says = encodeURIComponent(
    share.says(shop, number, formatShillings(invoice.amount), formatDueDay(invoice.dueOn), url),
  )
  const { phone } = invoice
  return (
    <Section title={share.title}>
      <p class="ways">
        <a class="button plain" href={`https://wa.me/${phone ?? ''}?text=${says}`} target="_blank" rel="noreferrer">
          {share.whatsApp}
        </a>
        <a class="button plain" href={`sms:${phone === null ? '' : `+${phone}`}?body=${says}`}>
          {share.sms}
        </a>
      </p>
      <CopyBox label={share.addressLabel} text={url} />
      <img class="qr" src={`/pay/${invoice.id}/qr.svg`} alt={share.qrAlt} width="160" height="160" />
      {invoice.sentAt === null && (
        <FormBox of={MARK_INVOICE} visit={visit} state={state} params={{ id: invoice.id }} compact>
          <p class="hint">{share.markSays}</p>
        </FormBox>
      )}
    </Section>
  )
}

function CustomerData({ visit, invoice, state }: StatefulProps) {
  if (invoice.forgottenAt !== null || !mayDo(visit.caller, 'customer.forget')) return null
  return (
    <Section title={data.title} id="data">
      {invoice.phone === null ? (
        <FormBox of={FORGET_INVOICE} visit={visit} state={state} params={{ id: invoice.id }}>
          <p class="hint">{data.says}</p>
        </FormBox>
      ) : (
        <p>
          <a href={visit.to(`/customers/${invoice.phone}`)}>{data.page}</a>
        </p>
      )}
    </Section>
  )
}
