import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import Schema from 'typebox/schema'
import { needsFullKey } from '../../../src/api/access/actions.ts'
import { EVENT_TYPES } from '../../../src/merchants/webhooks/events.ts'
import { chargeEventData } from '../../../src/payments/charges/charge-event.ts'
import { parsePhone } from '../../../src/platform/text/phone.ts'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { openapiText } from '../../../src/web/docs/printed.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { resolveIn } from './resolved-schemas.ts'

const document = JSON.parse(openapiText(ENDPOINTS))

test('the OpenAPI document is valid OpenAPI 3.1, and every reference in it leads somewhere', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone(document))
  assert.ok(valid, JSON.stringify(errors, null, 2))
  assert.equal(validator.version, '3.1')
  for (const [, path] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    let place: any = document
    for (const part of (path as string).split('/')) place = place?.[part]
    assert.ok(place, path)
  }
})

test('C22: the health of the service and the door of machine suppliers are in the document, open without a key', async () => {
  const { get } = document.paths['/healthz']
  const { post } = document.paths['/inbound/vendor/dispense-result']
  assert.deepEqual([get.security, post.security], [[], []])
  const service = await startService()
  try {
    const health = await (await fetch(`${service.url}/healthz`)).json()
    const { properties, required } = resolved(get.responses[200].content['application/json'].schema)
    assert.deepEqual(Object.keys(health as object).sort(), [...required].sort())
    assert.deepEqual(Object.keys(properties).sort(), [...required].sort())
    const sent = { method: 'POST', body: '{}' }
    const refused = await fetch(`${service.url}/inbound/vendor/dispense-result`, sent)
    const schema = resolved(post.responses[refused.status].content['application/json'].schema)
    assert.deepEqual(Object.keys((await refused.json()) as object).sort(), [...schema.required].sort())
  } finally {
    await service.close()
  }
})

test('every endpoint of the product is in the document, under its name and with what its declaration says', () => {
  for (const { path, method, name, answers, refusals, idempotency, action } of ENDPOINTS) {
    const operation = document.paths[path.replace(/:([a-z_]+)/g, '{$1}')]?.[method.toLowerCase()]
    assert.equal(operation?.operationId, name, `${method} ${path}`)
    const statuses = Object.keys(operation.responses)
    for (const status of [...Object.keys(answers), ...Object.keys(refusals ?? {}), '401', '429', '503'])
      assert.ok(statuses.includes(status), `${name} ${status}`)
    assert.equal(statuses.includes('403'), needsFullKey(action) || 403 in (refusals ?? {}), name)
    assert.equal(statuses.includes('409'), idempotency !== 'ignored' || 409 in (refusals ?? {}), name)
    const headers = resolved(operation.parameters).filter((one: any) => one.in === 'header')
    const required = headers.filter((header: any) => header.required).map((header: any) => header.name)
    assert.equal(required.includes('X-Timestamp'), method === 'POST', name)
    assert.equal(required.includes('Idempotency-Key'), idempotency === 'required', name)
  }
  const keyless = (operation: any) => operation.security?.length === 0
  const operations = Object.values(document.paths).flatMap((path: any) =>
    Object.values(path).filter((one) => !keyless(one)),
  )
  const documents = ENDPOINTS.flatMap((endpoint) => endpoint.documents ?? [])
  assert.equal(operations.length, ENDPOINTS.length + documents.length)
})

const resolved = (node: unknown) => resolveIn(document, node)

const MAY_BE_EMPTY = [
  // A missing name, or step of the clock, is refused by a rule with its own text, not by the schema.
  ...['/v1/subaccounts', '/v1/test/clock'],
  // What is left out stays as it is, is all there is, or is the usual.
  ...[
    '/v1/test/accounts',
    '/v1/charges/{id}/refund',
    '/v1/webhook-addresses/{id}',
    '/v1/webhook-addresses/{id}/rotate',
  ],
]

test('C10: every example of a request fits the schema beside it, and an empty body does not', () => {
  let seen = 0
  for (const [path, operations] of Object.entries<any>(document.paths)) {
    const content = operations.post?.requestBody?.content['application/json']
    if (content === undefined) continue
    const schema = Schema.Compile(resolved(content.schema))
    for (const { value } of Object.values<any>(content.examples)) {
      assert.ok(schema.Check(value), `${path}: ${JSON.stringify(value)}`)
      seen += 1
    }
    assert.equal(schema.Check({}), MAY_BE_EMPTY.includes(path), `${path}: {}`)
  }
  assert.ok(seen > 8)
})

