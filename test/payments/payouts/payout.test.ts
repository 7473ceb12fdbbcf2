import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { FEE_EDGES } from '../../helpers/payments/fee-edges.ts'
import { PAID, postingsOf, RETURNED } from '../../helpers/payments/payout-money.ts'
import { ACCEPTED, PAYOUT, pay, payoutOf } from '../../helpers/payments/payouts.ts'
import { availableOf, payer, sendAll } from '../../helpers/payments/schedules.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({
    env: { WEBHOOK_ALLOW_PRIVATE: receiver.place, RATE_LIMIT_PAYOUTS: '0' },
  }),
)

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('a payout is accepted, sent, posted, shown in the balance and announced to the merchant', async () => {
  const { merchant, api } = await payer(service, 100_000)
  await service.set(merchant, { webhookUrl: receiver.url })
  const recipient = { phone: '+256 (700) 123-456', name: 'Jane O’Hara' }
  const accepted = await pay(api, { amount: 20_000, recipient, reference: 'salary-1' })
  assert.equal(accepted.status, 201)
  const { id, rail_reference, created_at } = accepted.body
  assert.match(id, /^pout_[a-z0-9]{21,}$/)
  assert.match(rail_reference, UUID_4)
  assert.match(created_at, TIME)
  assert.deepEqual(accepted.body, {
    ...ACCEPTED,
    id,
    mode: 'test',
    amount: 20_000,
    fee: 300,
    recipient_phone: '256700123456',
    recipient_name: 'Jane O’Hara',
    rail_reference,
    reference: 'salary-1',
    created_at,
  })
  assert.equal(await availableOf(api), 100_000 - 20_300, 'amount and fee leave at acceptance')
  assert.deepEqual(await payoutOf(api, id), accepted.body)
  assert.equal(await service.run('send-payouts'), 0, 'nothing is due before the two seconds have passed')
  assert.deepEqual(await eventsOf(service, id), [])

  service.pass(2000)
  assert.equal(await service.run('send-payouts'), 1)
  assert.equal(await service.run('send-payouts'), 0, 'once')
  const paid = await payoutOf(api, id)
  assert.match(paid.rail_transaction_id, /^[0-9]+$/)
  assert.match(paid.completed_at, TIME)
  const { rail_transaction_id, completed_at } = paid
  assert.deepEqual(paid, { ...accepted.body, status: 'succeeded', rail_transaction_id, completed_at })
  assert.deepEqual((await api.get('/v1/payouts')).body.data, [paid])
  assert.equal(await availableOf(api), 100_000 - 20_300)
  assert.deepEqual(await transfersOf(service, id), [
    { kind: 'payout_reserve', amount: 20_300, mode: 'test' },
    { kind: 'payout_sent', amount: 20_000, mode: 'test' },
    { kind: 'payout_fee', amount: 300, mode: 'test' },
  ])

  assert.equal(await service.run('send-deliveries'), 1)
  const { event } = receiver.received.at(-1) ?? assert.fail('nothing was delivered')
  assert.deepEqual(Object.keys(event), ['data', 'event', 'id', 'timestamp'])
  assert.equal(event.event, 'payout.succeeded')
  assert.deepEqual(event.data, {
    id,
    mode: 'test',
    reference: 'salary-1',
    merchant_reference: 'salary-1',
    status: 'succeeded',
    amount: 20_000,
    fee: 300,
    currency: 'UGX',
    channel: 'op1_momo',
    recipient_phone: '256700123456',
    recipient_name: 'Jane O’Hara',
    rail_reference,
    failure_reason: null,
    kind: 'payout',
    charge_id: null,
    batch_id: null,
    scheduled_payout_id: null,
    metadata: {},
    created_at,
    completed_at,
  })
  assert.deepEqual(Object.keys(event.data), Object.keys(event.data).sort(), 'canonical JSON')
})

const OUTCOMES: [string, string[]][] = [
  ['recipient_not_found', ['0700000001', '700000001', '+256 700-000-001', '00256700000001']],
  ['wallet_locked', ['0700000002', '256 (700) 000.002', '+254700000002']],
  ['timeout', ['0700 000 003', '+256(0)700000003']],
]
for (const [reason, phones] of OUTCOMES)
  for (const phone of phones)
    test(`a sandbox payout to ${phone} fails with ${reason}, returns amount and fee and sends one event`, async () => {
      const { api } = await payer(service, 10_000)
      const { body } = await pay(api, { recipient: { phone } })
      assert.equal(body.status, 'authorized')
      assert.equal(await availableOf(api), 10_000 - 5200)
      await sendAll(service)
      await service.run('send-payouts')
      const failed = await payoutOf(api, body.id)
      assert.deepEqual([failed.status, failed.failure_reason, failed.rail_transaction_id], ['failed', reason, null])
      assert.match(failed.completed_at, TIME)
      assert.equal(await availableOf(api), 10_000)
      assert.deepEqual(await postingsOf(service, body.id), RETURNED)
      const [event, ...more] = await eventsOf(service, body.id)
      assert.deepEqual([event?.type, more], ['payout.failed', []])
      const { data } = JSON.parse(event?.body ?? '')
      const { rail_transaction_id: _, ...shown } = failed
      assert.deepEqual(data, { ...shown, merchant_reference: null })
    })

