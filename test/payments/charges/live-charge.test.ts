import assert from 'node:assert/strict'
import test from 'node:test'
import { transactionOf } from '../../fakes/operator-answers.ts'
import { balanceOf, eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { passUntil, succeed } from '../../helpers/payments/following-charges.ts'
import { DAY, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'

const service = openedAndVerified(() => startLiveService())

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const payer = () => ({ customer: { phone: newPayer() } })

test('the operator is asked for a live charge; it is paid, held for 24 hours and released to available', async () => {
  const { live } = await service.shop()
  const phone = newPayer()
  const accepted = await live.charge({ customer: { phone }, reference: 'order-1' })
  assert.equal(accepted.status, 201)
  assert.equal(accepted.body.status, 'authorized')
  assert.equal(accepted.body.mode, 'live')
  assert.equal(accepted.body.completed_at, null)
  assert.equal(accepted.body.failure_reason, null)
  assert.match(accepted.body.rail_reference, UUID_4)
  const entry = service.entryOf(accepted.body.id)
  assert.deepEqual(entry, {
    reference: accepted.body.rail_reference,
    external_id: accepted.body.id,
    amount: 5000,
    currency: 'UGX',
    phone,
    state: 'open',
  })

  await succeed(service, accepted.body.id)
  const { body: paid } = await live.get(`/v1/charges/${accepted.body.id}`)
  assert.equal(paid.status, 'succeeded')
  assert.equal(paid.rail_reference, accepted.body.rail_reference)
  assert.equal(paid.rail_transaction_id, transactionOf(paid.rail_reference))
  assert.equal(paid.settled, false)
  assert.equal(Date.parse(paid.available_on) - Date.parse(paid.completed_at), DAY)
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
  assert.deepEqual(await transfersOf(service, paid.id), [
    { kind: 'charge_net', amount: 4800, mode: 'live' },
    { kind: 'charge_fee', amount: 200, mode: 'live' },
  ])
  const [event, ...others] = await eventsOf(service, paid.id)
  assert.equal(others.length, 0)
  const { data } = JSON.parse(event?.body ?? '')
  assert.equal(data.mode, 'live')
  assert.equal(data.settled, false)
  assert.equal(data.available_on, paid.available_on)

  service.pass(DAY - 60_000)
  await service.run('settle-charges')
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 }, 'the hold is not over yet')
  passUntil(service, new Date(paid.available_on))
  assert.equal(await service.run('settle-charges'), 1)
  const { body: released } = await live.get(`/v1/charges/${paid.id}`)
  assert.equal(released.settled, true)
  assert.ok(released.available_on >= paid.available_on)
  assert.deepEqual(await balanceOf(live), { available: 4800, pending: 0 })
})

test('row, reference and attempt are durable before the first byte reaches the operator', async () => {
  const { live } = await service.shop()
  const phone = newPayer()
  const seen: unknown[] = []
  const look = async () =>
    seen.push(
      ...(await service.rows(
        `select c.status, c.published, a.state, a.id = c.rail_reference as same, k.status as answer
         from charges c join rail_attempts a on a.subject = c.id join idempotency_keys k on k.object_id = c.id
         where c.phone = $1`,
        [phone],
      )),
    )
  service.operator.onSubmit(() => ({ answer: 'accept', until: look() }), phone)
  assert.equal((await live.charge({ customer: { phone } })).status, 201)
  assert.deepEqual(seen, [{ status: 'pending', published: false, state: 'sending', same: true, answer: 201 }])
})

test('the rail is told with which contract the attempt was stored', async () => {
  const { live } = await service.shop()
  const { body } = await live.charge(payer())
  const [row] = await service.rows<{ installation: string }>(
    'select installation from rail_attempts where subject = $1',
    [body.id],
  )
  const attempt = service.rail.submitted.find(({ publicId }) => publicId === body.id)
  assert.equal(row?.installation, 'first contract')
  assert.equal(attempt?.installation, row?.installation)
})

test('one sweep releases several charges in one settlement, and two sweeps at once release each once', async () => {
  const { live } = await service.shop()
  const amounts = [5000, 20_000, 400_000]
  for (const amount of amounts) {
    const { body } = await live.charge({ amount, ...payer() })
    await succeed(service, body.id)
  }
  service.pass(DAY + 1000)
  const released = await Promise.all([service.run('settle-charges'), service.run('settle-charges')])
  assert.equal(released[0] + released[1], 3)
  const { body } = await live.get('/v1/settlements')
  const settlements = body.data as any[]
  assert.equal(
    settlements.reduce((sum, one) => sum + one.charge_count, 0),
    3,
  )
  const net = 4800 + 19_700 + 395_000
  assert.equal(
    settlements.reduce((sum, one) => sum + one.amount, 0),
    net,
  )
  assert.ok(settlements.every((settlement) => settlement.kind === 'sweep' && settlement.mode === 'live'))
  assert.ok(
    settlements.every(
      (settlement) => settlement.transactions === settlement.charge_count && settlement.currency === 'UGX',
    ),
  )
  assert.deepEqual(await balanceOf(live), { available: net, pending: 0 })
  assert.equal(await service.run('settle-charges'), 0)
})

