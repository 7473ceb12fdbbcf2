// The headers of requests and of webhooks: components, so that each is said once and stands in the same place everywhere.
import type { TSchema } from 'typebox'
import type { Endpoint } from '../endpoint.ts'
import { findIdPrefix, type JsonObject, refTo } from './openapi-schemas.ts'

const idempotencyKey = (required: boolean): JsonObject => ({
  name: 'Idempotency-Key',
  in: 'header',
  required,
  description:
    'Your own name for this one request, best a UUID: sent again it repeats the first answer and does nothing twice. Kept 30 days.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '5f0c8a1e-9d1b-4c55-8f57-0b6f2f6d1a20',
})

const REQUEST_HEADERS = {
  XTimestamp: {
    name: 'X-Timestamp',
    in: 'header',
    required: true,
    description: 'Now, in Unix seconds (13 digits are read as milliseconds). At most 300 s old, at most 60 s ahead.',
    schema: { type: 'integer', format: 'int64', minimum: 0 },
    example: 1_795_345_500,
  },
  IdempotencyKey: idempotencyKey(true),
  OptionalIdempotencyKey: idempotencyKey(false),
  XRequestId: {
    name: 'X-Request-ID',
    in: 'header',
    required: false,
    description: 'Your own id for this request, answered in the header of the same name; without one we make one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    example: 'order-1042-try-1',
  },
} satisfies JsonObject

const ID_REST = 'k3v9q0123456789abcdef'
const EVENT_ID = `evt_${ID_REST}`
const HEX_OF_SHA256 = '^[0-9a-f]{64}$'
const WEBHOOK_HEADERS: JsonObject = {
  XServiceSignature: {
    name: 'X-Service-Signature',
    in: 'header',
    required: true,
    description:
      'Lowercase hex HMAC-SHA256 of the raw body, keyed with the whole `whsec_` secret. Compare it before you parse.',
    schema: { type: 'string', pattern: HEX_OF_SHA256 },
    example: '9c1f5b0e7f2a4d6c8b3e1a0f9d7c5b3a1e0f2d4c6b8a0e2f4d6c8b0a1f3e5d7c',
  },
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The `id` of the envelope, the same for every attempt.',
    schema: { type: 'string', pattern: '^evt_' },
    example: EVENT_ID,
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Unix seconds of this attempt; judge freshness by it.',
    schema: { type: 'integer', format: 'int64', minimum: 0 },
    example: 1_795_345_502,
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes that the base64 after `whsec_` stands for. During a change of secret several, with spaces between.',
    schema: { type: 'string', pattern: '^v1,' },
    example: 'v1,nB9bDn8qTWyLPhoPnXxbOh4PLUxriguKLfTWyLCh8+0=',
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    required: false,
    description: 'Where this attempt stands in a trace of ours (W3C Trace Context), where we record one. Not signed.',
    schema: { type: 'string' },
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
  XEventSequence: {
    name: 'X-Event-Sequence',
    in: 'header',
    required: false,
    description:
      'The `sequence` of the event in `GET /v1/events`, once it is known: at the first attempt it seldom is. Not signed.',
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: 1042,
  },
}

export const PARAMETER_COMPONENTS: JsonObject = { ...REQUEST_HEADERS, ...WEBHOOK_HEADERS }

const headerRef = (name: keyof typeof REQUEST_HEADERS): JsonObject => refTo('parameters', name)

/** The header that every request may carry. */
export const X_REQUEST_ID = headerRef('XRequestId')

/** Lists the headers of a request to this endpoint, after its other parameters and always in this order. */
export const listHeaders = ({ method, idempotency }: Pick<Endpoint<never>, 'method' | 'idempotency'>): JsonObject[] => [
  ...(method === 'POST' ? [headerRef('XTimestamp')] : []),
  ...(idempotency === 'required' ? [headerRef('IdempotencyKey')] : []),
  ...(idempotency === 'optional' ? [headerRef('OptionalIdempotencyKey')] : []),
  X_REQUEST_ID,
]

/** Lists the headers with which every event is posted. */
export const listWebhookHeaders = (): JsonObject[] =>
  Object.keys(WEBHOOK_HEADERS).map((name) => refTo('parameters', name))

// The example of a parameter of a path or a query, by its name.
const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...{ reference: 'order-1042', phone: '0700000000', email: 'grace@example.com', amount: 5000, machine: '1707100001' },
  ...{ payment_link: `lnk_${ID_REST}`, batch: `batch_${ID_REST}`, schedule: `spo_${ID_REST}` },
  ...{ limit: 20, starting_after: `txn_${ID_REST}`, ending_before: `txn_${ID_REST}`, wait: 25 },
  ...{ route: '/v1/charges/:id', code: 'not_found', key_last4: 'v9q0', request_id: 'order-1042-try-1' },
  ...{ created_after: '2026-11-01T00:00:00Z', created_before: '2026-12-01T00:00:00Z', since: '2026-11-01T00:00:00Z' },
}

/** Finds an example of a parameter: of an id by its prefix, of a list of words its first, else by its name. */
export function findParameterExample(name: string, schema: TSchema): unknown {
  const { enum: words, items, ...field } = schema as JsonObject
  const prefix = findIdPrefix(field)
  if (prefix !== undefined) return prefix + ID_REST
  if (Array.isArray(words)) return words[0]
  if (items !== undefined) return (items as { enum: unknown[] }).enum.slice(0, 2)
  return EXAMPLES[name]
}
