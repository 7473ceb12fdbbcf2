import assert from 'node:assert/strict'
import test from 'node:test'
import { payOutSubaccount } from '../../../src/payments/payouts/pay-out-subaccount.ts'
import { setSubaccountStatus } from '../../../src/payments/subaccounts/set-subaccount-status.ts'
import type { Mode } from '../../../src/platform/mode.ts'
import { eventsOf, postingsOf } from '../../helpers/database/money-rows.ts'
import { openMismatch } from '../../helpers/payments/open-exceptions.ts'
import { availableOf, fund, type Payer, payer, sendAll } from '../../helpers/payments/schedules.ts'
import { balanceOfSubaccount } from '../../helpers/payments/splits.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const env = { RATE_LIMIT_SUBACCOUNTS: '0', RATE_LIMIT_PAYOUTS: '0' }
const service = openedAndVerified(() => startService({ env }))
const other = opened(() => startService({ env, database: service.database }))

type Farm = Payer & { farm: string }

/** A merchant with 48,500 of its own, and its subaccount with 50,000. */
async function farm(payoutPhone: string | undefined = '0700 000 000'): Promise<Farm> {
  const shop = await payer(service)
  const { body } = await shop.api.post('/v1/subaccounts', { name: 'Farm', payout_phone: payoutPhone })
  const split = [{ subaccount: body.id, amount: 50_000 }]
  await shop.api.charge({ amount: 100_000, customer: { phone: newPayer() }, split })
  service.pass(2000)
  await service.run('follow-charges')
  assert.deepEqual(await balanceOfSubaccount(shop.api, body.id), [50_000, 0])
  assert.equal(await availableOf(shop.api), 48_500)
  return { ...shop, farm: body.id }
}

function payOut(own: Farm, amount: number, { at = service, mode = 'test' as Mode, id = own.farm } = {}) {
  const { merchantId, tag } = own
  return payOutSubaccount(at.app, BY_HAND, { holder: { merchantId, tag, mode }, subaccountId: id, amount })
}
const shown = async (own: Farm, id: string) => (await own.api.get(`/v1/payouts/${id}`)).body

test("a pay-out takes amount and fee only from the subaccount's own money", async () => {
  const own = await farm()
  const { id } = await payOut(own, 20_000)
  assert.deepEqual(await balanceOfSubaccount(own.api, own.farm), [29_700, 0])
  assert.equal(await availableOf(own.api), 48_500)
  await sendAll(service)
  const payout = await shown(own, id)
  const { kind, status, amount, fee, recipient_phone, recipient_name, reference } = payout
  assert.deepEqual(
    { kind, status, amount, fee, recipient_phone, recipient_name, reference },
    {
      kind: 'subaccount',
      status: 'succeeded',
      amount: 20_000,
      fee: 300,
      recipient_phone: '256700000000',
      recipient_name: 'Farm',
      reference: null,
    },
  )
  assert.deepEqual((await own.api.get('/v1/payouts')).body.data, [payout])
  assert.deepEqual(await balanceOfSubaccount(own.api, own.farm), [29_700, 0])
  assert.equal(await availableOf(own.api), 48_500)
  assert.deepEqual(await postingsOf(service, id), [
    `sub_payout_reserve sub_available:${own.farm} in_flight 20300`,
    'payout_sent in_flight rail:op1_momo 20000',
    'payout_fee in_flight fees 300',
  ])
  const [event, ...others] = await eventsOf(service, id)
  assert.deepEqual(
    [event?.type, JSON.parse(event?.body ?? '').data.kind, others],
    ['payout.succeeded', 'subaccount', []],
  )
})

test('a failed pay-out returns to the subaccount with its fee', async () => {
  const own = await farm('0700000002')
  const { id } = await payOut(own, 20_000)
  await sendAll(service)
  const payout = await shown(own, id)
  assert.deepEqual([payout.status, payout.failure_reason], ['failed', 'wallet_locked'])
  assert.deepEqual(await balanceOfSubaccount(own.api, own.farm), [50_000, 0])
  assert.equal(await availableOf(own.api), 48_500)
  assert.equal((await postingsOf(service, id)).at(-1), `sub_payout_return in_flight sub_available:${own.farm} 20300`)
  assert.deepEqual(
    (await eventsOf(service, id)).map(({ type }) => type),
    ['payout.failed'],
  )
})

