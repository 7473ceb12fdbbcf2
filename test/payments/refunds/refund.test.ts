import assert from 'node:assert/strict'
import test from 'node:test'
import { stillClock } from '../../api/rate-limits/still-clock.ts'
import { balanceOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { availableOf, type Payer, payer, sendAll } from '../../helpers/payments/schedules.ts'
import { DAY, newPayer } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_REFUNDS: '0' } }))
const limited = opened(() =>
  startService({
    clock: stillClock(),
    env: { RATE_LIMIT_REFUNDS: '10' },
    database: service.database,
  }),
)

type Api = Payer['api']
const refund = (api: Api, id: string, headers = {}) => api.post(`/v1/charges/${id}/refund`, undefined, headers)

async function charged(api: Api, more: Record<string, unknown> = {}, at = service): Promise<any> {
  const { body } = await api.charge({ customer: { phone: newPayer() }, ...more })
  at.pass(2000)
  await at.run('follow-charges')
  return (await api.get(`/v1/charges/${body.id}`)).body
}
const eventsOf = async (subject: string) =>
  (await service.rows<any>('select type, body from events where subject = $1 order by created_at', [subject])).map(
    ({ type, body }) => ({ type, data: JSON.parse(body).data }),
  )

test('a refund returns everything to the customer, and over its life costs the merchant the payout fee', async () => {
  const { api } = await payer(service, 100_000)
  const charge = await charged(api, { amount: 20_000, reference: 'order-1' })
  assert.deepEqual([charge.status, charge.refund_id, charge.refunded_at], ['succeeded', null, null])
  assert.equal(await availableOf(api), 100_000 + 19_700)
  const started = await refund(api, charge.id)
  assert.equal(started.status, 202)
  const payoutId = started.body.refund.id
  const [{ phone }] = (await service.rows<any>('select phone from charges where id = $1', [charge.id])) as [any]
  assert.match(payoutId, /^pout_[a-z0-9]{21,}$/)
  assert.deepEqual(started.body, {
    charge_id: charge.id,
    status: 'refunded',
    gift_card_restored: 0,
    refund: {
      id: payoutId,
      amount: 20_000,
      fee: 300,
      currency: 'UGX',
      recipient_phone: phone,
      status: 'authorized',
      metadata: {},
    },
  })
  assert.equal(await availableOf(api), 100_000 + 19_700 - 20_300)
  const refunded = (await api.get(`/v1/charges/${charge.id}`)).body
  assert.deepEqual(refunded, {
    ...charge,
    status: 'refunded',
    refund_id: payoutId,
    refunded_at: refunded.refunded_at,
  })
  assert.ok(Date.parse(refunded.refunded_at) >= Date.parse(charge.completed_at))
  assert.deepEqual((await api.get('/v1/charges?status=refunded')).body.data, [refunded])
  assert.deepEqual((await api.get('/v1/charges?status=succeeded')).body.data, [])
  const payout = (await api.get(`/v1/payouts/${payoutId}`)).body
  assert.deepEqual(
    [payout.kind, payout.charge_id, payout.status, payout.amount, payout.batch_id],
    ['refund', charge.id, 'authorized', 20_000, null],
  )
  assert.deepEqual((await api.get('/v1/payouts')).body.data, [payout])

  await sendAll(service)
  assert.equal((await api.get(`/v1/payouts/${payoutId}`)).body.status, 'succeeded')
  assert.equal(await availableOf(api), 100_000 - 300, 'the fee of the charge has come back')
  const kinds = async (id: string) => (await transfersOf(service, id)).map(({ kind, amount }) => [kind, amount])
  assert.deepEqual(await kinds(charge.id), [
    ['charge_net', 19_700],
    ['charge_fee', 300],
    ['charge_fee_return', 300],
  ])
  assert.deepEqual(await kinds(payoutId), [
    ['payout_reserve', 20_300],
    ['payout_sent', 20_000],
    ['payout_fee', 300],
  ])
  assert.deepEqual((await api.get(`/v1/charges/${charge.id}`)).body, refunded, 'the charge moves no more')
})

test('charge.refunded is sent once with its exact fields, and the payout has its own event', async () => {
  const { api } = await payer(service, 100_000)
  const charge = await charged(api, { reference: 'order_2' })
  const { body } = await refund(api, charge.id)
  for (let time = 0; time < 3; time += 1) await refund(api, charge.id)
  await sendAll(service)
  const [succeeded, refunded, ...others] = await eventsOf(charge.id)
  assert.deepEqual([succeeded?.type, refunded?.type, others], ['charge.succeeded', 'charge.refunded', []])
  const shown = (await api.get(`/v1/charges/${charge.id}`)).body
  const { rail_transaction_id, refund_id, refunded_at, ...core } = shown
  const expected = {
    ...core,
    merchant_reference: 'order_2',
    refund_id: body.refund.id,
    refund_amount: 5000,
    refunded_at,
    gift_card_restored: 0,
  }
  assert.deepEqual(refunded?.data, expected)
  assert.deepEqual(Object.keys(refunded?.data), Object.keys(expected).sort(), 'canonical JSON')
  const paid = await eventsOf(body.refund.id)
  assert.deepEqual(
    paid.map(({ type, data }) => [type, data.kind, data.charge_id, data.status]),
    [['payout.succeeded', 'refund', charge.id, 'succeeded']],
  )
})

