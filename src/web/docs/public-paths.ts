// The paths that need no key and are therefore not among the endpoints of the API.
import { X_REQUEST_ID } from '../../api/http/openapi/openapi-parameters.ts'
import { refTo } from '../../api/http/openapi/openapi-schemas.ts'

type OpenApiObject = Record<string, unknown>

const RESPONSE_HEADERS = { 'X-Request-ID': { $ref: '#/components/headers/X-Request-ID' } }
const RETRY_HEADERS = { ...RESPONSE_HEADERS, 'Retry-After': { $ref: '#/components/headers/Retry-After' } }

const HEALTH = { commit: '0123456789ab', version: '1.3.0', uptime_seconds: 86_400 }
const EXAMPLES = {
  Health: { status: 'ok', database: 'up', ...HEALTH },
  DegradedHealth: { status: 'degraded', database: 'down', ...HEALTH },
  SupplierAccepted: { code: '1', message: 'success' },
  SupplierRefused: { code: '0', message: 'the message cannot be read' },
}

const jsonResponse = (
  description: string,
  component: keyof typeof EXAMPLES,
  headers: OpenApiObject = RESPONSE_HEADERS,
): OpenApiObject => ({
  description,
  headers,
  content: { 'application/json': { schema: refTo('schemas', component), example: EXAMPLES[component] } },
})

const healthSchema = (status: 'ok' | 'degraded', database: 'up' | 'down'): OpenApiObject => ({
  type: 'object',
  required: ['status', 'database', 'commit', 'version', 'uptime_seconds'],
  properties: {
    status: { type: 'string', const: status },
    database: { type: 'string', const: database },
    commit: { type: ['string', 'null'], description: 'the running commit, 12 hex digits, where it is known' },
    version: { type: 'string' },
    uptime_seconds: { type: 'integer', format: 'int64', minimum: 0 },
  },
})

const supplierAnswerSchema = (code: '0' | '1'): OpenApiObject => ({
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', const: code, description: 'everything but `1` asks for the same again' },
    message: { type: 'string' },
  },
})

// A value that may be a number or a text gets no `type`, because generators of clients fail on a list of two (decision 49).
const numberOrText = (description: string, ...examples: unknown[]): OpenApiObject => ({
  description: `${description}; a number or a text`,
  examples,
})

const CALLBACK_SCHEMA: OpenApiObject = {
  type: 'object',
  description: 'Flat, at most 64 KiB, whatever the Content-Type. Further fields are welcome and signed.',
  required: ['jqbh', 'timestamp', 'sign'],
  properties: {
    ddbh: { type: 'string', description: 'the order id of the command' },
    dsfjybh: { type: 'string', description: 'the charge id of the command' },
    jqbh: { type: 'string', description: 'the machine number' },
    status: numberOrText('`1`, `finish` or `finished`: done. The name may be `state`', '1', 'finish'),
    splist: {
      type: 'array',
      description: 'when done: one entry for each product',
      items: refTo('schemas', 'ReportedGoods'),
    },
    timestamp: numberOrText(
      'Unix time in seconds (10 digits) or milliseconds (13), within 5 minutes of now',
      1724750000000,
      '1724750000',
    ),
    sign: {
      type: 'string',
      pattern: '^[0-9A-Fa-f]{32}$',
      description: 'MD5 of secret, timestamp and reqData; `/docs/machines` says how',
    },
  },
}

const REPORTED_GOODS_SCHEMA: OpenApiObject = {
  type: 'object',
  required: ['chsl'],
  properties: {
    spbh: numberOrText('product number', '1', 1),
    chsl: numberOrText('units that came out, whole; 0 for a jam', 1, '1'),
    spmc: { type: 'string', description: 'product name' },
  },
}

/** The components of these paths. */
export const PUBLIC_SCHEMAS = {
  Health: healthSchema('ok', 'up'),
  DegradedHealth: healthSchema('degraded', 'down'),
  DispenseReport: CALLBACK_SCHEMA,
  ReportedGoods: REPORTED_GOODS_SCHEMA,
  SupplierAccepted: supplierAnswerSchema('1'),
  SupplierRefused: supplierAnswerSchema('0'),
}

const CALLBACK_EXAMPLE: OpenApiObject = {
  ddbh: 'lnk_1',
  jqbh: 'M-1',
  status: '1',
  splist: [{ spbh: '1', chsl: 1 }],
  timestamp: 1724750000000,
  sign: '76f1052260991e085a760105a41e8ef9',
}

export const PUBLIC_TAG = { name: 'Service', description: 'Whether the service works. No key is needed.' }

export const PUBLIC_PATHS: OpenApiObject = {
  '/healthz': {
    get: {
      operationId: 'getHealth',
      tags: [PUBLIC_TAG.name],
      summary: 'Whether the service and its database answer',
      description: 'For load balancers and watchers. It reads nothing of any merchant.',
      security: [],
      parameters: [X_REQUEST_ID],
      responses: {
        200: jsonResponse('both answer', 'Health'),
        503: jsonResponse('the database does not answer', 'DegradedHealth'),
      },
    },
  },
  '/inbound/vendor/dispense-result': {
    post: {
      operationId: 'receiveDispenseResult',
      tags: ['Vending'],
      summary: 'Report what a machine has dispensed (for machine suppliers)',
      description: 'No key: the `sign` in the body says who you are. `/docs/machines` explains it.',
      security: [],
      parameters: [X_REQUEST_ID],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: refTo('schemas', 'DispenseReport'),
            examples: { least: { summary: 'a delivery', value: CALLBACK_EXAMPLE } },
          },
        },
      },
      responses: {
        200: jsonResponse('received, whether it changes anything or not', 'SupplierAccepted'),
        400: jsonResponse('the message cannot be read, or lacks what it needs', 'SupplierRefused'),
        401: jsonResponse('the signature or its time is wrong', 'SupplierRefused'),
        413: jsonResponse('the message is over 64 KiB', 'SupplierRefused'),
        429: jsonResponse('too many from one address', 'SupplierRefused', RETRY_HEADERS),
        500: jsonResponse('our own fault: send the same again', 'SupplierRefused'),
      },
    },
  },
}
