import assert from 'node:assert/strict'
import test from 'node:test'
import { freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import {
  decideWithdrawal,
  requestWithdrawal,
  type WithdrawalDecision,
} from '../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { movableClock } from '../../../src/platform/time/clock.ts'
import { eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { availableOf } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { DAY, newPayer } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { payingRail } from '../../helpers/service/paying-rail.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

const clock = movableClock()
const operator = payingRail(clock)
const options = { clock, liveRails: { op1_momo: operator } }
const service = openedAndVerified(() => startService(options))
const other = opened(() => startService({ ...options, database: service.database }))

type Owner = Awaited<ReturnType<typeof owner>>
const NUMBER = '256772000111'

/** A merchant with 995,000 of live money and a verified number. */
async function owner() {
  const merchant = await service.merchant({ verified: true })
  await service.set(merchant, { instantSettlement: true })
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  const found = { merchant, merchantId: row.id, tag: row.tag, api: service.client(merchant.keys.live) }
  const { status } = await found.api.charge({ amount: 1_000_000, customer: { phone: newPayer() } })
  assert.equal(status, 201)
  service.pass(60_000)
  await service.run('follow-charges')
  assert.equal(await availableOf(found.api), 995_000)
  await setWithdrawalNumber(service.app, BY_HAND, { merchantId: row.id, phone: '0772 000 111' })
  await verifyWithdrawalNumber(service.app, BY_HAND, { merchantId: row.id, phone: NUMBER })
  return found
}
const request = ({ merchantId }: Owner, amount = 100_000, at = service) =>
  requestWithdrawal(at.app, BY_HAND, { merchantId, amount })
const decide = (
  { merchantId }: Owner,
  id: string,
  decision: WithdrawalDecision,
  { at = service, note = null as string | null } = {},
) => decideWithdrawal(at.app, BY_HAND, { merchantId, id, decision, note })
const shown = async (api: Client, id: string) => (await api.get(`/v1/payouts/${id}`)).body
const askedFor = (id: string) => operator.asked.filter(({ publicId }) => publicId === id)
const typesOf = async (id: string) => (await eventsOf(service, id)).map(({ type }) => type)

async function sendFor(days: number) {
  for (let day = 0; day < days; day += 1) {
    service.pass(DAY)
    for (let look = 0; look < 10; look += 1) {
      await service.run('send-payouts')
      service.pass(60_000)
    }
  }
}

test('a withdrawal reserves its money and waits, without any call to the network, until staff approve it', async () => {
  const own = await owner()
  const { id } = await request(own)
  assert.equal(await availableOf(own.api), 995_000 - 101_500)
  const waiting = await shown(own.api, id)
  const { kind, status, amount, fee, recipient_phone, completed_at } = waiting
  assert.deepEqual(
    { kind, status, amount, fee, recipient_phone, completed_at },
    {
      kind: 'withdrawal',
      status: 'pending',
      amount: 100_000,
      fee: 1500,
      recipient_phone: NUMBER,
      completed_at: null,
    },
  )
  await sendFor(3)
  assert.deepEqual([askedFor(id).length, await shown(own.api, id)], [0, waiting])
  assert.deepEqual((await own.api.get('/v1/payouts')).body.data, [waiting])
  assert.equal((await service.client(own.merchant.keys.test).get(`/v1/payouts/${id}`)).status, 404)

  await decide(own, id, 'approved')
  await sendFor(1)
  assert.deepEqual(
    askedFor(id).map(({ amount, phone, reference }) => [amount, phone, reference]),
    [[100_000, NUMBER, waiting.rail_reference]],
    'sent once',
  )
  const paid = await shown(own.api, id)
  assert.deepEqual([paid.status, paid.failure_reason], ['succeeded', null])
  assert.equal(await availableOf(own.api), 995_000 - 101_500)
  const [event, ...others] = await eventsOf(service, id)
  assert.deepEqual([event?.type, others], ['payout.succeeded', []])
  assert.equal(JSON.parse(event?.body ?? '').data.kind, 'withdrawal')
  assert.deepEqual(
    (await transfersOf(service, id)).map(({ kind, amount }) => [kind, amount]),
    [
      ['payout_reserve', 101_500],
      ['payout_sent', 100_000],
      ['payout_fee', 1500],
    ],
  )
})

for (const [decision, reason] of [
  ['rejected', 'rail_rejected'],
  ['cancelled', 'user_cancelled'],
] as const)
  test(`a withdrawal that is ${decision} fails with ${reason}, returns amount and fee and is never sent`, async () => {
    const own = await owner()
    const { id } = await request(own)
    await decide(own, id, decision, { note: 'not your number' })
    const ended = await shown(own.api, id)
    assert.deepEqual([ended.status, ended.failure_reason], ['failed', reason])
    assert.notEqual(ended.completed_at, null)
    assert.equal(await availableOf(own.api), 995_000)
    assert.deepEqual(await typesOf(id), ['payout.failed'])
    assert.deepEqual(await service.rows('select state, note from withdrawals where id = $1', [id]), [
      { state: decision, note: 'not your number' },
    ])
    await sendFor(1)
    assert.equal(askedFor(id).length, 0)
  })

test('one decision counts: repeating it changes nothing, and another one is refused and names the first', async () => {
  for (const first of ['approved', 'rejected', 'cancelled'] as const) {
    const own = await owner()
    const { id } = await request(own)
    await decide(own, id, first, { note: 'first' })
    const before = [await service.digest(), await service.rows('select * from withdrawals where id = $1', [id])]
    await decide(own, id, first, { note: 'second' })
    for (const second of ['approved', 'rejected', 'cancelled'] as const)
      if (second !== first)
        await assert.rejects(decide(own, id, second), {
          status: 409,
          code: 'conflict',
          message: `this withdrawal was already ${first}`,
        })
    const after = [await service.digest(), await service.rows('select * from withdrawals where id = $1', [id])]
    assert.deepEqual(after, before)
    await sendFor(1)
    await decide(own, id, first)
    assert.equal(askedFor(id).length, first === 'approved' ? 1 : 0)
  }
})

test('approved and cancelled at the same moment by two processes: one of them wins', async () => {
  const own = await owner()
  const won: Record<string, number> = { approved: 0, cancelled: 0 }
  for (let round = 0; round < 20; round += 1) {
    const { id } = await request(own, 5000)
    const [first, second] = round % 2 === 0 ? [service, other] : [other, service]
    const outcomes = await Promise.allSettled([
      decide(own, id, 'approved', { at: first }),
      decide(own, id, 'cancelled', { at: second }),
    ])
    const winner = outcomes[0].status === 'fulfilled' ? 'approved' : 'cancelled'
    const [loser, ...others] = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    assert.deepEqual([loser?.reason.message, others], [`this withdrawal was already ${winner}`, []])
    won[winner] = (won[winner] ?? 0) + 1
    await sendFor(1)
    assert.equal((await shown(own.api, id)).status, winner === 'approved' ? 'succeeded' : 'failed')
    assert.equal(askedFor(id).length, winner === 'approved' ? 1 : 0)
  }
  assert.equal(await availableOf(own.api), 995_000 - 5200 * (won.approved ?? 0))
})

test('ten requests at once with money for three make three withdrawals', async () => {
  const own = await owner()
  const requests = Array.from({ length: 10 }, (_, nth) => request(own, 300_000, nth % 2 ? other : service))
  const outcomes = await Promise.allSettled(requests)
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3)
  assert.equal(await availableOf(own.api), 995_000 - 3 * 304_500)
})

test('a number that is set again has to be verified again; an approved withdrawal goes to the number it was requested for', async () => {
  const own = await owner()
  const { id } = await request(own)
  const set = (phone: string) => setWithdrawalNumber(service.app, BY_HAND, { merchantId: own.merchantId, phone })
  const [first, other] = [await set('+256 772 000 111'), await set('0772000222')]
  assert.deepEqual(first, { phone: NUMBER, verified: true, waitsUntil: null }, 'the same number')
  assert.deepEqual([other.phone, other.verified], ['256772000222', false])
  await assert.rejects(request(own), { message: 'no verified withdrawal number' })
  const back = await set('0772000111')
  assert.deepEqual([back.phone, back.verified], [NUMBER, false])
  await assert.rejects(set('12'), { message: 'invalid request: phone is not a valid phone number' })
  await verifyWithdrawalNumber(service.app, BY_HAND, { merchantId: own.merchantId, phone: NUMBER })
  service.pass(25 * 3_600_000)
  await decide(own, id, 'approved')
  await set('0772000222')
  await sendFor(1)
  assert.deepEqual(
    askedFor(id).map(({ phone }) => phone),
    [NUMBER],
  )
})

test('an approved withdrawal waits during a freeze and is sent once after it', async () => {
  const own = await owner()
  const { id } = await request(own)
  await freezePlatform(service.gateway, BY_HAND, 'drill')
  await decide(own, id, 'approved')
  await sendFor(2)
  assert.deepEqual([askedFor(id).length, (await shown(own.api, id)).status], [0, 'pending'])
  assert.equal(await availableOf(own.api), 995_000 - 101_500, 'nothing is returned')
  await freezePlatform(service.gateway, BY_HAND, null)
  await sendFor(1)
  assert.deepEqual([askedFor(id).length, (await shown(own.api, id)).status], [1, 'succeeded'])
})

test("only a merchant's own withdrawals can be decided", async () => {
  const [own, stranger] = [await owner(), await owner()]
  const { id } = await request(own)
  for (const wrong of [`${id}x`, 'pout_', id.replace('pout_', 'txn_')])
    await assert.rejects(decide(own, wrong, 'approved'), { status: 404, message: 'withdrawal not found' })
  await assert.rejects(decide(stranger, id, 'cancelled'), { status: 404 })
  assert.equal((await shown(own.api, id)).status, 'pending')
})
