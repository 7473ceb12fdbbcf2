import { formatPhone } from '../../../platform/text/phone.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { kampalaDay } from '../../../platform/time/kampala.ts'
import { getInvoice } from '../../../selling/invoices/find-invoices.ts'
import { formatInvoiceNumber, type Invoice, isUnpaid, lineTotal } from '../../../selling/invoices/invoice.ts'
import { formatDueDay } from '../../../selling/invoices/invoice-letter.ts'
import { linkUrl } from '../../../selling/payment-links/payment-link.ts'
import { Facts, OutsideText, State } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { INVOICES } from '../texts/invoices.ts'
import type { DashboardVisit } from '../visit.ts'

const { paper, columns } = INVOICES

/** The invoice on a sheet of A4, with the code that leads to its payment page. */
export async function showInvoicePaper(visit: DashboardVisit): Promise<SurfaceReply> {
  const invoice = await getInvoice(visit.app, visit.caller, visit.params.id ?? '')
  const number = formatInvoiceNumber(invoice.number)
  return pageReply(
    INVOICES.pageTitle(number, oneLine(invoice.name ?? INVOICES.forgotten)),
    <>
      <p class="ways on-screen">
        <a href={visit.to(`/invoices/${invoice.id}`)}>{paper.back}</a>
        <span class="hint">{paper.says}</span>
      </p>
      <article class="sheet">
        <h1>
          {paper.invoice} {number}
        </h1>
        <p class="from">
          <bdi>{oneLine(visit.merchant.name)}</bdi>
        </p>
        {!isUnpaid(invoice.status) && <State of="invoice" state={invoice.status} />}
        <PaperFacts invoice={invoice} />
        <PaperLines invoice={invoice} />
        {invoice.note !== null && (
          <p>
            <OutsideText text={invoice.note} />
          </p>
        )}
        {isUnpaid(invoice.status) && (
          <div class="to-pay">
            <img src={`/pay/${invoice.id}/qr.svg`} alt={INVOICES.share.qrAlt} width="160" height="160" />
            <p>
              {paper.pay} <span class="url">{linkUrl(invoice, visit.app.baseUrl)}</span>
            </p>
          </div>
        )}
      </article>
    </>,
  )
}

const PaperFacts = ({ invoice: { name, phone, email, createdAt, dueOn } }: { invoice: Invoice }) => (
  <Facts
    facts={[
      [
        paper.to,
        <>
          <OutsideText text={name ?? INVOICES.forgotten} />
          {phone !== null && <div>{formatPhone(phone)}</div>}
          {email !== null && (
            <div>
              <OutsideText text={email} />
            </div>
          )}
        </>,
      ],
      [paper.made, formatDueDay(kampalaDay(createdAt))],
      [paper.due, formatDueDay(dueOn)],
    ]}
  />
)

/** An amount in a column that names the currency. */
const withoutSign = (amount: number) => formatShillings(amount).replace('UGX ', '')

const PaperLines = ({ invoice: { lines, amount } }: { invoice: Invoice }) => (
  <table>
    <thead>
      <tr>
        <th scope="col">{columns.description}</th>
        <th scope="col" class="figure">
          {columns.quantity}
        </th>
        <th scope="col" class="figure">
          {paper.price}
        </th>
        <th scope="col" class="figure">
          {paper.sum}
        </th>
      </tr>
    </thead>
    <tbody>
      {lines.map((line) => (
        <tr>
          <td>
            <OutsideText text={line.description} />
          </td>
          <td class="figure">{line.quantity}</td>
          <td class="figure">{withoutSign(line.price)}</td>
          <td class="figure">{withoutSign(lineTotal(line))}</td>
        </tr>
      ))}
    </tbody>
    <tfoot>
      <tr>
        <th scope="row" colSpan={2}>
          {paper.total}
        </th>
        <td class="figure" colSpan={2}>
          {formatShillings(amount)}
        </td>
      </tr>
    </tfoot>
  </table>
)
