import assert from 'node:assert/strict'
import test from 'node:test'
import { FEE } from '../../api/http/known-refusals.ts'
import { assertRefused, domain, invalid } from '../../api/http/refused.ts'
import { addSubaccounts, setStatus } from '../../helpers/payments/splits.ts'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

let api: Client
const ids = { A: '', B: '', away: '', foreign: '' }
const service = opened(() => startService())
prepare(async () => {
  const merchant = await service.merchant()
  api = service.client(merchant.keys.test)
  const own = await addSubaccounts(api, 'Farm A', 'Farm B', 'Gone away')
  const other = service.client((await service.merchant()).keys.test)
  const [foreign = ''] = await addSubaccounts(other, "Another merchant's")
  Object.assign(ids, { A: own[0], B: own[1], away: own[2], foreign })
  await setStatus(service, merchant, { id: ids.away, status: 'inactive' })
})

const share = { subaccount: 'sub_nobody', bps: 2500 }
const times = (count: number) => Array.from({ length: count }, () => share)
const A = (terms: object) => [{ subaccount: 'A', ...terms }]

// The net of the charge is 4800. A, B, away and foreign stand for the ids of subaccounts.
const SPLITS: [string, unknown[], string][] = [
  ['nobody', [], 'split must be a non-empty list'],
  ['21 parties', times(21), 'split supports at most 20 parties'],
  ['20 parties', times(20), 'unknown subaccount sub_nobody'],
  ['a text', ['sub_nobody'], 'split[0] must be an object'],
  ['null', [null], 'split[0] must be an object'],
  ['a list', [[share]], 'split[0] must be an object'],
  ['a text in second place', [...A({ amount: 1 }), 'B'], 'split[1] must be an object'],
  ['nobody in particular', [{}], 'split[0].subaccount is required'],
  ['a blank name', [{ subaccount: ' ', amount: 100 }], 'split[0].subaccount is required'],
  ['null as a name', [{ subaccount: null, amount: 100 }], 'split[0].subaccount is required'],
  ['a number as a name', [{ subaccount: 7, amount: 100 }], 'split[0].subaccount is required'],
  ['nobody in second place', [...A({ amount: 1 }), { amount: 1 }], 'split[1].subaccount is required'],
  ['one twice', [...A({ amount: 1 }), ...A({ bps: 100 })], 'duplicate subaccount A in split'],
  ['an unknown one with bps', [share], 'unknown subaccount sub_nobody'],
  ['an unknown one with an amount', [{ subaccount: 'sub_a', amount: 100 }], 'unknown subaccount sub_a'],
  ['a name of 100 characters', [{ subaccount: 's'.repeat(100) }], `unknown subaccount ${'s'.repeat(40)}`],
  ['a name with a line feed', [{ subaccount: 'sub\n_a' }], 'unknown subaccount sub_a'],
  ['a name that is code', [{ subaccount: "'; drop table charges" }], "unknown subaccount '; drop table charges"],
  ['an inherited name', [{ subaccount: 'constructor' }], 'unknown subaccount constructor'],
  ["another merchant's", [{ subaccount: 'foreign', amount: 100 }], 'unknown subaccount foreign'],
  ['an inactive one', [{ subaccount: 'away', amount: 100 }], 'subaccount away is not active'],
  ['neither amount nor bps', A({}), 'split[0] must have exactly one of amount, bps'],
  ['two nulls', A({ amount: null, bps: null }), 'split[0] must have exactly one of amount, bps'],
  ['both amount and bps', A({ amount: 100, bps: 100 }), 'split[0] must have exactly one of amount, bps'],
  ['an amount in text', A({ amount: '100' }), 'split[0].amount must be an integer'],
  ['half a shilling', A({ amount: 0.5 }), 'split[0].amount must be an integer'],
  ['true as an amount', A({ amount: true }), 'split[0].amount must be an integer'],
  ['an amount of 0', A({ amount: 0 }), 'split[0].amount must be positive'],
  ['a negative amount', A({ amount: -1 }), 'split[0].amount must be positive'],
  ['bps in text', A({ bps: '2500' }), 'split[0].bps must be an integer'],
  ['half a basis point', A({ bps: 0.5 }), 'split[0].bps must be an integer'],
  ['0 bps', A({ bps: 0 }), 'split[0].bps must be in 1..10000'],
  ['10001 bps', A({ bps: 10_001 }), 'split[0].bps must be in 1..10000'],
  ['2 bps of 4800', A({ bps: 2 }), 'split[0].bps of 2 resolves to zero on net 4800'],
  ['4801 of 4800', A({ amount: 4801 }), 'split total 4801 exceeds the net amount 4800 (amount minus fee)'],
  [
    'two that are too much together',
    [...A({ amount: 4000 }), { subaccount: 'B', bps: 1669 }],
    'split total 4801 exceeds the net amount 4800 (amount minus fee)',
  ],
  [
    'more than a number can count exactly',
    [...A({ amount: 9_007_199_254_740_992 }), { subaccount: 'B', amount: 1 }],
    'split total 9007199254740993 exceeds the net amount 4800 (amount minus fee)',
  ],
]
// What the first fault is, when there are several: that of the first party, and of its own in the order of the contract.
const FIRST: [string, unknown[], string][] = [
  ['an unknown one before a text', [share, 'B'], 'unknown subaccount sub_nobody'],
  ['an inactive one without terms', [{ subaccount: 'away' }], 'subaccount away is not active'],
  ['an unknown one twice', [share, share], 'unknown subaccount sub_nobody'],
  [
    'too much before a fault',
    [...A({ amount: 9000 }), { subaccount: 'B' }],
    'split[1] must have exactly one of amount, bps',
  ],
]

for (const [name, written, problem] of [...SPLITS, ...FIRST])
  test(`a split with ${name} is refused with "${problem}" and kept under its key`, async () => {
    const split = written.map((one) => withId(one))
    const before = await service.digest()
    const key = { 'idempotency-key': `split with ${name}` }
    const first = await api.charge({ split }, key)
    assertRefused(first, domain('invalid_split', `invalid split: ${withIds(problem)}`))
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

test('the rules of the charge come before those of its split', async () => {
  const reply = await api.charge({ amount: 200, split: [] })
  assertRefused(reply, FEE)
})

test('a refused split in one batch with good ones harms none of them', async () => {
  const good = { split: [{ subaccount: ids.A, amount: 100 }] }
  const replies = await Promise.all([api.charge(good), api.charge({ split: [share] }), api.charge(), api.charge(good)])
  assert.deepEqual(
    replies.map(({ status }) => status),
    [201, 400, 201, 201],
  )
})

function withId(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  const { subaccount } = item as { subaccount?: unknown }
  const id = Object.entries(ids).find(([name]) => name === subaccount)?.[1]
  return id === undefined ? item : { ...item, subaccount: id }
}

/** A text names ids, cut to 40 characters; these are shorter. */
function withIds(problem: string): string {
  return problem.replace(/subaccount (A|B|away|foreign)\b/, (_, name: keyof typeof ids) => `subaccount ${ids[name]}`)
}