test('Idempotency-Key stands in the same place of every operation that takes it: behind X-Timestamp', () => {
  const headers = ['XTimestamp', 'IdempotencyKey', 'XRequestId'].map((name) => `#/components/parameters/${name}`)
  const taking = ENDPOINTS.filter(({ idempotency }) => idempotency !== 'ignored')
  assert.ok(taking.length > 5)
  for (const { path, method, idempotency } of taking) {
    const { parameters } = document.paths[path.replace(/:([a-z_]+)/g, '{$1}')][method.toLowerCase()]
    const refs = parameters.slice(-3).map((one: any) => one.$ref.replace('Optional', ''))
    assert.deepEqual(refs, headers, path)
    assert.equal(parameters.at(-2).$ref.includes('Optional'), idempotency === 'optional', path)
  }
})

test('C10: no request has a default or a choice of one, and every operation takes an X-Request-ID', () => {
  const bodies = JSON.stringify(resolved(document.paths))
  assert.doesNotMatch(bodies, /"default":(?!\{)/)
  assert.doesNotMatch(bodies, /"anyOf":\[\{[^[\]]*\}\](?!,)/)
  for (const operations of Object.values<any>(document.paths))
    for (const { parameters, operationId } of Object.values<any>(operations)) {
      const names = resolved(parameters).map((one: any) => one.name)
      assert.ok(names.includes('X-Request-ID'), operationId)
    }
  for (const name of ['ChargeCreate', 'PayoutCreate', 'PaymentLinkCreate', 'ScheduledPayoutCreate'])
    assert.ok(document.components.schemas[name].properties.amount.minimum >= 1, name)
  const [period] = document.paths['/v1/statements/{period}'].get.parameters
  assert.ok(new RegExp(period.schema.pattern).test('2026-07'))
  assert.ok(!new RegExp(period.schema.pattern).test('2026-13'))
  assert.ok(document.paths['/v1/statements/{period}.pdf'].get.responses['200'].content['application/pdf'])
})

test('C10: a 404 of vending orders and of the direct dispense is described in its own words', () => {
  const text = (path: string) => document.paths[path].post.responses['404'].description
  assert.match(text('/v1/vending/orders'), /machine not registered to this merchant/)
  assert.match(text('/v1/vending/dispense'), /charge not found/)
})

test('objects of the product are components, and nothing that only our own reader knows is left in them', () => {
  const names = Object.keys(document.components.schemas)
  for (const name of [
    'Account',
    'Balance',
    'Charge',
    'ChargeCreate',
    'ApiError',
    'Settlement',
    'Payout',
    'PayoutCreate',
    'BulkResult',
    'ScheduledPayout',
    'Refund',
    'Subaccount',
    'ResolvedAccount',
    'WebhookDelivery',
  ])
    assert.ok(names.includes(name), name)
  const text = JSON.stringify(document)
  assert.doesNotMatch(text, /"\$id"|"lines":|"format":"phone"/)
  assert.deepEqual(document.components.schemas.Charge.properties.reference, { type: ['string', 'null'] })
})

test('every written phone that the service takes fits the pattern in the document', () => {
  const { pattern } = resolved(document.components.schemas.ChargeCreate).properties.customer.properties.phone
  const written = fc.string({
    unit: fc.constantFrom(...'01234567890123456789 -().+'),
    minLength: 9,
    maxLength: 24,
  })
  fc.assert(
    fc.property(written, (text) => parsePhone(text) === null || new RegExp(pattern).test(text)),
    { numRuns: 5000, examples: [['0700000000'], ['+256 700-000 000'], ['(00256) 700.000.000']] },
  )
})

test('every event is described with its envelope, its headers and exactly the data that is sent', () => {
  assert.deepEqual(Object.keys(document.webhooks).sort(), [...EVENT_TYPES].sort())
  for (const [event, { post }] of Object.entries<any>(document.webhooks)) {
    const envelope = resolved(post.requestBody.content['application/json'].schema)
    assert.deepEqual(Object.keys(envelope.properties), ['data', 'event', 'id', 'timestamp'])
    assert.equal(envelope.properties.event.const, event)
    assert.deepEqual(
      resolved(post.parameters).map((parameter: any) => parameter.name),
      [
        'X-Service-Signature',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'traceparent',
        'X-Event-Sequence',
      ],
    )
  }
  const failed = { createdAt: new Date(0), completedAt: new Date(0), refundedAt: null, status: 'failed' }
  const sent = Object.keys(chargeEventData(failed as never))
  assert.deepEqual(Object.keys(document.components.schemas.ChargeEventData.properties), sent)
})
