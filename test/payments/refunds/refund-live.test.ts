import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount, freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { movableClock } from '../../../src/platform/time/clock.ts'
import { FROZEN, PAUSED, unverified } from '../../api/http/known-refusals.ts'
import { assertRefused, domain, type Refused } from '../../api/http/refused.ts'
import { availableOf, type Payer, payer } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { payingRail } from '../../helpers/service/paying-rail.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

const clock = movableClock()
const operator = payingRail(clock)
const env = { RATE_LIMIT_REFUNDS: '0' }
const service = openedAndVerified(() => startService({ clock, env, liveRails: { op1_momo: operator } }))

/** A live charge of 20,000 that has succeeded, and enough money beside it. */
async function paidLive(): Promise<Payer & { live: Client; id: string }> {
  const shop = await payer(service)
  const live = service.client(shop.merchant.keys.live)
  await service.set(shop.merchant, { instantSettlement: true })
  const made = await live.charge({ amount: 20_000, customer: { phone: newPayer() }, reference: 'order' })
  await live.charge({ amount: 100_000, customer: { phone: newPayer() } })
  service.pass(60_000)
  await service.run('follow-charges')
  return { ...shop, live, id: made.body.id }
}
const refund = (api: Client, id: string) => api.post(`/v1/charges/${id}/refund`)
const askedFor = (id: string) => operator.asked.filter(({ publicId }) => publicId === id)

async function assertUntouched(
  own: { live: Client; id: string },
  refusal: Refused,
  retryAfter?: string,
): Promise<void> {
  const before = await service.digest()
  assertRefused(await refund(own.live, own.id), refusal, retryAfter === undefined ? {} : { retryAfter })
  assert.equal(await service.digest(), before, 'zero writes')
  assert.equal((await own.live.get(`/v1/charges/${own.id}`)).body.status, 'succeeded')
}

test('a live refund is shown as authorized at once, sent once, and the charge fee comes back at its success', async () => {
  const own = await paidLive()
  const before = await availableOf(own.live)
  const { status, body } = await refund(own.live, own.id)
  assert.deepEqual([status, body.refund.status, askedFor(body.refund.id).length], [202, 'authorized', 0])
  assert.equal(await availableOf(own.live), before - 20_300)
  service.pass(60_000)
  while ((await service.run('send-payouts')) > 0) service.pass(60_000)
  assert.deepEqual(
    askedFor(body.refund.id).map(({ amount }) => amount),
    [20_000],
  )
  assert.equal((await own.live.get(`/v1/payouts/${body.refund.id}`)).body.status, 'succeeded')
  assert.equal(await availableOf(own.live), before - 20_000)
})

test('a live refund is refused while payouts are stopped, for verification first, with the charge untouched', async () => {
  const own = await paidLive()
  await service.set(own.merchant, { kycStatus: 'rejected' })
  await freezePlatform(service.gateway, BY_HAND, 'drill')
  await freezeAccount(service.app, BY_HAND, { merchantId: own.merchantId, reason: 'drill' })
  operator.trouble = { cure: 'wait', why: 'breaker open' }
  await assertUntouched(own, unverified('payouts'))
  await service.set(own.merchant, { kycStatus: 'verified' })
  await assertUntouched(own, FROZEN)
  await freezePlatform(service.gateway, BY_HAND, null)
  await assertUntouched(own, PAUSED)
  await freezeAccount(service.app, BY_HAND, { merchantId: own.merchantId, reason: null })
  operator.trouble = null
  assert.equal((await refund(own.live, own.id)).status, 202)
})

test('a rail that is away is 503 and one that only a person can mend is 400; the charge waits as it was', async () => {
  const own = await paidLive()
  operator.trouble = { cure: 'wait', why: 'breaker open' }
  const away: Refused = {
    status: 503,
    code: 'rail_unavailable',
    error: 'disbursement temporarily unavailable - retry shortly',
  }
  await assertUntouched(own, away, '7')
  operator.trouble = { cure: 'person', why: 'account barred' }
  await assertUntouched(own, domain('rail_unavailable', 'disbursement rail unavailable: account barred'))
  operator.trouble = { cure: 'person', why: "the operator's own words <b>" }
  await assertUntouched(own, domain('rail_unavailable', 'disbursement rail unavailable: operator configuration'))
  operator.trouble = null
  assert.equal((await refund(own.live, own.id)).status, 202)
})

test('rail trouble after the 202 never fails the refund: it is sent again with the same reference', async () => {
  const own = await paidLive()
  const { body } = await refund(own.live, own.id)
  operator.trouble = { cure: 'wait', why: 'breaker open' }
  for (let minute = 0; minute < 10; minute += 1) {
    service.pass(60_000)
    await service.run('send-payouts')
  }
  const waiting = (await own.live.get(`/v1/payouts/${body.refund.id}`)).body
  assert.deepEqual([waiting.status, waiting.failure_reason], ['authorized', null])
  operator.trouble = null
  service.pass(600_000)
  while ((await service.run('send-payouts')) > 0) service.pass(60_000)
  assert.equal((await own.live.get(`/v1/payouts/${body.refund.id}`)).body.status, 'succeeded')
  assert.deepEqual(
    new Set(askedFor(body.refund.id).map(({ reference }) => reference)),
    new Set([waiting.rail_reference]),
  )
})
