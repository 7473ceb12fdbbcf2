import { oneLine } from '../../../platform/text/text.ts'
import { getInvoice } from '../../../selling/invoices/find-invoices.ts'
import { formatInvoiceNumber, type Invoice, isUnpaid } from '../../../selling/invoices/invoice.ts'
import { previewLetter } from '../../../selling/invoices/invoice-letter.ts'
import { type InvoiceMail, planReminders, readInvoiceMails } from '../../../selling/invoices/invoice-mails.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Note, Section, Status } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { INVOICES } from '../texts/invoices.ts'
import type { DashboardVisit } from '../visit.ts'

const { mails: texts, preview } = INVOICES

export const MAIL_INVOICE: FormSpec = {
  path: '/invoices/:id/mail',
  action: 'invoice.send',
  fields: [],
  submit: texts.submit,
}
const reminders = (to: 'on' | 'off'): FormSpec => ({
  path: `/invoices/:id/reminders-${to}`,
  action: 'invoice.send',
  fields: [],
  submit: texts[to],
  plain: true,
})
export const REMINDERS_ON = reminders('on')
export const REMINDERS_OFF = reminders('off')

type MailRow = Pick<InvoiceMail, 'kind' | 'dueAt' | 'endedAt' | 'outcome'>

const COLUMNS: readonly ListColumn<MailRow>[] = [
  { title: texts.columns.kind, cell: ({ kind }) => texts.kinds[kind], at: 'who' },
  {
    title: texts.columns.state,
    cell: ({ outcome }) => (
      <Status
        word={outcome === null ? texts.planned : texts.outcomes[outcome]}
        tone={outcome === null ? 'open' : outcome === 'written' ? 'good' : 'quiet'}
      />
    ),
    at: 'state',
  },
  column.when(texts.columns.when, ({ endedAt, dueAt }) => endedAt ?? dueAt),
]

/** The mails of an invoice; in test mode, where none goes out, those that live mode would plan. */
export async function readMailsOf({ app, now }: DashboardVisit, invoice: Invoice): Promise<readonly MailRow[]> {
  const { merchantId, id, mode, dueOn, reminds } = invoice
  if (mode === 'test')
    return reminds ? planReminders(dueOn, now).map((mail) => ({ ...mail, endedAt: null, outcome: null })) : []
  const { statement, values } = readInvoiceMails(merchantId, id)
  return app.db.query(statement, values)
}

type MailsProps = { visit: DashboardVisit; invoice: Invoice; mails: readonly MailRow[]; state: FormState | null }

/** The mails of an invoice, and the forms that send it and switch its reminders. */
export function MailsBox({ visit, invoice, mails, state }: MailsProps) {
  const { email, mode, status, reminds } = invoice
  const params = { id: invoice.id }
  const unpaid = isUnpaid(status)
  return (
    <Section title={texts.title} id="mails">
      {email === null && <p>{texts.noAddress}</p>}
      {mode === 'test' && email !== null && <Note>{texts.live}</Note>}
      {mails.length > 0 && <Table caption={texts.title} rows={mails} columns={COLUMNS} />}
      {email !== null && unpaid && mode === 'live' && (
        <FormBox of={MAIL_INVOICE} visit={visit} state={state} params={params}>
          <p class="hint">{texts.send(oneLine(email))}</p>
        </FormBox>
      )}
      {email !== null && (
        <p>
          <a href={visit.to(`/invoices/${invoice.id}/mail`)}>{texts.look}</a>
        </p>
      )}
      {email !== null && unpaid && (
        <FormBox of={reminds ? REMINDERS_OFF : REMINDERS_ON} visit={visit} state={state} params={params} compact>
          <p class="hint">{reminds ? texts.remindsOn : texts.remindsOff}</p>
        </FormBox>
      )}
    </Section>
  )
}

/** Shows the mail about an invoice as its customer would read it. */
export async function showInvoiceMail(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const invoice = await getInvoice(visit.app, visit.caller, visit.params.id ?? '')
  const business = oneLine(visit.merchant.name)
  const { subject, lines } = previewLetter(visit.app, { invoice, business, kind: 'invoice' })
  const title = preview.title(formatInvoiceNumber(invoice.number))
  return pageReply(
    title,
    <>
      <h1>{title}</h1>
      <Note>{invoice.mode === 'test' ? texts.live : preview.says}</Note>
      <Facts facts={[[preview.subject, subject]]} />
      <article class="letter">
        {lines.map((line) => (
          <p>{line}</p>
        ))}
      </article>
    </>,
    { status: state?.status ?? 200 },
  )
}
