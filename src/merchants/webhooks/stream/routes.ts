import { Type } from 'typebox'
import { endpoint, tagEndpoints } from '../../../api/http/endpoint.ts'
import { listSchema } from '../../../api/http/lists/lists.ts'
import { LIST_QUERY_WITHOUT_TIMES, PLAIN_READ } from '../../../api/http/read-endpoints.ts'
import type { App } from '../../../program/app.ts'
import { EventTypeShape } from '../events.ts'
import { getEvent, LATEST, MAX_WAIT_SECONDS, type NumberedEvent, parseStreamQuery, pullEvents } from './event-stream.ts'

const StreamedEventShape = Type.Object(
  {
    object: Type.Literal('event'),
    sequence: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description:
        'counts the events of a merchant and mode from 1 without a gap. Given within about a second, and never changed; null until then, and in events from before there were numbers. In a list it is never null.',
    }),
    envelope: Type.Object(
      {
        id: Type.String({ description: 'the `evt_` id, the same as in the webhook' }),
        timestamp: Type.Integer({ minimum: 0, description: 'Unix time in seconds' }),
        event: EventTypeShape,
        data: Type.Object({}, { additionalProperties: true, description: 'as in the webhook of this event' }),
      },
      { $id: 'EventEnvelope', description: 'what the webhook of this event has as its body' },
    ),
  },
  { $id: 'StreamedEvent' },
)

const EventPageShape = Type.Object(
  {
    ...listSchema(StreamedEventShape).properties,
    next_cursor: Type.String({
      pattern: '^[0-9]+$',
      description: 'the `starting_after` of the next page, also where this one is empty: keep it',
    }),
  },
  { $id: 'StreamedEventList' },
)

// The envelope is stored as JSON, and shown as it is stored.
const presentEvent = ({ sequence, body }: NumberedEvent) =>
  `{"object":"event","sequence":${sequence},"envelope":${body}}`

/** Events to be pulled, for those who cannot be reached by a webhook or want to be sure that nothing is missing. */
export const eventEndpoints = tagEndpoints<App>('Webhooks', [
  endpoint<App, never>({
    ...PLAIN_READ,
    path: '/v1/events',
    name: 'pullEvents',
    summary: 'Read events in their order, oldest first',
    description:
      'Whoever keeps `next_cursor` misses no event and sees none twice, whatever happens between. Without `starting_after` it begins with the first one that is kept, with `latest` with what comes from now on. Events are kept 30 days.',
    action: 'read',
    query: Type.Object({
      limit: LIST_QUERY_WITHOUT_TIMES.limit,
      starting_after: Type.Optional(
        Type.String({
          pattern: `^(?:${LATEST}|0|[1-9][0-9]{0,14})$`,
          examples: ['1042'],
          description:
            'the `next_cursor` of the page before, or the `sequence` of the last event that you have; `latest`: behind the last event that has a number now, which `next_cursor` then names',
        }),
      ),
      wait: Type.Optional(
        Type.Integer({
          ...{ minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0 },
          description:
            'where there is nothing new, the answer waits so many seconds for it; two requests of a key may wait at once',
        }),
      ),
      event: Type.Optional(
        Type.Array(EventTypeShape, {
          minItems: 1,
          description:
            'only these events, with commas: `charge.succeeded,charge.failed`; a page may then be empty with `has_more`',
        }),
      ),
    }),
    answers: { 200: { description: 'one page', schema: EventPageShape } },
    refusals: { 410: 'cursor_expired' },
    async handle(app, { caller, query, onEnd }) {
      const { data, end, hasMore } = await pullEvents(app, caller, { ...parseStreamQuery(query), onEnd })
      const rows = data.map(presentEvent).join(',')
      return { status: 200, body: `{"object":"list","data":[${rows}],"has_more":${hasMore},"next_cursor":"${end}"}` }
    },
  }),
  endpoint<App, never>({
    ...PLAIN_READ,
    path: '/v1/events/:id',
    name: 'getEvent',
    summary: 'Read one event',
    description: 'Events are kept 30 days.',
    action: 'read',
    params: Type.Object({ id: Type.String({ description: 'starts with `evt_`' }) }),
    answers: { 200: { description: 'the event', schema: StreamedEventShape } },
    async handle(app, { caller, params }) {
      const id = params.id ?? ''
      return { status: 200, body: presentEvent(await getEvent(app, caller, id)), objectId: id }
    },
  }),
])
