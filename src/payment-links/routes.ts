import { Type } from 'typebox'
import type { App } from '../app.ts'
import { answer, endpoint } from '../http/endpoint.ts'
import { LIST_QUERY, listOf, presentPage, readListWindow } from '../http/lists.ts'
import { createLink } from './create-link.ts'
import { getLink, listLinks } from './find-links.ts'
import { PaymentLinkCreateShape } from './link-request.ts'
import { LinkShape, presentLink } from './payment-link.ts'

const tag = 'Payment links'

export const paymentLinkEndpoints = [
  endpoint<App, typeof PaymentLinkCreateShape>({
    method: 'POST',
    path: '/v1/payment-links',
    name: 'createPaymentLink',
    summary: 'Create a page on which a customer pays you',
    description:
      'Send the customer to its `url` or show its QR. Paid is what `charge.succeeded` or the charge says; that the customer came back to `success_url` proves nothing. Links do not expire.',
    tag,
    scope: 'any',
    rate: 'payment_links',
    rateKind: 'shared',
    idempotency: 'optional',
    body: PaymentLinkCreateShape,
    answers: { 201: { description: 'created', schema: LinkShape } },
    handle(app, { caller, requestId, body, idempotency }) {
      return createLink(app, { caller, requestId, given: body, idempotency })
    },
  }),
  endpoint<App, never>({
    method: 'GET',
    path: '/v1/payment-links',
    name: 'listPaymentLinks',
    summary: 'List payment links, newest first',
    tag,
    scope: 'any',
    rate: 'reads',
    rateKind: 'shared',
    idempotency: 'ignored',
    query: Type.Object({ reference: Type.Optional(Type.String()), ...LIST_QUERY }),
    answers: { 200: { description: 'one page', schema: listOf(LinkShape) } },
    async handle(app, { caller, query }) {
      const filter = { reference: query.reference ?? null, ...readListWindow(query) }
      const page = await listLinks(app, caller, filter)
      return answer(
        200,
        presentPage(page, (link) => presentLink(link, app.baseUrl)),
      )
    },
  }),
  endpoint<App, never>({
    method: 'GET',
    path: '/v1/payment-links/:id',
    name: 'getPaymentLink',
    summary: 'Read one payment link',
    tag,
    scope: 'any',
    rate: 'reads',
    rateKind: 'shared',
    idempotency: 'ignored',
    params: Type.Object({ id: Type.String({ description: 'starts with `lnk_`' }) }),
    answers: { 200: { description: 'the link', schema: LinkShape } },
    async handle(app, { caller, params }) {
      const link = await getLink(app, caller, params.id ?? '')
      return answer(200, presentLink(link, app.baseUrl), link.id)
    },
  }),
]
