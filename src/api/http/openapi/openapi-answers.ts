import { type TSchema, Type } from 'typebox'
import { needsFullKey } from '../../access/actions.ts'
import type { Endpoint } from '../endpoint.ts'
import { ERROR_CODES } from './error-codes.ts'
import { type JsonObject, refTo, type SchemaPrinter } from './openapi-schemas.ts'

type AnyEndpoint = Endpoint<never>
type RefusalComponent = { name: string; description: string; example: { error: string; code: string } }

/** The error body of every refusal (spec 7). */
export const ErrorShape = Type.Object(
  {
    error: Type.String({ description: 'what is wrong, for a person; its words may change' }),
    code: Type.Enum(Object.keys(ERROR_CODES), {
      $id: 'ErrorCode',
      description: 'what is wrong, for a program; never changes. All of them, with cause and remedy: `/docs/errors`',
    }),
    hint: Type.Optional(
      Type.String({
        description: 'what to do about it, for a person; only where the text above cannot say it',
      }),
    ),
    field: Type.Optional(
      Type.String({
        description: 'the member of the request at fault, such as `recipient.phone`; only where it is one',
      }),
    ),
    request_id: Type.String({ description: 'the X-Request-ID of the request that was refused first' }),
  },
  { $id: 'ApiError' },
)

/** The refusals that the frame itself may answer with, by status. */
const FRAME_REFUSALS: Record<number, RefusalComponent> = {
  400: {
    name: 'BadRequest',
    description: 'The headers, the query, the body or a rule of the business refuse it; `code` says which.',
    example: { error: 'invalid request: amount must be an integer', code: 'bad_request' },
  },
  401: {
    name: 'Unauthorized',
    description: 'No bearer token, or one that is unknown, rotated or revoked.',
    example: { error: 'invalid api key', code: 'unauthorized' },
  },
  403: {
    name: 'Forbidden',
    description:
      'The key is collections-only, may not be used from this address, or has a limit for a day that a schedule would pass by.',
    example: {
      error: 'this endpoint requires a full secret key; collections-only keys cannot move money out',
      code: 'forbidden',
    },
  },
  404: {
    name: 'NotFound',
    description: 'There is no such object under this key: absent, foreign and other-mode objects look the same.',
    example: { error: 'not found', code: 'not_found' },
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path is known, the verb is not; `Allow` lists the verbs.',
    example: { error: 'method not allowed', code: 'method_not_allowed' },
  },
  409: {
    name: 'Conflict',
    description:
      'The Idempotency-Key was used for another request (use a new one), or its first request is still under way (send the same again shortly).',
    example: { error: 'idempotency key reused with different request body', code: 'conflict' },
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body is over 1 MiB.',
    example: { error: 'invalid request: body too large', code: 'payload_too_large' },
  },
  429: {
    name: 'RateLimited',
    description: 'Too many requests: wait `Retry-After` seconds, then send the same again.',
    example: { error: 'rate limit exceeded - retry in 7 seconds', code: 'rate_limited' },
  },
  500: {
    name: 'InternalError',
    description: 'Our own fault. Send the same again with the same Idempotency-Key.',
    example: {
      error: 'internal error - retry with the same Idempotency-Key',
      code: 'internal_error',
    },
  },
  503: {
    name: 'Unavailable',
    description: 'Nothing is wrong with the request: send the same again with the same Idempotency-Key.',
    example: {
      error: 'service temporarily unavailable - retry with the same Idempotency-Key',
      code: 'unavailable',
    },
  },
}

const REQUEST_ID_EXAMPLE = '3f1f6f0e-5d5a-4f39-9f0b-6f3c1f0f8a11'
const RETRY_AFTER_STATUSES = [429, 502, 503]
const REQUEST_ID = { 'X-Request-ID': refTo('headers', 'X-Request-ID') }
const IGNORED = { 'Ignored-Parameters': refTo('headers', 'Ignored-Parameters') }
const LIMITS = { 'RateLimit-Policy': refTo('headers', 'RateLimit-Policy'), RateLimit: refTo('headers', 'RateLimit') }
const KEY_USE = {
  'Idempotency-Status': refTo('headers', 'Idempotency-Status'),
  'Idempotent-Replayed': refTo('headers', 'Idempotent-Replayed'),
}

export const HEADER_COMPONENTS: JsonObject = {
  'X-Request-ID': {
    description: 'The id of this request: yours where you sent one, else ours. Quote it when you ask us.',
    schema: { type: 'string' },
    example: REQUEST_ID_EXAMPLE,
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Idempotency-Status': {
    description:
      'What the Idempotency-Key did: `new`, this answer is now kept under it, or `replayed`, this is the answer kept from an earlier request. Absent where no key was sent, and on refusals that are not kept: the key is as free as before.',
    schema: { type: 'string' },
    example: 'new',
  },
  'Ignored-Parameters': {
    description:
      'The names of parameters of the query and members of the body (`customer.nick`, `items[].note`) that this endpoint does not know and did not look at, at most twenty; so a misspelt one is seen. Absent where it knew all.',
    schema: { type: 'string' },
    example: 'page, chanel',
  },
  'RateLimit-Policy': {
    description:
      'The limits that count this request, by name: `q` requests in any `w` seconds (draft-ietf-httpapi-ratelimit-headers-10, a structured field). Absent where you have no limit.',
    schema: { type: 'string' },
    example: '"charges";q=120;w=60, "all";q=1200;w=60',
  },
  RateLimit: {
    description:
      'How much of each limit is left: `r` more requests now, and one more than that after `t` seconds. It is what the process that answers knows, and no promise: `Retry-After` of a 429 counts before it.',
    schema: { type: 'string' },
    example: '"charges";r=119;t=60, "all";r=1180;t=12',
  },
  'Retry-After': {
    description: 'Whole seconds to wait before the next try.',
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: 7,
  },
  Allow: { description: 'The verbs of this path.', schema: { type: 'string' }, example: 'GET, POST' },
}

