import assert from 'node:assert/strict'
import { request } from 'node:http'
import test from 'node:test'
import { payoutFee } from '../../../../src/ledger/fees.ts'
import { availableOf, type Payer, payer } from '../../../helpers/payments/schedules.ts'
import { eventually } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { type Reply, startService } from '../../../helpers/service/test-service.ts'

const env = { RATE_LIMIT_PAYOUTS: '0' }
const service = openedAndVerified(() => startService({ env }))
const other = opened(() => startService({ env, database: service.database }))

const BULK = '/v1/payouts/bulk'
const ROUNDS = 5
const IN_FLIGHT = 'a payout with this reference is still in flight'
const items = (count: number, amount = 1000) =>
  Array.from({ length: count }, (_, nth) => ({ amount, phone: '0700000000', reference: `r${nth}` }))
const clientsOf = ({ merchant }: Payer) =>
  [service, other].map((testService) => testService.client(merchant.keys.test)) as [Payer['api'], Payer['api']]

/** Each reference has one payout and was paid once; each result names that payout or says that it is in flight. */
async function assertPaidOnce(shop: Payer, replies: readonly Reply[], references: number) {
  const rows = await service.rows<{ id: string; reference: string }>(
    'select id, reference from payouts where merchant_id = $1',
    [shop.merchantId],
  )
  const idOf = new Map(rows.map(({ id, reference }) => [reference, id]))
  assert.deepEqual([rows.length, idOf.size], [references, references])
  const paidBy: string[] = []
  for (const { status, body } of replies) {
    assert.equal(status, 200, JSON.stringify(body))
    for (const one of body.results) {
      if (one.ok) assert.equal(one.id, idOf.get(one.reference))
      else assert.deepEqual([one.error, one.code, one.retryable], [IN_FLIGHT, 'reference_in_flight', true])
      if (one.ok && !one.replayed) paidBy.push(one.reference)
    }
  }
  assert.equal(paidBy.length, references, 'one result of all says that it paid')
  assert.equal(new Set(paidBy).size, references)
}

test('two bulks with the same references at once over two processes pay each reference once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const shop = await payer(service, 10_000_000)
    const payouts = items(450)
    const replies = await Promise.all(clientsOf(shop).map((api) => api.post(BULK, { payouts })))
    await assertPaidOnce(shop, replies, 450)
    assert.equal(await availableOf(shop.api), 10_000_000 - 450 * 1200)
  }
})

test('the same in opposite order, and with four at once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const shop = await payer(service, 10_000_000)
    const [here, there] = clientsOf(shop)
    const payouts = items(450)
    const backwards = [...payouts].reverse()
    const replies = await Promise.all([
      here.post(BULK, { payouts }),
      there.post(BULK, { payouts: backwards }),
      ...(round % 2 === 0 ? [] : [here.post(BULK, { payouts: backwards }), there.post(BULK, { payouts })]),
    ])
    await assertPaidOnce(shop, replies, 450)
    assert.equal(await availableOf(shop.api), 10_000_000 - 450 * 1200)
    const { body } = await here.post(BULK, { payouts })
    assert.equal(body.accepted, 450)
    assert.ok(body.results.every((result: any) => result.replayed))
  }
})

test('with money for half of them, two bulks at once spend what is available and no more', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const shop = await payer(service, 150 * 1200 + 1199)
    const replies = await Promise.all(
      clientsOf(shop).map((api, at) =>
        api.post(BULK, {
          payouts: items(300).map((one) => ({ ...one, reference: `${at} ${one.reference}` })),
        }),
      ),
    )
    assert.ok(replies.every(({ status }) => status === 200))
    const results = replies.flatMap(({ body }) => body.results)
    assert.equal(results.filter(({ ok }: any) => ok).length, 150)
    for (const one of results.filter(({ ok }: any) => !ok)) assert.equal(one.code, 'insufficient_balance')
    assert.equal(await availableOf(shop.api), 1199)
  }
})

