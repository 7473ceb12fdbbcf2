import assert from 'node:assert/strict'
import test from 'node:test'
import { availableOf, fund, type Payer, payer, sendAll } from '../../../helpers/payments/schedules.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0' } }))

const item = (reference: string | undefined, more: object = {}) => ({
  amount: 1000,
  phone: '0700000000',
  reference,
  ...more,
})
const bulk = async (api: Payer['api'], payouts: object[], headers = {}): Promise<any[]> => {
  const { status, body } = await api.post('/v1/payouts/bulk', { payouts }, headers)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.accepted + body.failed, body.total)
  return body.results
}
const conflict = (index: number, reference: string) => ({
  index,
  ok: false,
  error: 'reference reused with different payout details',
  code: 'reference_conflict',
  reference,
  replayed: false,
  retryable: false,
  metadata: {},
})

test('a reference is paid once in one batch: the same details are a replay, others a conflict', async () => {
  const { api } = await payer(service, 10_000)
  const [first, same, otherForm, ...others] = await bulk(api, [
    item('r'),
    item('r'),
    item('r', { phone: '+256 (700) 000-000', name: 'Somebody' }),
    item('r', { amount: 1001 }),
    item('r', { phone: '0700000009' }),
    item('r', { channel: 'card' }),
  ])
  const { body: payout } = await api.get(`/v1/payouts/${first.id}`)
  assert.deepEqual([first.replayed, first.first_accepted_at], [false, undefined])
  for (const [index, replay] of [
    [1, same],
    [2, otherForm],
  ] as const)
    assert.deepEqual(replay, { ...first, index, replayed: true, first_accepted_at: payout.created_at })
  assert.deepEqual(others, [conflict(3, 'r'), conflict(4, 'r'), conflict(5, 'r')])
  assert.equal(await availableOf(api), 10_000 - 1200)
})

test('a reference is paid only once across all batches, and the replay says when it was accepted', async () => {
  const { api } = await payer(service, 10_000)
  const [first] = await bulk(api, [item('july')])
  const { body: payout } = await api.get(`/v1/payouts/${first.id}`)
  await sendAll(service)
  service.pass(40 * 86_400_000)
  await service.run('prune')
  const [replay, other] = await bulk(api, [item('july'), item('july', { amount: 2000 })])
  assert.deepEqual(replay, {
    ...first,
    status: 'succeeded',
    replayed: true,
    first_accepted_at: payout.created_at,
  })
  assert.deepEqual(other, conflict(1, 'july'))
  assert.equal(await availableOf(api), 10_000 - 1200)
})

test('a refused item frees its reference, for the same batch and for later ones', async () => {
  const shop = await payer(service, 1200)
  const [tooMuch, fits, later] = await bulk(shop.api, [
    item('a', { amount: 5000 }),
    item('a'),
    item('b', { amount: 3000 }),
  ])
  assert.deepEqual([tooMuch.ok, fits.ok, fits.replayed, later.ok], [false, true, false, false])
  await fund(service, shop, 5000)
  const [a, b] = await bulk(shop.api, [item('a'), item('b', { amount: 4000 })])
  assert.deepEqual([a.id, a.replayed], [fits.id, true])
  assert.deepEqual([b.ok, b.replayed], [true, false])
})

test('an item that could not be read frees its reference too', async () => {
  const { api } = await payer(service, 10_000)
  const [unread, paid] = await bulk(api, [item('r', { phone: 'nobody' }), item('r')])
  assert.deepEqual([unread.code, unread.reference, paid.ok, paid.replayed], ['invalid_item', 'r', true, false])
})

test('a payout that fails keeps its reference: the replay shows it, and only another reference pays', async () => {
  const { api } = await payer(service, 10_000)
  const lost = { phone: '0700000001' }
  const [first] = await bulk(api, [item('r', lost)])
  await sendAll(service)
  assert.equal(await availableOf(api), 10_000)
  const [replay, again] = await bulk(api, [item('r', lost), item('r again')])
  assert.deepEqual([replay.id, replay.ok, replay.status, replay.replayed], [first.id, true, 'failed', true])
  assert.deepEqual([again.ok, again.replayed], [true, false])
})

test('repeating with a new key after a time-out pays nobody twice, in whatever order', async () => {
  const { api } = await payer(service, 100_000)
  const people = Array.from({ length: 20 }, (_, nth) => item(`wage ${nth}`, { phone: `07000001${10 + nth}` }))
  const paid = await bulk(api, people)
  const repeated = await bulk(api, [...people].reverse())
  assert.ok(repeated.every((one) => one.ok && one.replayed))
  assert.deepEqual(
    repeated.map(({ id }) => id),
    paid.map(({ id }) => id).reverse(),
  )
  const lines = people.map(({ phone, amount, reference }) => `${reference},${phone},${amount}`)
  const csv = ['ref,phone,amount', ...lines].join('\n')
  const { body } = await api.post('/v1/payouts/bulk', csv, { 'content-type': 'text/csv' })
  assert.ok(
    body.results.every((result: any) => result.replayed),
    'as a CSV it is the same',
  )
  assert.equal(await availableOf(api), 100_000 - 20 * 1200)
})

test('without a reference, key and index identify the item: another key pays again', async () => {
  const { api } = await payer(service, 10_000)
  const items = [item(undefined), item(undefined)]
  const [first, second] = await bulk(api, items, { 'idempotency-key': 'k1' })
  assert.deepEqual([first.reference, second.reference, second.replayed], ['k1-0', 'k1-1', false])
  const other = await bulk(api, items, { 'idempotency-key': 'k2' })
  assert.ok(other.every((one) => one.ok && !one.replayed))
  const [named] = await bulk(api, [item('k1-0')])
  assert.deepEqual([named.id, named.replayed], [first.id, true], 'it is a reference like any other')
  assert.equal(await availableOf(api), 10_000 - 4 * 1200)
})

test("references are separate for each merchant, and a single payout's reference does not count", async () => {
  const [own, other] = [await payer(service, 10_000), await payer(service, 10_000)]
  const single = { amount: 1000, recipient: { phone: '0700000000' }, reference: 'r' }
  assert.equal((await own.api.post('/v1/payouts', single)).status, 201)
  const [paid] = await bulk(own.api, [item('r')])
  const [theirs] = await bulk(other.api, [item('r', { amount: 2000 })])
  assert.deepEqual([paid.ok, paid.replayed, theirs.ok, theirs.replayed], [true, false, true, false])
  assert.equal((await own.api.post('/v1/payouts', single)).status, 201)
  assert.equal(await availableOf(own.api), 10_000 - 3 * 1200)
})

test('references that differ in a single character are different', async () => {
  const { api } = await payer(service, 100_000)
  const names = ['Wage', 'wage', 'wäge', 'wa\u0308ge', 'wage 1', "w'age", '%', '_', 'constructor', '__proto__']
  const results = await bulk(
    api,
    [...names, ...names].map((name) => item(name)),
  )
  assert.deepEqual(
    results.map((result) => result.replayed),
    [...names.map(() => false), ...names.map(() => true)],
  )
  assert.deepEqual(
    results.map((result) => result.reference),
    [...names, ...names],
  )
})
