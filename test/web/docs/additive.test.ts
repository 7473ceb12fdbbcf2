import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brokenPromises } from './additive.ts'

const DOCS = join(import.meta.dirname, '..', '..', '..', '..', 'docs')
const RELEASED = join(DOCS, 'released')
const read = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))
const newest = () => read(RELEASED, '1.3.0.json')

// Promises that were given up on purpose, with the decision that says why.
const GIVEN_UP: Record<string, string[]> = {
  // docs/decisions/0018: only for charges paid in full by a gift card, which could not be refunded before.
  // docs/decisions/0049: the same answers have one schema; a 202 has its payout as ever.
  '1.3.0.json': [
    'POST /v1/charges/{id}/refund 202.refund: may now be null',
    'webhook charge.refunded.data.refund_id: may now be null',
  ],
}

for (const file of readdirSync(RELEASED))
  test(`C23: what ${file.replace('.json', '')} promised is still so`, () => {
    assert.deepEqual(brokenPromises(read(RELEASED, file), read(DOCS, 'openapi.json')), GIVEN_UP[file] ?? [])
  })

test('C23: the description of the newest entry of the changelog that has a date is kept', () => {
  const changelog = readFileSync(join(DOCS, '..', 'CHANGELOG.md'), 'utf8')
  const [, version] = /^## ([0-9.]+) - /m.exec(changelog) ?? []
  assert.ok(
    readdirSync(RELEASED).includes(`${version}.json`),
    `copy docs/openapi.json to docs/released/${version}.json`,
  )
})

type Change = [name: string, change: (document: any) => void, broken: RegExp]
const charges = (document: any) => document.paths['/v1/charges']
const Charge = (document: any) => document.components.schemas.Charge
const ChargeCreate = (document: any) => document.components.schemas.ChargeCreate
const ALARMS: Change[] = [
  ['an endpoint', (d) => delete d.paths['/v1/balance'], /GET \/v1\/balance: the endpoint is gone/],
  ['a status', (d) => delete charges(d).post.responses['502'], /the status 502 is gone/],
  ['a field of an answer', (d) => delete Charge(d).properties.net, /\.net: the field is gone/],
  ['a value of a choice', (d) => Charge(d).properties.status.enum.pop(), /status: the value .* is gone/],
  ['a promise that a field is there', (d) => Charge(d).required.pop(), /is no longer always there/],
  ['a wider answer', (d) => (Charge(d).properties.fee.type = ['integer', 'null']), /fee: may now be null/],
  ['another type', (d) => (Charge(d).properties.fee.type = 'string'), /fee: may now be string/],
  ['a new required field', (d) => ChargeCreate(d).required.push('reference'), /reference: has become required/],
  ['a narrower request', (d) => (ChargeCreate(d).properties.amount.type = 'string'), /integer is no longer taken/],
  ['a channel', (d) => ChargeCreate(d).properties.channel.enum.pop(), /card is no longer taken/],
  ['a field of a request', (d) => delete ChargeCreate(d).properties.split, /split: the field is gone/],
  ['a filter', (d) => charges(d).get.parameters.shift(), /query parameter status is gone/],
  ['an event', (d) => delete d.webhooks['charge.failed'], /webhook charge\.failed: the event is gone/],
  [
    'a new required header',
    (d) => charges(d).get.parameters.push({ name: 'X-New', in: 'header', required: true, schema: {} }),
    /X-New has become required/,
  ],
]
for (const [name, change, broken] of ALARMS)
  test(`C23: losing or changing ${name} is noticed`, () => {
    const now = newest()
    change(now)
    assert.match(brokenPromises(newest(), now).join('\n'), broken)
  })

test('C23: what is only added breaks nothing', () => {
  const now = newest()
  now.paths['/v1/new'] = { get: { responses: {} } }
  Charge(now).properties.more = { type: 'string' }
  ChargeCreate(now).properties.more = { type: 'string' }
  Charge(now).properties.status.enum.push('paused')
  assert.deepEqual(brokenPromises(newest(), now), [])
})
