import { watchCharge } from '../../../payments/charges/watch-charge.ts'
import { notFound, type Refusal } from '../../../platform/refusal.ts'
import { isLinkExpired, linkStatus, linkUrl } from '../../../selling/payment-links/payment-link.ts'
import { qrPng, qrSvg } from '../../../selling/payment-links/qr.ts'
import type { FormFault, View } from '../view.ts'
import { type Checkout, type CheckoutVisit, newCustomerCaller, type Reply } from '../visit.ts'
import { getLinkContext, type LinkContext, linkPagePath, presentPayment, takesPayments } from './link-context.ts'
import { buildClosedView, buildExpiredView, buildReceiptView, buildStatusView, isPaid } from './link-views.ts'
import { buildPayForm } from './pay-form.ts'

const QR_MAX_AGE_SECONDS = 86_400

/** GET /pay/{id}: shows the form, or the page that stands in its place (contract.md G42). */
export async function showPayLink(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getLinkContext(checkout, visit)
  const { charge, link } = linkContext
  // A one-shot link that is paid or being paid shows the status of that payment; after a failure it may be paid again.
  const underWay = !link.allowMultipleUses && charge !== null && charge.status !== 'failed'
  if (underWay) return { kind: 'redirect', to: linkPagePath(linkContext, 'status') }
  return formOrClosed(checkout, linkContext, visit)
}

// The voucher form redirects to this page and names its fault in the query `voucher`.
const FAULT_BY_QUERY: Record<string, FormFault> = { unusable: 'voucher', closed: 'voucher_closed' }

function formOrClosed(checkout: Checkout, linkContext: LinkContext, visit: CheckoutVisit): Promise<Reply> | Reply {
  if (isLinkExpired(linkContext.link, checkout.clock.now()))
    return buildLinkPage(linkContext, buildExpiredView(linkContext))
  if (!takesPayments(linkContext)) return buildLinkPage(linkContext, buildClosedView(linkContext))
  return buildPayForm(
    checkout,
    { linkContext, visit },
    { status: 200, fault: FAULT_BY_QUERY[visit.query.voucher ?? ''] ?? null },
  )
}

/** Makes the reply that shows a page of this link. */
export const buildLinkPage = ({ shop, link }: LinkContext, view: View, status = 200): Reply => ({
  kind: 'page',
  status,
  view,
  shop,
  mode: link.mode,
})

/** Adds Retry-After to a page refused for its rate (contract.md 2.1a). */
export const withRetryAfter = (reply: Reply, { retryAfterSeconds }: Refusal): Reply =>
  reply.kind === 'page' && retryAfterSeconds !== null ? { ...reply, retryAfterSeconds } : reply

/** GET /pay/{id}/status (G45): shows the payment, or the form if there is none yet. */
export async function showStatus(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getLinkContext(checkout, visit)
  const { charge, shop } = linkContext
  if (charge === null) return formOrClosed(checkout, linkContext, visit)
  await watchCharge(shop.app, newCustomerCaller(visit), charge)
  return buildLinkPage(linkContext, buildStatusView({ ...linkContext, charge }, checkout.clock.now()))
}

/** GET /pay/{id}/status.json: the status for the script of the page. `success_url` is null until the link is paid. */
export async function showStatusDocument(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getLinkContext(checkout, visit)
  const { link, charge, shop } = linkContext
  if (charge !== null) await watchCharge(shop.app, newCustomerCaller(visit), charge)
  const payment = charge && presentPayment(linkContext, charge)
  const isHeld = charge !== null && charge.status !== 'failed'
  const expired = !isHeld && isLinkExpired(link, checkout.clock.now())
  const value = {
    link_id: link.id,
    status: charge?.status ?? (expired ? 'expired' : linkStatus(link)),
    amount: link.amount,
    amount_due: payment?.due ?? link.amount,
    currency: 'UGX',
    channel: payment?.method ?? null,
    failure_reason: charge?.failureReason ?? null,
    success_url: isPaid(linkContext) ? link.successUrl : null,
    expired,
  }
  return { kind: 'json', status: 200, value }
}

/** GET /pay/{id}/receipt: shows the receipt to print or keep. */
export async function showReceipt(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const linkContext = await getLinkContext(checkout, visit)
  const { charge } = linkContext
  if (charge === null || !isPaid(linkContext)) return { kind: 'redirect', to: linkPagePath(linkContext, 'status') }
  return buildLinkPage(linkContext, buildReceiptView({ ...linkContext, charge }, 'printable'))
}

/** GET /pay/{id}/qr.png and qr.svg (G49): the address of the page as a QR code, in every state of the link. */
export async function showQr(checkout: Checkout, visit: CheckoutVisit): Promise<Reply> {
  const { shop, link } = await getLinkContext(checkout, visit)
  return buildQrReply(linkUrl(link, shop.app.baseUrl), visit.params.form)
}

/** Makes a file with the QR code of this text. Throws 404 for an unknown format. */
export function buildQrReply(text: string, form: string | undefined): Reply {
  if (form === 'png') return { kind: 'file', type: 'image/png', body: qrPng(text), maxAgeSeconds: QR_MAX_AGE_SECONDS }
  if (form !== 'svg') throw notFound('page')
  const body = Buffer.from(qrSvg(text))
  return { kind: 'file', type: 'image/svg+xml', body, maxAgeSeconds: QR_MAX_AGE_SECONDS }
}
