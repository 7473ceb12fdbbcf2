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

/** GET /pay/{id}/report (contract.md G48). Throws 404 where nothing was paid. */
export async function showReport(checkout: Checkout, visit: Visit): Promise<Reply> {
  const found = await findPaid(checkout, visit)
  const answers = await answersTo(found)
  if (visit.query.sent !== undefined)
    return pageOf(found, { kind: 'reported', payment: paymentOf(found, found.charge), answers })
  return pageOf(found, { ...reportView(found, visit, null), answers })
}

/** POST /pay/{id}/report: stored once for a payment, and acknowledged however often it is sent. */
export async function report(checkout: Checkout, visit: Visit): Promise<Reply> {
  const found = await findPaid(checkout, visit)
  const again = (status: number, fault: FormFault) => pageOf(found, reportView(found, visit, fault), status)
  if (!visit.fromHere) return again(403, 'elsewhere')
  const read = readReport(visit.fields)
  if (typeof read === 'string') return again(400, read)
  try {
    await checkout.limits.reports.take(`${found.link.mode} ${visit.address}`, checkout.clock.nowMs())
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return withRetryAfter(again(429, 'reported'), error)
  }
  const { merchantId } = found.link
  await openDispute(found.shop.app, visitor(visit), { merchantId, chargeId: found.charge.id, report: read })
  const path = pathOf(found, 'report')
  return { kind: 'redirect', to: `${path}${path.includes('?') ? '&' : '?'}sent=1` }
}

async function findPaid(checkout: Checkout, visit: Visit): Promise<Paid> {
  const found = await findPaidLink(checkout, visit)
  if (found.charge === null || !isPaid(found)) throw notFound('page')
  return { ...found, charge: found.charge }
}

const answersTo = ({ shop, link, charge }: Paid) => answersAbout(shop.app, link.merchantId, charge.id)

const reportView = (found: Paid, { fields }: Visit, fault: FormFault | null): ReportView => ({
  kind: 'report',
  payment: paymentOf(found, found.charge),
  chargeId: found.charge.id,
  typed: {
    reason: fields.reason ?? '',
    details: (fields.details ?? '').slice(0, 2000),
    contact: (fields.contact ?? '').slice(0, 160),
  },
  fault,
  answers: [],
})