test('three due charges make one settlement row of kind sweep with charge_count 3', async () => {
  const { live } = await service.shop()
  for (let nth = 0; nth < 3; nth += 1) await succeed(service, (await live.charge(payer())).body.id)
  service.pass(DAY + 1000)
  assert.equal(await service.run('settle-charges'), 3)
  const { data } = (await live.get('/v1/settlements')).body
  assert.equal(data.length, 1)
  const { kind, charge_count, amount } = data[0]
  assert.deepEqual({ kind, charge_count, amount }, { kind: 'sweep', charge_count: 3, amount: 14_400 })
  assert.deepEqual(await transfersOf(service, data[0].id), [{ kind: 'hold_release', amount: 14_400, mode: 'live' }])
})

test('each charge has its own hold', async () => {
  const { live } = await service.shop()
  const first = (await live.charge(payer())).body.id
  await succeed(service, first)
  service.pass(DAY / 2)
  const second = (await live.charge(payer())).body.id
  await succeed(service, second)
  service.pass(DAY / 2)
  assert.equal(await service.run('settle-charges'), 1)
  assert.equal((await live.get(`/v1/charges/${first}`)).body.settled, true)
  assert.equal((await live.get(`/v1/charges/${second}`)).body.settled, false)
  assert.deepEqual(await balanceOf(live), { available: 4800, pending: 4800 })
  service.pass(DAY / 2)
  assert.equal(await service.run('settle-charges'), 1)
})

test('a merchant with instant settlement has its live money in the same commit as the success', async () => {
  const { merchant, live } = await service.shop()
  await service.set(merchant, { instantSettlement: true })
  const { body } = await live.charge(payer())
  await succeed(service, body.id)
  const { body: paid } = await live.get(`/v1/charges/${body.id}`)
  assert.equal(paid.settled, true)
  assert.equal(paid.available_on, paid.completed_at)
  assert.deepEqual(await balanceOf(live), { available: 4800, pending: 0 })
  const { data } = (await live.get('/v1/settlements')).body
  assert.deepEqual(
    data.map(({ kind, charge_count, amount }: any) => ({ kind, charge_count, amount })),
    [{ kind: 'instant', charge_count: 1, amount: 4800 }],
  )
  service.pass(2 * DAY)
  assert.equal(await service.run('settle-charges'), 0, 'what is born settled is never swept')
  assert.deepEqual(await balanceOf(live), { available: 4800, pending: 0 })
})

test('the hold setting at the time of success decides: switching instant settlement on later releases nothing early', async () => {
  const { merchant, live } = await service.shop()
  const { body } = await live.charge(payer())
  await succeed(service, body.id)
  await service.set(merchant, { instantSettlement: true })
  await service.run('settle-charges')
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
  service.pass(DAY + 1000)
  assert.equal(await service.run('settle-charges'), 1)
})

test('the live and the test ledger of one merchant are independent', async () => {
  const { live, test: sandbox } = await service.shop()
  const paidLive = (await live.charge(payer())).body.id
  const paidTest = (await sandbox.charge({ amount: 20_000, ...payer() })).body.id
  await succeed(service, paidLive)
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
  assert.deepEqual(await balanceOf(sandbox), { available: 19_700, pending: 0 })
  assert.equal((await live.get(`/v1/charges/${paidTest}`)).status, 404)
  assert.equal((await sandbox.get(`/v1/charges/${paidLive}`)).status, 404)
  assert.equal(service.entryOf(paidTest), undefined, 'a test charge never reaches the operator')
  assert.ok((await transfersOf(service, paidLive)).every(({ mode }) => mode === 'live'))
  assert.ok((await transfersOf(service, paidTest)).every(({ mode }) => mode === 'test'))
})

test('an Idempotency-Key used in test mode has no answer in live mode', async () => {
  const { live, test: sandbox } = await service.shop()
  const key = { 'idempotency-key': 'the same in both' }
  const rehearsal = await sandbox.charge(payer(), key)
  const real = await live.charge(payer(), key)
  assert.deepEqual([rehearsal.status, real.status], [201, 201])
  assert.deepEqual([rehearsal.body.mode, real.body.mode], ['test', 'live'])
  assert.equal(real.headers.get('idempotent-replayed'), null)
})

test('a merchant deactivated meanwhile still gets its money, but takes no new charge', async () => {
  const { merchant, live } = await service.shop()
  const { body } = await live.charge(payer())
  await service.set(merchant, { active: false })
  await succeed(service, body.id)
  assert.equal((await live.get(`/v1/charges/${body.id}`)).body.status, 'succeeded')
  const asked = service.operator.submits()
  const refused = await live.charge(payer())
  assert.deepEqual([refused.status, refused.body.code], [400, 'merchant_inactive'])
  assert.equal(service.operator.submits(), asked)
  service.pass(DAY + 1000)
  await service.run('settle-charges')
  assert.deepEqual(await balanceOf(live), { available: 4800, pending: 0 })
  assert.equal((await eventsOf(service, body.id)).length, 1)
})

test('our own rules come before the operator: unverified, other channels and small amounts are never sent', async () => {
  const { live } = await service.shop({ verified: false })
  const verified = (await service.shop()).live
  const asked = service.operator.submits()
  const before = await service.digest()
  assert.equal((await live.charge(payer())).body.code, 'verification_required')
  assert.equal((await verified.charge({ channel: 'card', ...payer() })).body.code, 'channel_not_available')
  assert.equal((await verified.charge({ channel: 'op2_money', ...payer() })).body.code, 'channel_not_available')
  assert.equal((await verified.charge({ amount: 200, ...payer() })).body.code, 'fee_exceeds_amount')
  assert.equal(service.operator.submits(), asked)
  assert.equal(await service.digest(), before)
})
