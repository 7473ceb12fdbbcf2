import type { Charge } from '../../charges/charge.ts'
import { answersAbout } from '../../disputes/answer-dispute.ts'
import { openDispute } from '../../disputes/open-dispute.ts'
import { readReport } from '../../disputes/report.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import type { FormFault, ReportView } from '../view.ts'
import { type Checkout, type Reply, type Visit, visitor } from '../visit.ts'
import { type Found, findPaidLink, pathOf, paymentOf } from './found-link.ts'
import { pageOf, withRetryAfter } from './link-pages.ts'
import { isPaid } from './states.ts'

type Paid = Found & { charge: Charge }

/** GET /pay/{id}/report (contract.md G48). Throws 404 if nothing was paid. */
export async function showReport(checkout: Checkout, visit: Visit): Promise<Reply> {
  const linkContext = await findPaid(checkout, visit)
  const answers = await answersTo(linkContext)
  if (visit.query.sent !== undefined)
    return pageOf(linkContext, {
      kind: 'reported',
      payment: paymentOf(linkContext, linkContext.charge),
      answers,
    })
  return pageOf(linkContext, { ...reportView(linkContext, visit, null), answers })
}

/** POST /pay/{id}/report: stores one report for a payment. Sending it again changes nothing and gets the same thanks. */
export async function report(checkout: Checkout, visit: Visit): Promise<Reply> {
  const linkContext = await findPaid(checkout, visit)
  const showFormAgain = (status: number, fault: FormFault) =>
    pageOf(linkContext, reportView(linkContext, visit, fault), status)
  if (!visit.fromOwnPage) return showFormAgain(403, 'elsewhere')
  const input = readReport(visit.fields)
  if (typeof input === 'string') return showFormAgain(400, input)
  try {
    await checkout.limits.reports.take(`${linkContext.link.mode} ${visit.address}`, checkout.clock.nowMs())
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return withRetryAfter(showFormAgain(429, 'reported'), error)
  }
  const { merchantId } = linkContext.link
  await openDispute(linkContext.shop.app, visitor(visit), {
    merchantId,
    chargeId: linkContext.charge.id,
    report: input,
  })
  const path = pathOf(linkContext, 'report')
  return { kind: 'redirect', to: `${path}${path.includes('?') ? '&' : '?'}sent=1` }
}

async function findPaid(checkout: Checkout, visit: Visit): Promise<Paid> {
  const linkContext = await findPaidLink(checkout, visit)
  if (linkContext.charge === null || !isPaid(linkContext)) throw notFound('page')
  return { ...linkContext, charge: linkContext.charge }
}

const answersTo = ({ shop, link, charge }: Paid) => answersAbout(shop.app, link.merchantId, charge.id)

const reportView = (linkContext: Paid, { fields }: Visit, fault: FormFault | null): ReportView => ({
  kind: 'report',
  payment: paymentOf(linkContext, linkContext.charge),
  chargeId: linkContext.charge.id,
  typed: {
    reason: fields.reason ?? '',
    details: (fields.details ?? '').slice(0, 2000),
    contact: (fields.contact ?? '').slice(0, 160),
  },
  fault,
  answers: [],
})