test('the sandbox switch applies to pay-outs of subaccounts', async () => {
  const own = await farm()
  await service.set(own.merchant, { failNextPayouts: 1, failNextReason: 'timeout' })
  const [first, second] = [await payOut(own, 1000), await payOut(own, 1000)]
  await sendAll(service)
  assert.equal((await shown(own, first.id)).failure_reason, 'timeout')
  assert.equal((await shown(own, second.id)).status, 'succeeded')
  assert.deepEqual(await balanceOfSubaccount(own.api, own.farm), [48_800, 0])
})

test("the merchant's money does not help, and pending money does not count", async () => {
  const own = await farm()
  await fund(service, own, 1_000_000)
  await service.set(own.merchant, { testHold: 'realistic' })
  const split = [{ subaccount: own.farm, amount: 50_000 }]
  await own.api.charge({ amount: 100_000, customer: { phone: newPayer() }, split })
  service.pass(2000)
  await service.run('follow-charges')
  assert.deepEqual(await balanceOfSubaccount(own.api, own.farm), [50_000, 50_000])
  await assert.rejects(payOut(own, 49_264), {
    code: 'insufficient_balance',
    message: 'insufficient available balance: have 50000, need 50002 (amount 49264 + fee 738)',
  })
  await payOut(own, 49_262)
  assert.deepEqual(await balanceOfSubaccount(own.api, own.farm), [0, 50_000])
})

test('of twenty at once over two processes with money for four, four are accepted', async () => {
  const own = await farm()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, nth) => payOut(own, 12_000, { at: nth % 2 ? other : service })),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 4)
  assert.deepEqual(await balanceOfSubaccount(own.api, own.farm), [50_000 - 4 * 12_200, 0])
  assert.equal(await availableOf(own.api), 48_500)
})

test('the refusals are those of any payout, in their order and with nothing written', async () => {
  const own = await farm()
  const { merchant, merchantId, tag } = own
  await service.set(merchant, { active: false, payoutLimit: 40_000, kycStatus: 'pending' })
  await openMismatch(service, { merchantId, tag }, 'test')
  const refused = async (wanted: () => Promise<unknown>, [code, message]: readonly [string, string]) => {
    const before = await service.digest()
    await assert.rejects(wanted(), { status: 400, code, message })
    assert.equal(await service.digest(), before, message)
  }
  await refused(() => payOut(own, 0), ['merchant_inactive', 'merchant is not active'])
  await service.set(merchant, { active: true })
  await refused(() => payOut(own, 0), ['amount_not_positive', 'amount must be positive'])
  await refused(() => payOut(own, 1_000_000_001), ['amount_too_large', 'amount exceeds the maximum of 1000000000'])
  await refused(
    () => payOut(own, 40_001),
    ['amount_too_large', "amount exceeds this account's per-payout limit of 40000"],
  )
  await refused(
    () => payOut(own, 40_000, { mode: 'live' }),
    [
      'verification_required',
      'live payouts require a verified business - complete verification on your dashboard (test keys work immediately)',
    ],
  )
  await refused(
    () => payOut(own, 40_000),
    [
      'payouts_paused',
      'payouts are paused on this account while a payment reconciliation issue is investigated - support has been notified; your balance is safe and money in is unaffected',
    ],
  )
  await service.set(merchant, { kycStatus: 'verified' })
  await refused(
    () => payOut(own, 40_000, { mode: 'live' }),
    ['insufficient_balance', 'insufficient available balance: have 0, need 40600 (amount 40000 + fee 600)'],
  )
})

test('a subaccount without a phone, or of another merchant, is not paid out', async () => {
  const [own, stranger] = [await farm(), await farm()]
  const { body } = await own.api.post('/v1/subaccounts', { name: 'No phone' })
  const before = await service.digest()
  await assert.rejects(payOut(own, 1000, { id: body.id }), {
    code: 'no_payout_phone',
    message: 'this subaccount has no payout_phone to pay out to',
  })
  for (const id of [stranger.farm, 'sub_nobody', own.farm.toUpperCase()])
    await assert.rejects(payOut(own, 1000, { id }), { status: 404, message: 'subaccount not found' })
  assert.equal(await service.digest(), before)
})

test('a failed pay-out returns to its subaccount even if that has become inactive', async () => {
  const own = await farm('0700000001')
  const { id } = await payOut(own, 10_000)
  await setSubaccountStatus(service.app, BY_HAND, {
    merchantId: own.merchantId,
    id: own.farm,
    status: 'inactive',
  })
  await sendAll(service)
  assert.equal((await shown(own, id)).status, 'failed')
  assert.deepEqual(await balanceOfSubaccount(own.api, own.farm), [50_000, 0])
})
