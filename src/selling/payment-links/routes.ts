import { Type } from 'typebox'
import { tagEndpoints } from '../../api/http/endpoint.ts'
import { LIST_QUERY, parseListWindow } from '../../api/http/lists/lists.ts'
import { listEndpoint, objectEndpoint } from '../../api/http/read-endpoints.ts'
import { createEndpoint } from '../../api/http/write-endpoints.ts'
import type { App } from '../../program/app.ts'
import { createLink } from './create-link.ts'
import { getLink, listLinks } from './find-links.ts'
import { PaymentLinkCreateShape } from './link-request.ts'
import { LinkShape, type LinkWithCharges, presentLink } from './payment-link.ts'

export const paymentLinkEndpoints = tagEndpoints('Payment links', [
  createEndpoint<App, typeof PaymentLinkCreateShape>({
    path: '/v1/payment-links',
    name: 'createPaymentLink',
    summary: 'Create a page on which a customer pays you',
    description:
      'Send the customer to its `url` or show its QR. Paid is what `charge.succeeded` or the charge says; that the customer came back to `success_url` proves nothing. Links do not expire.',
    action: 'link.create',
    rate: 'payment_links',
    body: PaymentLinkCreateShape,
    answers: { 201: { description: 'created', schema: LinkShape } },
    make: createLink,
  }),
  listEndpoint<App, LinkWithCharges>({
    path: '/v1/payment-links',
    name: 'listPaymentLinks',
    summary: 'List payment links, newest first',
    description: 'With `reference` only those that you made under it.',
    query: { reference: Type.Optional(Type.String()), ...LIST_QUERY },
    row: LinkShape,
    list: (app, caller, query) =>
      listLinks(app, caller, { reference: query.reference ?? null, ...parseListWindow(query) }),
    present: (link, app) => presentLink(link, app.baseUrl),
  }),
  objectEndpoint<App, LinkWithCharges>({
    path: '/v1/payment-links/:id',
    name: 'getPaymentLink',
    summary: 'Read one payment link',
    description: '`status` says where its payment stands, `charge_id` which charge paid it.',
    id: 'starts with `lnk_`',
    shape: { description: 'the link', schema: LinkShape },
    find: getLink,
    present: (link, app) => presentLink(link, app.baseUrl),
  }),
])
