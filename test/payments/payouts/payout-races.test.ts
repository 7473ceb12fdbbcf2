import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { somebodyWaits } from '../../helpers/database/lock-waits.ts'
import { eventsOf } from '../../helpers/database/money-rows.ts'
import { postingsOf, RETURNED } from '../../helpers/payments/payout-money.ts'
import { pay, payoutOf } from '../../helpers/payments/payouts.ts'
import { availableOf, type Payer, payer, sendAll } from '../../helpers/payments/schedules.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, type Reply, startService } from '../../helpers/service/test-service.ts'

const env = { RATE_LIMIT_PAYOUTS: '0' }
const service = openedAndVerified(() => startService({ env }))
const other = opened(() => startService({ env, database: service.database, clock: service.clock }))

const clientsOf = ({ merchant }: Payer) =>
  [service, other].map((testService) => testService.client(merchant.keys.test)) as [Client, Client]
const statusesOf = (replies: readonly Reply[], status: number) => replies.filter((reply) => reply.status === status)
const times = <T>(count: number, make: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => make(nth)))

for (const places of [1, 2])
  test(`of 100 payouts of 10,000 at once on 500,000 over ${places} services 49 are accepted and 200 stay`, async () => {
    const shop = await payer(service, 500_000)
    const clients = clientsOf(shop)
    const replies = await times(100, (nth) => pay(clients[nth % places] as Client, { amount: 10_000 }))
    const accepted = statusesOf(replies, 201)
    assert.equal(accepted.length, 49)
    const refused = statusesOf(replies, 400)
    assert.equal(refused.length, 51)
    for (const { body } of refused) {
      assert.equal(body.code, 'insufficient_balance')
      assert.match(body.error, /^insufficient available balance: have \d+, need 10200 \(amount 10000 \+ fee 200\)$/)
    }
    assert.equal(await availableOf(shop.api), 200)
    await sendAll(service)
    assert.equal(await availableOf(shop.api), 200)
    const listed = (await shop.api.get('/v1/payouts?status=succeeded&limit=100')).body.data
    assert.deepEqual(listed.map(({ id }: any) => id).sort(), accepted.map(({ body }) => body.id).sort())
    for (const { body } of accepted) assert.equal((await eventsOf(service, body.id)).length, 1)
  })

test('of thirty payouts at once with money for three, three are accepted and the rest of the money stays', async () => {
  for (let round = 0; round < 5; round += 1) {
    const shop = await payer(service, 3 * 5200 + 5199)
    const clients = clientsOf(shop)
    const replies = await times(30, (nth) => pay(clients[nth % 2] as Client))
    assert.equal(statusesOf(replies, 201).length, 3)
    assert.equal(await availableOf(shop.api), 5199)
  }
})

test('one key a hundred times at once over two services is one payout: the others get "in flight" or a replay', async () => {
  const shop = await payer(service, 100_000)
  const clients = clientsOf(shop)
  const key = { 'idempotency-key': 'all at once' }
  const replies = await times(100, (nth) => pay(clients[nth % 2] as Client, {}, key))
  const ids = new Set(statusesOf(replies, 201).map(({ body }) => body.id))
  assert.equal(ids.size, 1)
  for (const { status, body } of replies)
    if (status !== 201)
      assert.deepEqual(
        [status, body.error],
        [409, 'a request with this Idempotency-Key is still in flight - retry shortly'],
      )
  assert.equal(await availableOf(shop.api), 100_000 - 5200)
  assert.equal((await shop.api.get('/v1/payouts')).body.data.length, 1)
})

test('one key on charges and payouts at once: one of them runs, the other gets a 409', async () => {
  const shop = await payer(service, 1_000_000)
  const [here, there] = clientsOf(shop)
  for (let round = 0; round < 20; round += 1) {
    const key = { 'idempotency-key': `shared ${round}` }
    const swapped = round % 2 === 0
    const replies = await Promise.all([(swapped ? here : there).charge({}, key), pay(swapped ? there : here, {}, key)])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409], `round ${round}`)
    const loser = replies[0]?.status === 409 ? here.charge({}, key) : pay(here, {}, key)
    assert.equal((await loser).body.error, 'idempotency key reused with different request body')
    const rows = await service.rows('select 1 from idempotency_keys where merchant_id = $1 and key = $2', [
      shop.merchantId,
      `shared ${round}`,
    ])
    assert.equal(rows.length, 1)
  }
})