/** Describes the refusals of the frame as components, one for each status. */
export function describeRefusals(schemas: SchemaPrinter): JsonObject {
  return Object.fromEntries(
    Object.entries(FRAME_REFUSALS).map(([status, { name, description, example }]) => [
      name,
      refusal(Number(status), { description, example: withId(example), schemas }),
    ]),
  )
}

/** Describes every answer of an endpoint: its own, then the refusals of the frame and its own. */
export function describeAnswers(
  declared: AnyEndpoint,
  schemas: SchemaPrinter,
  sample?: (schema: TSchema, status: number) => unknown,
): JsonObject {
  const takesKey = declared.idempotency !== 'ignored'
  const answers: JsonObject = {}
  for (const [status, { description, schema }] of Object.entries(declared.answers))
    answers[status] = {
      description,
      headers: { ...REQUEST_ID, ...LIMITS, ...IGNORED, ...(takesKey ? KEY_USE : {}) },
      content: describeContent(schemas, schema, sample && ((schema) => sample(schema, Number(status)))),
    }
  for (const status of listFrameStatuses(declared)) {
    const component = FRAME_REFUSALS[status]
    if (component) answers[status] = refTo('responses', component.name)
  }
  for (const [status, description] of Object.entries(declared.refusals ?? {}))
    answers[status] = refusal(Number(status), { description, example: exampleOf(Number(status), description), schemas })
  return answers
}

/** Makes the example of an endpoint's own refusal, which is described as `code`, `code: text` or as what the frame also refuses. */
function exampleOf(status: number, description: string): JsonObject {
  const [, code = '', text] = /^([a-z_]+)(?:: (.+))?$/.exec(description) ?? []
  const error = text ?? ERROR_CODES[code]?.cause
  return withId(error === undefined ? { ...FRAME_REFUSALS[status]?.example } : { error, code })
}

/** Lists the statuses with which the frame can refuse a request to this endpoint. */
function listFrameStatuses(declared: AnyEndpoint): number[] {
  const conditions: [status: number, isPossible: boolean][] = [
    [403, needsFullKey(declared.action)],
    [404, declared.params !== undefined],
    [409, declared.idempotency !== 'ignored'],
    [413, declared.method === 'POST'],
  ]
  const impossible = conditions.filter(([, isPossible]) => !isPossible).map(([status]) => status)
  return Object.keys(FRAME_REFUSALS)
    .map(Number)
    .filter((status) => !impossible.includes(status))
}

function refusal(
  status: number,
  { description, example, schemas }: { description: string; example?: JsonObject; schemas: SchemaPrinter },
): JsonObject {
  const headers = {
    ...REQUEST_ID,
    // Without a known key there is nobody whose limits could be told.
    ...(status === 401 || status === 405 ? {} : { ...LIMITS, ...IGNORED }),
    ...(RETRY_AFTER_STATUSES.includes(status) ? { 'Retry-After': refTo('headers', 'Retry-After') } : {}),
    ...(status === 400 ? KEY_USE : {}),
    ...(status === 405 ? { Allow: refTo('headers', 'Allow') } : {}),
  }
  return { description, headers, content: jsonContent(schemas, ErrorShape, example) }
}

const withId = (example: JsonObject): JsonObject => ({
  ...example,
  request_id: REQUEST_ID_EXAMPLE,
})

/** Describes the content of an answer: JSON, and where it is a choice also each document under its own media type. */
function describeContent(
  schemas: SchemaPrinter,
  schema: TSchema,
  sample: (schema: TSchema) => unknown = () => undefined,
): JsonObject {
  const { anyOf: choices = [schema] } = schema as { anyOf?: TSchema[] }
  const documents = choices.filter((choice) => mediaTypeOf(choice) !== undefined)
  if (documents.length === 0) return jsonContent(schemas, schema, sample(schema))
  const json = choices.filter((choice) => !documents.includes(choice))
  return Object.assign(
    {},
    ...json.map((schema) => jsonContent(schemas, schema, sample(schema))),
    ...documents.map((document) => ({
      [mediaTypeOf(document) as string]: { schema: schemas.renderAnswer(document) },
    })),
  )
}

const mediaTypeOf = (schema: TSchema) => (schema as { contentMediaType?: string }).contentMediaType

function jsonContent(schemas: SchemaPrinter, schema: TSchema, example?: unknown): JsonObject {
  const withExample = example === undefined ? {} : { example }
  return { 'application/json': { schema: schemas.renderAnswer(schema), ...withExample } }
}