test('a refund that cannot be paid returns amount and fee; the charge stays refunded and its own fee is not returned', async () => {
  const { merchant, api } = await payer(service, 10_000)
  const charge = await charged(api)
  const before = await availableOf(api)
  await service.set(merchant, { failNextPayouts: 1, failNextReason: 'wallet_locked' })
  const { body } = await refund(api, charge.id)
  assert.equal(await availableOf(api), before - 5200)
  await sendAll(service)
  const payout = (await api.get(`/v1/payouts/${body.refund.id}`)).body
  assert.deepEqual([payout.status, payout.failure_reason], ['failed', 'wallet_locked'])
  assert.equal(await availableOf(api), before)
  assert.equal((await api.get(`/v1/charges/${charge.id}`)).body.status, 'refunded')
  assert.equal((await refund(api, charge.id)).body.code, 'already_refunded')
  assert.deepEqual(
    (await eventsOf(payout.id)).map(({ type, data }) => [type, data.failure_reason]),
    [['payout.failed', 'wallet_locked']],
  )
  assert.ok(!(await transfersOf(service, charge.id)).some(({ kind }) => kind === 'charge_fee_return'))
})

test('a refund during the hold is paid from other money, and the charge is released later once', async () => {
  const { merchant, api } = await payer(service, 5200)
  await service.set(merchant, { testHold: 'realistic' })
  const charge = await charged(api)
  assert.deepEqual(await balanceOf(api), { available: 5200, pending: 4800 })
  assert.equal((await refund(api, charge.id)).status, 202)
  assert.deepEqual(await balanceOf(api), { available: 0, pending: 4800 })
  await sendAll(service)
  assert.deepEqual(await balanceOf(api), { available: 200, pending: 4800 })
  const held = (await api.get(`/v1/charges/${charge.id}`)).body
  assert.deepEqual([held.status, held.settled, held.available_on], ['refunded', false, charge.available_on])
  service.pass(DAY)
  await Promise.all([service.run('settle-charges'), limited.run('settle-charges')])
  await service.run('settle-charges')
  assert.deepEqual(await balanceOf(api), { available: 5000, pending: 0 })
  const released = (await api.get(`/v1/charges/${charge.id}`)).body
  assert.deepEqual([released.status, released.settled], ['refunded', true])
  const { data } = (await api.get('/v1/settlements')).body
  assert.deepEqual(
    data.map(({ kind, amount, charge_count }: any) => [kind, amount, charge_count]),
    [['sweep', 4800, 1]],
  )
})

test('an Idempotency-Key on a refund is ignored, and so is all of a body but an amount', async () => {
  const { api } = await payer(service, 100_000)
  const [one, two] = [await charged(api), await charged(api)]
  const key = { 'idempotency-key': 'one for all' }
  const first = await api.post(`/v1/charges/${one.id}/refund`, {}, key)
  const second = await api.post(`/v1/charges/${two.id}/refund`, { reason: ['x'], currency: 'KES' }, key)
  assert.deepEqual([first.status, second.status], [202, 202])
  assert.equal(second.body.refund.amount, 5000)
  const again = await api.post(`/v1/charges/${one.id}/refund`, {}, key)
  assert.deepEqual([again.body.code, again.headers.get('idempotent-replayed')], ['already_refunded', null])
  assert.equal((await service.rows('select 1 from idempotency_keys where key = $1', ['one for all'])).length, 0)
})

test('ten refunds a minute are accepted; refused ones do not count', async () => {
  const { api } = await payer(limited, 1_000_000)
  const charges: any[] = []
  for (let nth = 0; nth < 11; nth += 1) charges.push(await charged(api, {}, limited))
  for (const { id } of charges.slice(0, 10)) {
    assert.equal((await refund(api, 'txn_nobody')).status, 404)
    assert.equal((await refund(api, id)).status, 202)
    assert.equal((await refund(api, id)).status, id === charges[9].id ? 429 : 400)
  }
  const before = await limited.digest()
  const full = await refund(api, charges[10].id)
  assert.deepEqual([full.status, full.body.code, full.headers.get('retry-after')], [429, 'rate_limited', '60'])
  assert.equal(await limited.digest(), before)
  limited.pass(59_999)
  assert.equal((await refund(api, charges[10].id)).status, 429)
  limited.pass(1)
  assert.equal((await refund(api, charges[10].id)).status, 202)
})
