import { type TSchema, Type } from 'typebox'
import type { Endpoint, RawBody } from '../endpoint.ts'
import { describeAnswers, describeRefusals, ErrorShape, HEADER_COMPONENTS } from './openapi-answers.ts'
import { findParameterExample, listHeaders, listWebhookHeaders, PARAMETER_COMPONENTS } from './openapi-parameters.ts'
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
const SIGNATURE = 'signature'

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
    security: [{ [BEARER]: [] }, { [BEARER]: [], [SIGNATURE]: [] }],
    tags: facts.tags,
    paths,
    webhooks,
    components: {
      schemas: sorted(schemas.named),
      responses,
      headers: HEADER_COMPONENTS,
      parameters: PARAMETER_COMPONENTS,
      securitySchemes: { [BEARER]: bearerScheme, [SIGNATURE]: signatureScheme },
    },
  }
}

const bearerScheme: JsonObject = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A secret key: `sk_test_...` or `sk_live_...`, or collections-only `sk_test_col_...` and `sk_live_col_...`. An owner may bind a key to up to 20 addresses or networks: from elsewhere it is refused with 403 `address_not_allowed`. A full key may have a limit for what it sends in a day: above it a payout, bulk item or refund is refused with 400 `key_limit_reached`.',
}
const signatureScheme: JsonObject = {
  type: 'apiKey',
  in: 'header',
  name: 'Signature',
  description:
    'A signature of the request (RFC 9421, Ed25519), with `Signature-Input` and, of a POST, `Content-Digest` beside it. Only a key needs it for which an owner has set public keys: what is not signed by one of them is refused with 401 `invalid_signature`. The guide shows how to sign (/docs/keys).',
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
    ...listHeaders(declared),
  ]
}

function fieldsAs(location: 'path' | 'query', schema: TSchema | undefined, schemas: SchemaPrinter): JsonObject[] {
  if (schema === undefined) return []
  const { properties, required } = schema as { properties: Record<string, TSchema>; required?: string[] }
  return Object.entries(properties).map(([name, field]) => {
    const { description, examples, ...rendered } = schemas.render(field)
    const example = Array.isArray(examples) ? examples[0] : findParameterExample(name, field)
    return {
      name,
      in: location,
      required: location === 'path' || (required?.includes(name) ?? false),
      ...(description === undefined ? {} : { description }),
      // Several values have commas between, as one text.
      ...(rendered.type === 'array' ? { style: 'form', explode: false } : {}),
      schema: rendered,
      ...(example === undefined ? {} : { example }),
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
      example: { file: csvExample },
    },
  }
}

/** Describes one event as its receiver sees it: the envelope, its four headers, and what an answer means. */
function webhook({ event, summary, data, example }: WebhookDescription, schemas: SchemaPrinter): JsonObject {
  const envelope = Type.Object(
    {
      data,
      event: Type.Literal(event),
      id: Type.String({ description: 'starts with `evt_`; dedupe on it' }),
      timestamp: Type.Integer({ minimum: 0, description: 'Unix seconds of the event' }),
    },
    { $id: nameEvent(event) },
  )
  return {
    post: {
      operationId: event,
      summary,
      security: [],
      parameters: listWebhookHeaders(),
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

/** Names the component of an event: `charge.succeeded` is `ChargeSucceededEvent`. */
const nameEvent = (event: string) =>
  `${event.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`

const sorted = (named: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