test('of twenty at once with the switch at three exactly three fail, and the switch is used up', async () => {
  for (const places of [1, 2]) {
    const shop = await payer(service, 20 * 5200)
    await service.set(shop.merchant, { failNextPayouts: 3, failNextReason: 'wallet_locked' })
    const clients = clientsOf(shop)
    const replies = await times(20, (nth) => pay(clients[nth % places] as Client))
    assert.equal(statusesOf(replies, 201).length, 20)
    await sendAll(service)
    const { data } = (await shop.api.get('/v1/payouts?status=failed')).body
    assert.deepEqual(
      data.map(({ failure_reason }: any) => failure_reason),
      Array(3).fill('wallet_locked'),
    )
    assert.equal(await availableOf(shop.api), 3 * 5200)
    for (const { id } of data) assert.deepEqual(await postingsOf(service, id), RETURNED)
    const [left] = await service.rows(
      'select fail_next_payouts as left, fail_next_reason as reason from merchants where id = $1',
      [shop.merchantId],
    )
    assert.deepEqual(left, { left: 0, reason: null })
  }
})

test('the switch wins over the phone table, counts commits one by one, and is not used by a refused payout', async () => {
  const shop = await payer(service, 3 * 5200)
  await service.set(shop.merchant, { failNextPayouts: 2, failNextReason: 'rail_rejected' })
  assert.equal((await pay(shop.api, { amount: 0 })).status, 400)
  assert.equal((await pay(shop.api, { amount: 900_000 })).body.code, 'insufficient_balance')
  assert.equal((await pay(shop.api, { channel: 'card' })).status, 400)
  assert.equal((await pay(shop.api, { amount: 'x' })).status, 400)
  const key = { 'idempotency-key': 'first' }
  const made = [
    await pay(shop.api, { recipient: { phone: '0700000001' } }, key),
    await pay(shop.api, { recipient: { phone: '0700000001' } }, key),
    await pay(shop.api),
    await pay(shop.api, { recipient: { phone: '0700000003' } }),
  ]
  await sendAll(service)
  const reasons = await Promise.all(made.map(async ({ body }) => (await payoutOf(shop.api, body.id)).failure_reason))
  assert.deepEqual(reasons, ['rail_rejected', 'rail_rejected', 'rail_rejected', 'timeout'])
  await service.set(shop.merchant, { failNextPayouts: 1, failNextReason: 'timeout' })
  const stranger = await payer(service, 5200)
  const { body } = await pay(stranger.api)
  await sendAll(service)
  assert.equal((await payoutOf(stranger.api, body.id)).status, 'succeeded', "nobody else's switch")
})

test('two workers at once end each of many payouts once', async () => {
  const shop = await payer(service, 1_000_000)
  const made = await times(120, (nth) =>
    pay(shop.api, { amount: 1000, recipient: { phone: nth % 3 === 0 ? '0700000001' : '0700000000' } }),
  )
  service.pass(2000)
  for (let round = 0; round < 3; round += 1)
    await Promise.all([service, other, service, other].map((worker) => worker.run('send-payouts')))
  for (const [nth, { body }] of made.entries()) {
    const failed = nth % 3 === 0
    const { status } = await payoutOf(shop.api, body.id)
    assert.equal(status, failed ? 'failed' : 'succeeded')
    assert.equal((await postingsOf(service, body.id)).length, failed ? 2 : 3)
    assert.equal((await eventsOf(service, body.id)).length, 1)
  }
  assert.equal(await availableOf(shop.api), 1_000_000 - 80 * 1200)
})

test('a payout whose month was closed while it waited is dated after that month', async () => {
  const shop = await payer(service, 100_000)
  const closed = await closingMonth(shop, () => pay(shop.api))
  assert.equal(closed.reply.status, 201)
  assert.ok(Date.parse(closed.reply.body.created_at) >= closed.until, 'it is of the new month')
  assert.equal(await availableOf(shop.api), 100_000 - 5200)
})

test('a payout that ends as a month is closed is posted after it', async () => {
  const shop = await payer(service, 100_000)
  const { body } = await pay(shop.api)
  service.pass(2000)
  const { until } = await closingMonth(shop, () => service.run('send-payouts'))
  const paid = await payoutOf(shop.api, body.id)
  assert.equal(paid.status, 'succeeded')
  assert.ok(Date.parse(paid.completed_at) >= until)
  const [late] = await service.rows<{ at: Date }>(
    "select at from transfers where subject = $1 and kind = 'payout_sent'",
    [body.id],
  )
  assert.ok((late?.at.getTime() ?? 0) >= until)
})

/** Starts `act` while the ledger head is locked, closes the month past its time, and releases the lock. */
async function closingMonth<T>(shop: Payer, act: () => Promise<T>): Promise<{ reply: T; until: number }> {
  const holder = new pg.Client({ connectionString: service.database.url })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from cell_0.ledger_heads where merchant_id = $1 for update', [shop.merchantId])
    const acting = act()
    await somebodyWaits(service)
    service.pass(2000)
    const until = service.clock.nowMs() - 1000
    await holder.query('update cell_0.ledger_heads set closed_until = $2 where merchant_id = $1', [
      shop.merchantId,
      new Date(until).toISOString(),
    ])
    await holder.query('commit')
    return { reply: await acting, until }
  } finally {
    await holder.end()
  }
}
