import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { CHANNELS, CHARGE_FAILURES } from '../../../src/rails/rail.ts'
import { openapiText } from '../../../src/web/docs/printed.ts'

// What generators of clients read wrongly, or stop at (docs/decisions/0049).
const document = JSON.parse(openapiText(ENDPOINTS))

/** Every schema that clients read, with its place. */
function readSchemas(): [string, any][] {
  const found: [string, any][] = []
  const walk = (node: any, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    found.push([place, node])
    for (const [name, inner] of Object.entries<any>(node)) walk(inner, `${place}/${name}`)
  }
  for (const [path, operations] of Object.entries<any>(document.paths))
    for (const [method, { responses }] of Object.entries<any>(operations)) walk(responses, `${method} ${path}`)
  walk(document.webhooks, 'webhooks')
  for (const [name, schema] of Object.entries<any>(document.components.schemas)) if (!isSent(name)) walk(schema, name)
  return found
}

test('every status, reason and kind that a client reads is a text that names the words of today', () => {
  const words = new Map<string, string[]>()
  for (const [place, { enum: closed, 'x-extensible-enum': open, type, description }] of readSchemas()) {
    if (Array.isArray(closed)) assert.deepEqual(closed, ['test', 'live'], place)
    if (open === undefined) continue
    assert.ok(type === 'string' || String(type) === 'string,null', place)
    for (const word of open) assert.ok(description.includes(`\`${word}\``), `${place}: ${word}`)
    assert.match(description, /others may be added/, place)
    words.set(place, open)
  }
  for (const [name, list] of Object.entries({
    ChargeStatus: ['pending', 'authorized', 'succeeded', 'failed', 'refunded'],
    PayoutStatus: ['pending', 'authorized', 'succeeded', 'failed'],
    ChargeFailureReason: CHARGE_FAILURES,
    Channel: CHANNELS,
  }))
    assert.deepEqual(words.get(name), [...list], name)
  const { Charge, Payout, Mode } = document.components.schemas
  const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  assert.deepEqual(
    [Charge.properties.status, Charge.properties.channel, Payout.properties.mode],
    [refTo('ChargeStatus'), refTo('Channel'), refTo('Mode')],
  )
  assert.deepEqual(Charge.properties.failure_reason.anyOf, [refTo('ChargeFailureReason'), { type: 'null' }])
  assert.deepEqual(Mode, { type: 'string', enum: ['test', 'live'] })
})

test('what a client sends has its words as a closed list', () => {
  const { ChargeCreate, ChannelChoice, ChargeStatusChoice } = document.components.schemas
  assert.equal(ChargeCreate.properties.channel.$ref, '#/components/schemas/ChannelChoice')
  assert.deepEqual(ChannelChoice, {
    type: 'string',
    enum: [...CHANNELS],
    'x-enum-varnames': ['CHANNEL_OP1_MOMO', 'CHANNEL_OP2_MONEY', 'CHANNEL_CARD'],
  })
  const [status] = document.paths['/v1/charges'].get.parameters
  assert.equal(status.schema.items.$ref, '#/components/schemas/ChargeStatusChoice')
  assert.equal(ChargeStatusChoice.enum.length, 5)
  assert.deepEqual([status.style, status.explode], ['form', false], 'several with commas between')
})

/** Whether some request has this component; the service takes no values but those it lists. */
function isSent(component: string): boolean {
  if (component.endsWith('Choice')) return true
  const bodies = Object.values<any>(document.paths).flatMap((operations) =>
    Object.values<any>(operations).map(({ requestBody }) => JSON.stringify(requestBody ?? null)),
  )
  return bodies.some((body) => body.includes(`"#/components/schemas/${component}"`))
}

test('no two constants that a generator makes of lists have one name: in Go they share one space', () => {
  const names = Object.values<any>(document.components.schemas).flatMap((schema) => schema['x-enum-varnames'] ?? [])
  assert.ok(names.length > 30)
  assert.deepEqual(names.length, new Set(names).size)
  for (const name of names) assert.match(name, /^[A-Z][A-Z0-9_]+$/)
})

test('a refund is one schema, whether or not it has a payout', () => {
  const { responses } = document.paths['/v1/charges/{id}/refund'].post
  const [byCard, byPayout] = ['200', '202'].map((status) => responses[status].content['application/json'].schema)
  assert.deepEqual(byCard, { $ref: '#/components/schemas/Refund' })
  assert.deepEqual(byPayout, byCard)
  const { Refund } = document.components.schemas
  assert.ok(Refund.required.includes('refund'))
  const refund = [{ $ref: '#/components/schemas/RefundPayout' }, { type: 'null' }]
  assert.deepEqual(Refund.properties.refund.anyOf, refund)
})

test('a type is one type, or one and null; nothing is always null', () => {
  const odd: string[] = []
  const walk = (node: any, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, anyOf } = node
    if (Array.isArray(type) && (type.length !== 2 || !type.includes('null'))) odd.push(`${place}: ${type}`)
    const others = (anyOf ?? []).filter((one: any) => one.type !== 'null')
    const named = others.length === 1 && others[0].$ref !== undefined
    if (anyOf !== undefined && anyOf.length !== others.length && !named) odd.push(`${place}: anyOf`)
    for (const [name, inner] of Object.entries<any>(node)) {
      if (inner?.type === 'null' && !Array.isArray(node)) odd.push(`${place}/${name}: null`)
      walk(inner, `${place}/${name}`)
    }
  }
  walk(document, '')
  assert.deepEqual(odd, [])
})

test('an integer has 64 bits: Go and Java take 32 where nothing is said, and a balance outgrows them', () => {
  const short: string[] = []
  const walk = (node: any, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, format } = node
    if ([type].flat().includes('integer') && format !== 'int64') short.push(place)
    for (const [name, inner] of Object.entries<any>(node)) walk(inner, `${place}/${name}`)
  }
  for (const [name, schema] of Object.entries<any>(document.components.schemas)) walk(schema, name)
  walk(document.components.parameters, 'headers')
  assert.deepEqual(short, [])
})

test('the file of a bulk call is a file', () => {
  const { content } = document.paths['/v1/payouts/bulk'].post.requestBody
  const { file } = content['multipart/form-data'].schema.properties
  assert.deepEqual([file.type, file.format], ['string', 'binary'])
})
