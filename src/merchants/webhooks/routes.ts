import { Type } from 'typebox'
import { endpoint, jsonAnswer, tagEndpoints } from '../../api/http/endpoint.ts'
import { LIST_QUERY, parseListWindow, parseTextFilters } from '../../api/http/lists/lists.ts'
import { listEndpoint } from '../../api/http/read-endpoints.ts'
import { WITHOUT_KEY } from '../../api/http/write-endpoints.ts'
import type { App } from '../../program/app.ts'
import { DELIVERY_STATUSES, type Delivery, DeliveryShape, presentDelivery } from './delivery.ts'
import { listDeliveries, resendDelivery } from './find-deliveries.ts'

export const webhookEndpoints = tagEndpoints('Webhooks', [
  listEndpoint<App, Delivery>({
    path: '/v1/webhooks',
    name: 'listWebhookDeliveries',
    summary: 'List webhook deliveries, newest first',
    description: 'Deliveries are kept 30 days.',
    query: {
      status: Type.Optional(Type.Enum(DELIVERY_STATUSES)),
      event: Type.Optional(Type.String({ description: 'for example charge.succeeded' })),
      ...LIST_QUERY,
    },
    row: DeliveryShape,
    list: (app, caller, query) =>
      listDeliveries(app, caller, {
        ...parseListWindow(query),
        ...parseTextFilters(query, 'status', 'event'),
      }),
    present: presentDelivery,
  }),
  endpoint<App, never>({
    ...WITHOUT_KEY,
    path: '/v1/webhooks/:event_id/resend',
    name: 'resendWebhook',
    summary: 'Send one event again',
    description: 'The same bytes under the same id, to your current address, signed with your current secret.',
    action: 'webhook.resend',
    rate: 'webhook_resend',
    params: Type.Object({ event_id: Type.String({ description: 'starts with `evt_`' }) }),
    answers: {
      202: {
        description: 'due now',
        schema: Type.Object({ ok: Type.Literal(true), ...DeliveryShape.properties }),
      },
    },
    async handle(app, { caller, params }) {
      const delivery = await resendDelivery(app, caller, params.event_id ?? '')
      return jsonAnswer(202, { ok: true, ...presentDelivery(delivery) }, delivery.id)
    },
  }),
])