for (const phone of ['0700000000', '0700000004', '+256700000010', '0701000001', '256712345678'])
  test(`a sandbox payout to ${phone} succeeds`, async () => {
    const { api } = await payer(service, 10_000)
    const { body } = await pay(api, { recipient: { phone } })
    await sendAll(service)
    assert.equal((await payoutOf(api, body.id)).status, 'succeeded')
    assert.deepEqual(await postingsOf(service, body.id), PAID)
    assert.equal((await eventsOf(service, body.id)).length, 1)
  })

// contract.md 3 l; a payout's fee comes on top, so even an amount of 1 is allowed.
const FEES: readonly [number, number][] = [...FEE_EDGES, [1_000_000, 5000]]
test('the fee is 1.5 % on top, at least 200 and at most 5000, and the balance must cover amount and fee', async () => {
  for (const [amount, fee] of FEES) {
    const { api } = await payer(service, amount + fee - 1)
    const short = await pay(api, { amount })
    assert.equal(
      short.body.error,
      `insufficient available balance: have ${amount + fee - 1}, need ${amount + fee} (amount ${amount} + fee ${fee})`,
    )
    assert.equal(await availableOf(api), amount + fee - 1)
    const { api: exact } = await payer(service, amount + fee)
    const { status, body } = await pay(exact, { amount })
    assert.deepEqual([status, body.amount, body.fee], [201, amount, fee])
    assert.equal(await availableOf(exact), 0)
  }
})

test('money still on hold does not count', async () => {
  const { merchant, api } = await payer(service)
  await service.set(merchant, { testHold: 'realistic' })
  await api.charge({ amount: 50_000 })
  service.pass(2000)
  await service.run('follow-charges')
  const { status, body } = await pay(api)
  assert.deepEqual(
    [status, body.error],
    [400, 'insufficient available balance: have 0, need 5200 (amount 5000 + fee 200)'],
  )
})

test('a reference is not a key: the same reference twice pays twice', async () => {
  const { api } = await payer(service, 20_000)
  const both = [await pay(api, { reference: 'rent' }), await pay(api, { reference: 'rent' })]
  assert.deepEqual(
    both.map(({ status }) => status),
    [201, 201],
  )
  assert.notEqual(both[0]?.body.id, both[1]?.body.id)
  assert.equal(await availableOf(api), 20_000 - 2 * 5200)
})

test('omitted fields are shown as null, and the defaults are UGX on op1_momo', async () => {
  const { api } = await payer(service, 20_000)
  const given = { currency: 'UGX', channel: 'op1_momo', reference: null, note: 'unknown' }
  for (const body of [PAYOUT, { ...PAYOUT, ...given }, { ...PAYOUT, reference: ' ', channel: '' }]) {
    const { status, body: made } = await api.post('/v1/payouts', body)
    const { currency, channel, reference, recipient_name } = made
    assert.deepEqual([status, currency, channel, reference, recipient_name], [201, 'UGX', 'op1_momo', null, null])
  }
})

test('the payout of a merchant deactivated meanwhile is completed, and a new one is refused', async () => {
  const { merchant, api } = await payer(service, 20_000)
  const { body } = await pay(api)
  await service.set(merchant, { active: false })
  assert.equal((await pay(api)).body.code, 'merchant_inactive')
  await sendAll(service)
  assert.equal((await payoutOf(api, body.id)).status, 'succeeded')
  assert.equal((await eventsOf(service, body.id)).length, 1)
})

test('with an outcome after 0 seconds the 201 still says authorized, and the payout ends at once', async () => {
  const quick = await startService({ env: { SANDBOX_OUTCOME_SECONDS: '0' }, database: service.database })
  try {
    const { api } = await payer(quick, 20_000)
    const made = [await pay(api), await pay(api, { recipient: { phone: '0700000001' } })]
    for (const { body } of made) assert.deepEqual([body.status, body.completed_at], ['authorized', null])
    await quick.run('send-payouts')
    const ended = await Promise.all(made.map(({ body }) => payoutOf(api, body.id)))
    assert.deepEqual(
      ended.map(({ status, failure_reason }) => [status, failure_reason]),
      [
        ['succeeded', null],
        ['failed', 'recipient_not_found'],
      ],
    )
  } finally {
    await quick.close()
  }
})

test('a running worker ends a payout by itself, without a sweep started by the test', async () => {
  const worker = await startService({ role: 'worker', database: service.database, clock: service.clock })
  try {
    const { api } = await payer(service, 20_000)
    const { body } = await pay(api)
    service.pass(2000)
    await eventually('the payout has ended', async () => (await payoutOf(api, body.id)).status === 'succeeded')
  } finally {
    await worker.close()
  }
})