test('one key twice at once over two processes is one batch: the second call gets "in flight" or a replay', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const shop = await payer(service, 10_000_000)
    const key = { 'idempotency-key': 'together' }
    const shots = [...clientsOf(shop), ...clientsOf(shop)].map((api) => api.post(BULK, { payouts: items(300) }, key))
    const replies = await Promise.all(shots)
    const first = replies.filter(({ status, headers }) => status === 200 && !headers.get('idempotent-replayed'))
    assert.equal(first.length, 1)
    for (const { status, body } of replies) {
      if (status === 200) assert.equal(body.batch_id, first[0]?.body.batch_id)
      else assert.match(body.error, /^a request with this Idempotency-Key is still in flight/)
      assert.ok(status === 200 || status === 409, String(status))
    }
    assert.equal(await availableOf(shop.api), 10_000_000 - 300 * 1200)
  }
})

test('of 1,000 items with money for 617 exactly the first 617 are paid', async () => {
  const shop = await payer(service, 617 * 5200 + 5199)
  const { body } = await shop.api.post(BULK, { payouts: items(1000, 5000) })
  assert.deepEqual([body.total, body.accepted, body.failed], [1000, 617, 383])
  for (const [at, one] of body.results.entries()) {
    assert.deepEqual([one.index, one.ok, one.reference], [at, at < 617, `r${at}`])
    if (at >= 617)
      assert.equal(one.error, 'insufficient available balance: have 5199, need 5200 (amount 5000 + fee 200)')
  }
  assert.equal(await availableOf(shop.api), 5199)
  const [sum] = await service.rows<any>(
    `select sum(amount + fee)::int as reserved, min(item_index) as first, max(item_index) as last, count(*)::int as count
     from payouts where merchant_id = $1`,
    [shop.merchantId],
  )
  assert.deepEqual(sum, { reserved: 617 * 5200, first: 0, last: 616, count: 617 })
})

test('each item uses the money available at its turn: one that costs too much is refused, a cheaper one after it is paid', async () => {
  const funds = 20_000_000
  const amounts = Array.from({ length: 1000 }, (_, nth) => ((nth * 7919) % 997) * 997 + 1)
  const shop = await payer(service, funds)
  let left = funds
  const expected = amounts.map((amount) => {
    const cost = amount + payoutFee(amount)
    if (cost > left) return false
    left -= cost
    return true
  })
  const payouts = amounts.map((amount) => ({ amount, phone: '0700000000' }))
  const { body } = await shop.api.post(BULK, { payouts })
  assert.deepEqual(
    body.results.map(({ ok }: any) => ok),
    expected,
  )
  assert.ok(expected.indexOf(false) < expected.lastIndexOf(true), 'some are passed over')
  assert.equal(await availableOf(shop.api), left)
})

test('a bulk is finished even if its client has disconnected', async () => {
  const shop = await payer(service, 10_000_000)
  const body = JSON.stringify({ payouts: items(1000) })
  const key = { 'idempotency-key': 'gone' }
  const { hostname, port } = new URL(service.url)
  const headers = {
    ...key,
    authorization: `Bearer ${shop.merchant.keys.test}`,
    'x-timestamp': String(Math.floor(service.clock.nowMs() / 1000)),
  }
  const batch = () =>
    service.rows<{ done: number }>('select done from bulk_batches where merchant_id = $1', [shop.merchantId])
  const sent = request({ hostname, port, method: 'POST', path: BULK, headers })
  sent.on('error', () => {})
  sent.end(body)
  await eventually('the batch is stored', async () => (await batch()).length === 1)
  sent.destroy()
  await eventually('the batch is done', async () => (await batch())[0]?.done === 1000)
  await eventually('the answer is kept', async () => {
    const { status, headers, body } = await shop.api.post(BULK, { payouts: items(1000) }, key)
    if (status === 409) return false
    assert.deepEqual([status, headers.get('idempotent-replayed'), body.accepted], [200, 'true', 1000])
    return true
  })
  assert.equal(await availableOf(shop.api), 10_000_000 - 1000 * 1200)
})
