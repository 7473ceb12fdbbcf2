import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import test from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { opened } from '../../helpers/service/opened.ts'
import { CHARGE, startService } from '../../helpers/service/test-service.ts'

const receiver = opened(() => startReceiver())
const service = opened(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))

test('a charge is accepted, paid, posted, shown in the balance and announced to the merchant', async () => {
  const merchant = await service.merchant()
  await service.set(merchant, { webhookUrl: receiver.url })
  const api = service.client(merchant.keys.test)

  const accepted = await api.charge({
    reference: 'order-1',
    customer: { phone: '+256 700 000 000', email: 'A@b.ug' },
  })
  assert.equal(accepted.status, 201)
  assert.equal(accepted.body.status, 'authorized')
  assert.equal(accepted.body.fee, 200)
  assert.equal(accepted.body.net, 4800)
  assert.equal(accepted.body.completed_at, null)
  assert.match(accepted.body.rail_reference, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)

  assert.equal(await service.run('follow-charges'), 0, 'nothing is due before the two seconds have passed')
  service.pass(2000)
  assert.equal(await service.run('follow-charges'), 1)

  const { body: paid } = await api.get(`/v1/charges/${accepted.body.id}`)
  assert.equal(paid.status, 'succeeded')
  assert.equal(paid.settled, true)
  assert.equal(paid.available_on, paid.completed_at)
  assert.equal(paid.rail_reference, accepted.body.rail_reference)

  const { body: balance } = await api.get('/v1/balance')
  assert.deepEqual(balance.balances, [{ currency: 'UGX', available: 4800, pending: 0, total: 4800, cached: 4800 }])
  assert.equal(balance.consistent, true)
  const { body: settlements } = await api.get('/v1/settlements')
  assert.deepEqual(
    settlements.data.map(({ amount, kind, charge_count }: any) => ({ amount, kind, charge_count })),
    [{ amount: 4800, kind: 'instant', charge_count: 1 }],
  )

  assert.equal(await service.run('send-deliveries'), 1)
  const told = receiver.received.at(-1)
  assert.ok(told)
  assert.equal(
    told.headers['x-service-signature'],
    createHmac('sha256', merchant.webhook_secret).update(told.body).digest('hex'),
  )
  const signed = `${told.headers['webhook-id']}.${told.headers['webhook-timestamp']}.${told.body}`
  const key = Buffer.from(merchant.webhook_secret.slice('whsec_'.length), 'base64')
  assert.equal(told.headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  assert.equal(told.event.event, 'charge.succeeded')
  assert.equal(told.event.id, told.headers['webhook-id'])
  assert.deepEqual(told.event.data, {
    id: paid.id,
    mode: 'test',
    status: 'succeeded',
    amount: 5000,
    fee: 200,
    net: 4800,
    gift_card_amount: 0,
    currency: 'UGX',
    channel: 'op1_momo',
    customer: { phone: '256700000000', name: null, email: 'A@b.ug' },
    metadata: {},
    reference: 'order-1',
    merchant_reference: 'order-1',
    rail_reference: paid.rail_reference,
    failure_reason: null,
    payment_link_id: null,
    created_at: paid.created_at,
    completed_at: paid.completed_at,
    settled: true,
    available_on: paid.available_on,
  })
  const { body: deliveries } = await api.get('/v1/webhooks')
  assert.equal(deliveries.data[0].status, 'sent')
  assert.equal(deliveries.data[0].last_response_code, 200)
  assert.equal(deliveries.data[0].attempts, 1)
})

test('a charge that is due while its table cannot be read is paid by the very next run', async () => {
  const api = service.client((await service.merchant()).keys.test)
  const { body } = await api.charge()
  service.pass(2000)
  await service.rows('alter table charges rename to charges_away')
  try {
    await assert.rejects(service.run('follow-charges'))
  } finally {
    await service.rows('alter table charges_away rename to charges')
  }
  assert.equal(await service.run('follow-charges'), 1)
  assert.equal((await api.get(`/v1/charges/${body.id}`)).body.status, 'succeeded')
})

test('the same request again gets the same bytes, and never makes a second charge', async () => {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  const key = { 'idempotency-key': 'one-key' }
  const first = await api.charge({}, key)
  service.pass(3000)
  await service.run('follow-charges')
  const again = await api.charge({}, key)
  assert.equal(again.status, 201)
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(first.headers.get('idempotent-replayed'), null)
  assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
  assert.equal((await api.get('/v1/charges')).body.data.length, 1)
  const sameInOtherOrder = await api.post(
    '/v1/charges',
    JSON.stringify(Object.fromEntries(Object.entries(CHARGE).reverse()), null, 3),
    key,
  )
  assert.equal(sameInOtherOrder.text, first.text, 'the order of fields and white space do not make another request')
})

for (const [phone, reason] of [
  ['0700000001', 'insufficient_funds'],
  ['+256 (700) 000-002', 'user_cancelled'],
  ['256700000003', 'timeout'],
] as const)
  test(`a sandbox charge to ${phone} fails with ${reason}, moves no money and sends one event`, async () => {
    const merchant = await service.merchant()
    const api = service.client(merchant.keys.test)
    const { body } = await api.charge({ customer: { phone } })
    service.pass(2000)
    await service.run('follow-charges')
    await service.run('follow-charges')
    const { body: failed } = await api.get(`/v1/charges/${body.id}`)
    assert.equal(failed.status, 'failed')
    assert.equal(failed.failure_reason, reason)
    assert.notEqual(failed.completed_at, null)
    assert.equal(failed.available_on, null)
    assert.equal((await api.get('/v1/balance')).body.balances[0].total, 0)
    const events = await service.rows<{ type: string }>('select type from events where subject = $1', [body.id])
    assert.deepEqual(events, [{ type: 'charge.failed' }])
    assert.equal((await service.rows('select 1 from transfers where subject = $1', [body.id])).length, 0)
  })

test('a realistic hold keeps the money pending for 24 hours of the test clock', async () => {
  const merchant = await service.merchant()
  await service.set(merchant, { testHold: 'realistic' })
  const api = service.client(merchant.keys.test)
  const { body } = await api.charge()
  service.pass(2000)
  await service.run('follow-charges')
  const held = (await api.get(`/v1/charges/${body.id}`)).body
  assert.equal(held.settled, false)
  assert.equal(Date.parse(held.available_on) - Date.parse(held.completed_at), 86_400_000)
  assert.deepEqual(pick((await api.get('/v1/balance')).body), { available: 0, pending: 4800 })
  service.pass(86_399_000)
  assert.equal(await service.run('settle-charges'), 0)
  service.pass(2000)
  assert.equal(await service.run('settle-charges'), 1)
  assert.equal(await service.run('settle-charges'), 0, 'each charge is released once')
  assert.deepEqual(pick((await api.get('/v1/balance')).body), { available: 4800, pending: 0 })
  const released = (await api.get(`/v1/charges/${body.id}`)).body
  assert.equal(released.settled, true)
})

const pick = (body: any) => ({ available: body.balances[0].available, pending: body.balances[0].pending })
