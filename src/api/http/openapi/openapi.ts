import { type TSchema, Type } from 'typebox'
import type { Endpoint, RawBody } from '../endpoint.ts'
import { describeAnswers, describeRefusals, ErrorShape, HEADER_COMPONENTS } from './openapi-answers.ts'
import { buildExample, type JsonObject, newSchemaPrinter, type SchemaPrinter } from './openapi-schemas.ts'

/** The facts about the API that the declarations of its endpoints do not hold. */
type ApiFacts = {
  /** Where the API answers, without a slash at the end. */
  baseUrl: string
  version: string
  title: string
  /** Markdown, shown before the endpoints. */
  description: string
  tags: readonly { name: string; description: string }[]
  webhooks: readonly WebhookDescription[]
  /** Makes an example answer of this schema and status. */
  sample?: (schema: TSchema, status: number) => unknown
}

/** One event that is posted to a receiver. `data`: the schema of its envelope's `data`; `example`: a whole envelope. */
export type WebhookDescription = { event: string; summary: string; data: TSchema; example?: unknown }

const BEARER = 'bearer'
const X_TIMESTAMP: JsonObject = {
  name: 'X-Timestamp',
  in: 'header',
  required: true,
  description: 'Now, in Unix seconds (13 digits are read as milliseconds). At most 300 s old, at most 60 s ahead.',
  schema: { type: 'integer', format: 'int64' },
}
/** The header that every request may carry. */
export const X_REQUEST_ID: JsonObject = {
  name: 'X-Request-ID',
  in: 'header',
  required: false,
  description: 'Your own id for this request, answered in the header of the same name; without one we make one.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
}
const WEBHOOK_HEADERS: Record<string, string> = {
  'X-Service-Signature':
    'Lowercase hex HMAC-SHA256 of the raw body, keyed with the whole `whsec_` secret. Compare it before you parse.',
  'webhook-id': 'The `id` of the envelope, the same for every attempt.',
  'webhook-timestamp': 'Unix seconds of this attempt; judge freshness by it.',
  'webhook-signature':
    '`v1,` and base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes that the base64 after `whsec_` stands for. During a change of secret several, with spaces between.',
  traceparent: 'Where this attempt stands in a trace of ours (W3C Trace Context), where we record one. Not signed.',
}

/** The OpenAPI 3.1 document of these endpoints, printed from their declarations alone. */
export function describeApi(endpoints: readonly Endpoint<never>[], facts: ApiFacts): JsonObject {
  const schemas = newSchemaPrinter()
  schemas.renderAnswer(ErrorShape)
  const paths: Record<string, JsonObject> = {}
  for (const declared of endpoints) {
    const path = declared.path.replace(/:([a-z_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [declared.method.toLowerCase()]: operation(declared, schemas, facts) }
    for (const { path: own, ...document } of declared.documents ?? [])
      paths[own] = { get: operation({ ...declared, description: undefined, ...document }, schemas, facts) }
  }
  const webhooks = Object.fromEntries(
    facts.webhooks.map((description) => [description.event, webhook(description, schemas)]),
  )
  const responses = describeRefusals(schemas)
  return {
    openapi: '3.1.0',
    info: { title: facts.title, version: facts.version, description: facts.description },
    servers: [{ url: facts.baseUrl }],
    security: [{ [BEARER]: [] }],
    tags: facts.tags,
    paths,
    webhooks,
    components: {
      schemas: sorted(schemas.named),
      responses,
      headers: HEADER_COMPONENTS,
      securitySchemes: { [BEARER]: bearerScheme },
    },
  }
}

const bearerScheme: JsonObject = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A secret key: `sk_test_...` or `sk_live_...`, or collections-only `sk_test_col_...` and `sk_live_col_...`.',
}

function operation(declared: Endpoint<never>, schemas: SchemaPrinter, { sample }: ApiFacts): JsonObject {
  const { name, tag, summary, description } = declared
  const parameters = describeParameters(declared, schemas)
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(declared, schemas),
    responses: describeAnswers(declared, schemas, sample),
  }
}

function describeParameters(declared: Endpoint<never>, schemas: SchemaPrinter): JsonObject[] {
  return [
    ...fieldsAs('path', declared.params, schemas),
    ...fieldsAs('query', declared.query, schemas),
    ...(declared.method === 'POST' ? [X_TIMESTAMP] : []),
    ...(declared.idempotency === 'ignored' ? [] : [idempotencyKey(declared.idempotency === 'required')]),
    X_REQUEST_ID,
  ]
}

function idempotencyKey(required: boolean): JsonObject {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required,
    description:
      'Your own name for this one request, best a UUID: sent again it repeats the first answer and does nothing twice. Kept 30 days.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }
}

function fieldsAs(location: 'path' | 'query', schema: TSchema | undefined, schemas: SchemaPrinter): JsonObject[] {
  if (schema === undefined) return []
  const { properties, required } = schema as { properties: Record<string, TSchema>; required?: string[] }
  return Object.entries(properties).map(([name, field]) => {
    const { description, ...rendered } = schemas.render(field)
    return {
      name,
      in: location,
      required: location === 'path' || (required?.includes(name) ?? false),
      ...(description === undefined ? {} : { description }),
      schema: rendered,
    }
  })
}

function requestBody({ body, bodyMayBeMissing, rawBody }: Endpoint<never>, schemas: SchemaPrinter): JsonObject {
  if (body === undefined) return {}
  const examples = { least: { summary: 'the least it takes', value: buildExample(body) } }
  const json = { 'application/json': { schema: schemas.render(body), examples } }
  const content = rawBody ? { ...json, ...csvContent(rawBody) } : json
  return { requestBody: { required: bodyMayBeMissing !== true, content } }
}

/** Describes the two ways to send a CSV: by itself, or as the one file of a form. */
function csvContent({ csvExample }: RawBody): JsonObject {
  // Client generators for OpenAPI 3.0 recognise a file by its `format`; without it they send a text.
  const file = { type: 'string', format: 'binary', description: 'the CSV, under any field name' }
  return {
    'text/csv': { schema: { type: 'string' }, example: csvExample },
    'multipart/form-data': {
      schema: { type: 'object', properties: { file }, required: ['file'] },
      encoding: { file: { contentType: 'text/csv' } },
    },
  }
}

/** Describes one event as its receiver sees it: the envelope, its four headers, and what an answer means. */
function webhook({ event, summary, data, example }: WebhookDescription, schemas: SchemaPrinter): JsonObject {
  const envelope = Type.Object({
    data,
    event: Type.Literal(event),
    id: Type.String({ description: 'starts with `evt_`; dedupe on it' }),
    timestamp: Type.Integer({ description: 'Unix seconds of the event' }),
  })
  const parameters = Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
    name,
    in: 'header',
    required: name !== 'traceparent',
    description,
    schema: { type: name === 'webhook-timestamp' ? 'integer' : 'string' },
  }))
  return {
    post: {
      operationId: event,
      summary,
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemas.renderAnswer(envelope),
            ...(example === undefined ? {} : { example }),
          },
        },
      },
      responses: {
        '2XX': { description: 'taken: nothing more is sent' },
        default: { description: 'anything else, or no answer within 5 seconds: tried again, 8 times in all' },
      },
    },
  }
}

const sorted = (named: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
