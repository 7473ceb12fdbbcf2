import { Type } from 'typebox'
import { endpoint, jsonAnswer, tagEndpoints } from '../../api/http/endpoint.ts'
import { severalOf } from '../../api/http/lists/list-choices.ts'
import { LIST_QUERY, parseListWindow, parseTextFilters } from '../../api/http/lists/lists.ts'
import { listEndpoint } from '../../api/http/read-endpoints.ts'
import { WITHOUT_KEY } from '../../api/http/write-endpoints.ts'
import type { App } from '../../program/app.ts'
import { DELIVERY_STATUSES, type Delivery, DeliveryShape, presentDelivery } from './delivery.ts'
import { EventTypeShape } from './events.ts'
import { listDeliveries, resendDelivery } from './find-deliveries.ts'

const ADDRESS = Type.Optional(
  Type.String({ description: 'the id of one of your webhook addresses, starts with `wha_`' }),
)

export const webhookEndpoints = tagEndpoints('Webhooks', [
  listEndpoint<App, Delivery>({
    path: '/v1/webhooks',
    name: 'listWebhookDeliveries',
    summary: 'List webhook deliveries, newest first',
    description: 'Those to your first address, or to the one that `address` names. Deliveries are kept 30 days.',
    query: {
      status: severalOf(DELIVERY_STATUSES, 'WebhookDeliveryStatus'),
      event: Type.Optional(EventTypeShape),
      address: ADDRESS,
      ...LIST_QUERY,
    },
    row: DeliveryShape,
    list: (app, caller, query) =>
      listDeliveries(app, caller, {
        ...parseListWindow(query),
        ...parseTextFilters(query, 'status', 'event', 'address'),
      }),
    present: presentDelivery,
  }),
  endpoint<App, never>({
    ...WITHOUT_KEY,
    path: '/v1/webhooks/:event_id/resend',
    name: 'resendWebhook',
    summary: 'Send one event again',
    description:
      'The same bytes under the same id, to your first address or to the one that `address` names, signed with its current secret.',
    action: 'webhook.resend',
    rate: 'webhook_resend',
    query: Type.Object({ address: ADDRESS }),
    params: Type.Object({ event_id: Type.String({ description: 'starts with `evt_`' }) }),
    answers: {
      202: {
        description: 'due now',
        schema: Type.Object({ ok: Type.Literal(true), ...DeliveryShape.properties }, { $id: 'WebhookResend' }),
      },
    },
    async handle(app, { caller, params, query }) {
      const delivery = await resendDelivery(app, caller, params.event_id ?? '', query.address)
      return jsonAnswer(202, { ok: true, ...presentDelivery(delivery) }, delivery.id)
    },
  }),
])
