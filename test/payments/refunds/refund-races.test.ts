import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { availableOf, fund, type Payer, payer, sendAll } from '../../helpers/payments/schedules.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { sized } from '../../helpers/service/parts.ts'
import { type Reply, startService } from '../../helpers/service/test-service.ts'

const env = { RATE_LIMIT_REFUNDS: '0', RATE_LIMIT_PAYOUTS: '0' }
const service = openedAndVerified(() => startService({ env }))
const other = opened(() => startService({ env, database: service.database }))

const clientsOf = ({ merchant }: Payer) =>
  [service, other].map((testService) => testService.client(merchant.keys.test)) as [Payer['api'], Payer['api']]
/** Repeats it until the service is not too busy to process it. */
async function refund(api: Payer['api'], id: string): Promise<Reply> {
  const headers = { 'idempotency-key': randomUUID() }
  for (;;) {
    const reply = await api.post(`/v1/charges/${id}/refund`, undefined, headers)
    if (reply.status !== 503) return reply
    await sleep(50)
  }
}

async function charges(api: Payer['api'], count: number): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: count }, () => api.charge({ customer: { phone: newPayer() } })))
  service.pass(2000)
  await service.run('follow-charges')
  return made.map(({ body }) => body.id)
}

/** One 202, `already_refunded` for all others, one payout and one event. */
async function assertRefundedOnce(shop: Payer, id: string, replies: readonly Reply[]) {
  const started = replies.filter(({ status }) => status === 202)
  assert.equal(started.length, 1)
  for (const { status, body } of replies)
    if (status !== 202) assert.deepEqual([status, body.code, body.error], [400, 'already_refunded', 'already_refunded'])
  const payouts = await service.rows<any>('select id, amount::int from payouts where charge_id = $1', [id])
  assert.deepEqual(payouts, [{ id: started[0]?.body.refund.id, amount: 5000 }])
  const events = await service.rows(`select 1 from events where subject = $1 and type = 'charge.refunded'`, [id])
  assert.equal(events.length, 1)
  assert.equal((await shop.api.get(`/v1/charges/${id}`)).body.refund_id, payouts[0]?.id)
}

for (const [count, places] of [
  [100, 1],
  [500, 1],
  [100, 2],
  [500, 2],
] as const)
  test(`${count} refunds of one charge at once over ${places === 1 ? 'one process' : 'two processes'} make one payout`, async () => {
    const shop = await payer(service, 1_000_000)
    const [id = ''] = await charges(shop.api, 1)
    const before = await availableOf(shop.api)
    const clients = clientsOf(shop).slice(0, places) as Payer['api'][]
    const shots = Array.from({ length: count }, (_, nth) => refund(clients[nth % places] as Payer['api'], id))
    await assertRefundedOnce(shop, id, await Promise.all(shots))
    assert.equal(await availableOf(shop.api), before - 5200)
    await sendAll(service)
    assert.equal(await availableOf(shop.api), before - 5000)
  })

test('many charges refunded at once, each asked for four times over two processes', async () => {
  const shop = await payer(service, 1_000_000)
  const ids = await charges(shop.api, 40)
  const [here, there] = clientsOf(shop)
  const before = await availableOf(shop.api)
  const replies = await Promise.all(
    ids.map((id) => Promise.all([here, there, there, here].map((api) => refund(api, id)))),
  )
  for (const [at, id] of ids.entries()) await assertRefundedOnce(shop, id, replies[at] as Reply[])
  assert.equal(await availableOf(shop.api), before - 40 * 5200)
})

test('a refund against a payout with money for one: exactly one of them is accepted, round after round', async () => {
  const shop = await payer(service)
  const [here, there] = clientsOf(shop)
  const wanted = { amount: 5000, recipient: { phone: '0700000000' } }
  const won = { refund: 0, payout: 0 }
  for (let round = 0; round < sized(10, 100); round += 1) {
    const [id = ''] = await charges(shop.api, 1)
    const have = await availableOf(shop.api)
    await fund(service, shop, 5200 - have)
    const first = round % 2 === 0 ? here : there
    const second = round % 4 < 2 ? there : here
    const [refunded, paid] = await Promise.all([refund(first, id), second.post('/v1/payouts', wanted)])
    const outcome = [refunded.status === 202, paid.status === 201]
    assert.equal(outcome.filter(Boolean).length, 1, `${refunded.text} ${paid.text}`)
    const loser = refunded.status === 202 ? paid : refunded
    assert.equal(loser.body.error, 'insufficient available balance: have 0, need 5200 (amount 5000 + fee 200)')
    won[refunded.status === 202 ? 'refund' : 'payout'] += 1
    assert.equal(await availableOf(shop.api), 0)
    await sendAll(service)
    // Pays out what is left, so that the next round begins with nothing.
    const left = await availableOf(shop.api)
    if (left > 200) await shop.api.post('/v1/payouts', { ...wanted, amount: left - 200 })
  }
  assert.equal(won.refund + won.payout, sized(10, 100))
})

test('with money for seven, of thirty refunds and thirty payouts at once seven are accepted', async () => {
  for (let round = 0; round < sized(1, 5); round += 1) {
    const shop = await payer(service)
    await service.set(shop.merchant, { testHold: 'realistic' })
    const ids = await charges(shop.api, 30)
    await fund(service, shop, 7 * 5200 + 5199)
    const clients = clientsOf(shop)
    const wanted = { amount: 5000, recipient: { phone: '0700000000' } }
    const replies = await Promise.all(
      ids.flatMap((id, nth) => [
        refund(clients[nth % 2] as Payer['api'], id),
        (clients[(nth + 1) % 2] as Payer['api']).post('/v1/payouts', wanted),
      ]),
    )
    const accepted = replies.filter(({ status }) => status === 202 || status === 201)
    assert.equal(accepted.length, 7)
    for (const { status, body } of replies)
      if (status >= 400) assert.deepEqual([status, body.code], [400, 'insufficient_balance'])
    assert.equal(await availableOf(shop.api), 5199)
    const refunded = await service.rows(`select 1 from charges where merchant_id = $1 and status = 'refunded'`, [
      shop.merchantId,
    ])
    assert.equal(refunded.length, replies.filter(({ status }) => status === 202).length)
  }
})
