import type { Charge } from '../../../payments/charges/charge.ts'
import { notFound, Refusal } from '../../../platform/refusal.ts'
import { listAnswersAboutCharge } from '../../../selling/disputes/answer-dispute.ts'
import { openDispute } from '../../../selling/disputes/open-dispute.ts'
import { parseReport } from '../../../selling/disputes/report.ts'
import { getMailedInvoice, stopInvoiceMails } from '../../../selling/invoices/mail-stops.ts'
import { paymentPath } from '../payment-path.ts'
import type { FormFault, ReportView } from '../view.ts'
import { type Checkout, type CheckoutVisit, newCustomerCaller, type Reply } from '../visit.ts'
import { getLinkContext, type LinkContext, linkPagePath, presentPayment } from './link-context.ts'
import { buildLinkPage, withRetryAfter } from './link-pages.ts'
import { isPaid } from './link-views.ts'

type PaidLinkContext = LinkContext & { charge: Charge }

/** GET /pay/{id}/report (contract.md G48). Throws 404 if nothing was paid. */
export async function showReport(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getPaidLinkContext(checkout, visit)
  const answers = await readAnswers(linkContext)
  if (visit.query.sent !== undefined)
    return buildLinkPage(linkContext, {
      kind: 'reported',
      payment: presentPayment(linkContext, linkContext.charge),
      answers,
    })
  return buildLinkPage(linkContext, { ...buildReportView(linkContext, visit, null), answers })
}

/** POST /pay/{id}/report: stores one report for a payment. Sending it again changes nothing and gets the same thanks. */
export async function submitReport(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getPaidLinkContext(checkout, visit)
  const showFormAgain = (status: number, fault: FormFault) =>
    buildLinkPage(linkContext, buildReportView(linkContext, visit, fault), status)
  if (!visit.fromOwnPage) return showFormAgain(403, 'elsewhere')
  const input = parseReport(visit.fields)
  if (typeof input === 'string') return showFormAgain(400, input)
  try {
    await checkout.limits.reports.take(`${linkContext.link.mode} ${visit.address}`, checkout.clock.nowMs())
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return withRetryAfter(showFormAgain(429, 'reported'), error)
  }
  const { merchantId } = linkContext.link
  await openDispute(linkContext.shop.app, newCustomerCaller(visit), {
    merchantId,
    chargeId: linkContext.charge.id,
    report: input,
  })
  const path = linkPagePath(linkContext, 'report')
  return { kind: 'redirect', to: `${path}${path.includes('?') ? '&' : '?'}sent=1` }
}

async function getPaidLinkContext(checkout: Checkout, visit: CheckoutVisit): Promise<PaidLinkContext> {
  const linkContext = await getLinkContext(checkout, visit)
  if (linkContext.charge === null || !isPaid(linkContext)) throw notFound('page')
  return { ...linkContext, charge: linkContext.charge }
}

const readAnswers = ({ shop, link, charge }: PaidLinkContext) =>
  listAnswersAboutCharge(shop.app, link.merchantId, charge.id)

const buildReportView = (
  linkContext: PaidLinkContext,
  { fields }: CheckoutVisit,
  fault: FormFault | null,
): ReportView => ({
  kind: 'report',
  payment: presentPayment(linkContext, linkContext.charge),
  chargeId: linkContext.charge.id,
  typed: {
    reason: fields.reason ?? '',
    details: (fields.details ?? '').slice(0, 2000),
    contact: (fields.contact ?? '').slice(0, 160),
  },
  fault,
  answers: [],
})

/** GET /pay/{id}/mails: asks the customer of an invoice whether the mails shall end. Opening it changes nothing. Throws 404. */
export async function showMails(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getLinkContext(checkout, visit)
  const { shop, link } = linkContext
  const key = visit.query.key ?? ''
  const { stopped } = await getMailedInvoice(shop.app, link, key)
  return buildLinkPage(linkContext, { kind: 'mails', linkId: link.id, key, stopped })
}

/** POST /pay/{id}/mails: ends the mails about invoices of this merchant to the customer. Throws 404. */
export async function stopMails(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const { shop, link } = await getLinkContext(checkout, visit)
  const key = visit.fields.key ?? ''
  const { merchantId, id } = link
  await stopInvoiceMails(shop.app, { merchantId, id, key, address: visit.address })
  return { kind: 'redirect', to: `${paymentPath(id, 'mails')}?key=${encodeURIComponent(key)}` }
}
