import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { type Client, startService, type TestService } from '../helpers/test-service.ts'
import { assertRefused, domain, invalid } from './refused.ts'

let service: TestService
let api: Client
before(async () => {
  service = await startService()
  api = service.client((await service.merchant()).keys.test)
})
after(() => service.close())

const share = { subaccount: 'sub_nobody', bps: 2500 }
const times = (count: number) => Array.from({ length: count }, () => share)

// The texts of G8 that need no subaccount to exist.
const SPLITS: [string, unknown, string][] = [
  ['nobody', [], 'split must be a non-empty list'],
  ['21 parties', times(21), 'split supports at most 20 parties'],
  ['20 parties', times(20), 'unknown subaccount sub_nobody'],
  ['a text', ['sub_nobody'], 'split[0] must be an object'],
  ['null', [null], 'split[0] must be an object'],
  ['a list', [[share]], 'split[0] must be an object'],
  ['nobody in particular', [{}], 'split[0].subaccount is required'],
  ['a blank name', [{ subaccount: ' ', amount: 100 }], 'split[0].subaccount is required'],
  ['null as a name', [{ subaccount: null, amount: 100 }], 'split[0].subaccount is required'],
  ['an unknown one with bps', [share], 'unknown subaccount sub_nobody'],
  ['an unknown one with an amount', [{ subaccount: 'sub_a', amount: 100 }], 'unknown subaccount sub_a'],
  ['a name of 100 characters', [{ subaccount: 's'.repeat(100) }], `unknown subaccount ${'s'.repeat(40)}`],
  ['a name with a line feed', [{ subaccount: 'sub\n_a' }], 'unknown subaccount sub_a'],
  [
    'a name that is code',
    [{ subaccount: "'; drop table charges" }],
    "unknown subaccount '; drop table charges",
  ],
  ['an inherited name', [{ subaccount: 'constructor' }], 'unknown subaccount constructor'],
]

for (const [name, split, problem] of SPLITS)
  test(`a split with ${name} is refused with "${problem}" and kept under its key`, async () => {
    const before = await service.digest()
    const key = { 'idempotency-key': `split with ${name}` }
    const first = await api.charge({ split }, key)
    assertRefused(first, domain('invalid_split', `invalid split: ${problem}`))
    assert.equal(await service.digest(), before, 'zero writes')
    const again = await api.charge({ split }, key)
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })

for (const split of [{}, { 0: share }, 'sub_nobody', '', 0, true])
  test(`a split that is ${JSON.stringify(split)} and no list is a fault of form`, async () => {
    const before = await service.digest()
    assertRefused(await api.charge({ split }), invalid('split must be a list'))
    assert.equal(await service.digest(), before, 'zero writes')
  })

test('a split of null is no split: the charge is made and shows none', async () => {
  const { status, body } = await api.charge({ split: null })
  assert.equal(status, 201)
  assert.equal(Object.hasOwn(body, 'split'), false)
})
