import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../src/merchants/account/set-merchant.ts'
import { requestWithdrawal } from '../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../src/payments/withdrawals/withdrawal-number.ts'
import { EN } from '../../src/web/checkout/texts/en.ts'
import { balanceOf } from '../helpers/database/money-rows.ts'
import { succeed } from '../helpers/payments/following-charges.ts'
import { newCard } from '../helpers/payments/gift-cards.ts'
import { pay, richShop, startPayingService } from '../helpers/payments/payouts.ts'
import { SCHEDULES } from '../helpers/payments/schedules.ts'
import { refusalOf } from '../helpers/payments/top-ups.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { newPayer } from '../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../helpers/service/opened.ts'
import { type Reply, startService } from '../helpers/service/test-service.ts'
import { payShop } from '../helpers/web/checkout-shop.ts'
import { chargesOn } from '../helpers/web/page-charges.ts'
import { applyCode, visitor } from '../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startPayingService())
// The same installation with an operator that sends less than it collects.
const narrow = opened(() =>
  startService({
    ...{ database: service.database, clock: service.clock, liveRails: { op1_momo: service.rail } },
    env: { RAIL_PAYOUT_MIN: '1000', RAIL_PAYOUT_MAX: '6000' },
  }),
)

const tooSmall = (least: number) => ['amount_too_small', `amount is below the operator's minimum of ${least}`]
const tooLarge = (most: number) => ['amount_too_large', `amount exceeds the operator's maximum of ${most}`]
const OUTSIDE = [
  [499, tooSmall(500)],
  [5_000_001, tooLarge(5_000_000)],
] as const
const WITHIN = [500, 5_000_000]

function assertRefused({ status, body }: Reply, refusal: readonly string[]): void {
  assert.deepEqual([status, body.code, body.error], [400, ...refusal])
}
/** Nothing is written by `work` and no operator hears of it. The key of a refusal is kept, as that of every rule. */
async function untouched(work: () => Promise<void>): Promise<void> {
  const [before, heard] = [await service.digest('idempotency_keys'), service.operator.journal.length]
  await work()
  assert.equal(await service.digest('idempotency_keys'), before)
  assert.equal(service.operator.journal.length, heard)
}

test('live charges outside the limits are refused before any write and before a prompt; the limits themselves pass', async () => {
  const { live, test: sandbox } = await service.shop()
  const charge = (amount: number) => live.charge({ amount, customer: { phone: newPayer() } })
  await untouched(async () => {
    for (const [amount, refusal] of OUTSIDE) assertRefused(await charge(amount), refusal)
  })
  for (const amount of WITHIN) assert.equal((await charge(amount)).status, 201)
  assert.equal((await live.charge({ amount: 200 })).body.code, 'fee_exceeds_amount', 'our own rules come first')
  for (const amount of [201, 5_000_001, 1_000_000_000])
    assert.equal((await sandbox.charge({ amount })).status, 201, 'test money travels nowhere')
})

test('a rail that is not ready is reported after the limits', async () => {
  const { live } = await service.shop()
  service.rail.ready('wait')
  const refused = await live.charge({ amount: 499 })
  service.rail.ready('ready')
  assertRefused(refused, tooSmall(500))
})

test('on a hosted page the sum that is left after a gift card counts', async () => {
  const shop = await payShop(service)
  const paying = async (amount: number, card?: string) => {
    const [link, browser] = [await shop.link({ amount }), visitor(service)]
    const form = card === undefined ? await browser.get(`/pay/${link}`) : await applyCode(browser, link, card)
    return { link, form, sent: await browser.send(form, '/submit', { phone: newPayer() }) }
  }
  const before = service.operator.submits()
  for (const [amount, fault] of [
    [499, EN.faults.amount_under],
    [5_000_001, EN.faults.amount_over],
  ] as const) {
    const { link, sent } = await paying(amount)
    assert.deepEqual([sent.status, sent.text.includes(fault)], [400, true], sent.text)
    assert.deepEqual(await chargesOn(service, link), [])
  }
  const small = await shop.card(1000)
  const over = await paying(5_001_001, small.code)
  assert.deepEqual([over.sent.status, over.sent.text.includes(EN.faults.amount_over)], [400, true])
  assert.equal(service.operator.submits(), before, 'no phone was asked')

  for (const amount of WITHIN) assert.equal((await paying(amount)).sent.status, 302, `${amount}`)
  const just = await paying(5_001_000, small.code)
  assert.equal(just.sent.status, 302)
  const large = await shop.card(9800)
  const { link, sent, form } = await paying(10_000, large.code)
  assert.match(form.text, /UGX 300/, 'the card pays less, so that the phone can pay the rest')
  assert.equal(sent.status, 302)
  const [charge] = await chargesOn(service, link)
  const asked = service.rail.submitted.find(({ publicId }) => publicId === charge?.id)
  assert.equal(asked?.amount, 500)
  const whole = await shop.card(400)
  assert.equal((await paying(400, whole.code)).sent.status, 302, 'what a card pays in full does not travel')
})

test('live payouts, items and schedules outside the limits are refused before any write', async () => {
  const shop = await richShop(service, 4_900_000)
  await succeed(service, (await shop.live.charge({ amount: 5_000_000, customer: { phone: newPayer() } })).body.id)
  const recipient = { phone: newPayer() }
  const schedule = (amount: number) => shop.live.post(SCHEDULES, { amount, interval: 'daily', recipients: [recipient] })
  await untouched(async () => {
    for (const [amount, refusal] of OUTSIDE) {
      assertRefused(await pay(shop.live, { amount, recipient }), refusal)
      assertRefused(await schedule(amount), refusal)
    }
  })
  const payouts = [499, 500, 5_000_001].map((amount) => ({ amount, ...recipient, reference: `r-${amount}` }))
  const { body } = await shop.live.post('/v1/payouts/bulk', { payouts })
  assert.deepEqual(
    body.results.map(({ ok, error, code }: any) => (ok ? 'accepted' : [code, error])),
    [tooSmall(500), 'accepted', tooLarge(5_000_000)],
  )
  for (const amount of WITHIN) {
    assert.equal((await pay(shop.live, { amount, recipient })).status, 201)
    assert.equal((await schedule(amount)).status, 201)
  }
  assert.equal((await pay(shop.test, { amount: 499 })).body.code, 'insufficient_balance', 'test has no limits')
})

test('a refund and a withdrawal that the operator would not send are refused, and the charge stays paid', async () => {
  const shop = await richShop(service, 50_000)
  const paid = async (amount: number) => {
    const { body } = await shop.live.charge({ amount, customer: { phone: newPayer() } })
    await succeed(service, body.id)
    return body.id as string
  }
  const [small, large, right] = [await paid(999), await paid(6001), await paid(6000)]
  const there = narrow.client(shop.merchant.keys.live)
  const refund = (id: string) => there.post(`/v1/charges/${id}/refund`)
  await untouched(async () => {
    assertRefused(await refund(small), tooSmall(1000))
    assertRefused(await refund(large), tooLarge(6000))
  })
  assert.equal((await refund(right)).status, 202)

  const { id: merchantId } = (await getMerchantNamed(narrow.gateway, shop.merchant.id)).merchant
  const own = { merchantId, phone: newPayer() }
  await setWithdrawalNumber(narrow.app, BY_HAND, own)
  await verifyWithdrawalNumber(narrow.app, BY_HAND, own)
  const withdraw = (amount: number) => requestWithdrawal(narrow.app, BY_HAND, { merchantId, amount })
  await untouched(async () => {
    const { code, message } = await refusalOf(withdraw(6001))
    assert.deepEqual([code, message], tooLarge(6000))
  })
  assert.equal((await withdraw(6000)).status, 'pending')
})

test('a live link or order that nobody can pay says so when it is made, unless a gift card could cover it', async () => {
  const { live, test: sandbox, merchant } = await service.shop()
  const made = async (api: typeof live, amount: number) =>
    (await api.post('/v1/payment-links', { amount, description: 'Sweets' })).body
  const said = (bounds: string) =>
    `no customer can pay this: the operator collects ${bounds} at once, and no gift card of yours could cover the rest`
  const small = await made(live, 300)
  assert.deepEqual([small.status, small.hint], ['pending', said('at least 500')])
  assert.equal((await made(live, 5_000_001)).hint, said('at most 5000000'))
  assert.equal('hint' in (await live.get(`/v1/payment-links/${small.id}`)).body, false, 'one shape elsewhere')
  for (const [api, amount] of [
    [live, 500],
    [live, 5_000_000],
    [sandbox, 300],
  ] as const)
    assert.equal('hint' in (await made(api, amount)), false)
  const { merchant: own } = await getMerchantNamed(service.gateway, merchant.id)
  await newCard(service, { merchantId: own.id, tag: own.tag }, 299)
  assert.equal((await made(live, 300)).hint, said('at least 500'))
  await newCard(service, { merchantId: own.id, tag: own.tag }, 300)
  assert.equal('hint' in (await made(live, 300)), false)
  assert.equal((await made(live, 5_000_301)).hint, said('at most 5000000'))
})

test('a cycle whose amount the operator does not send any more pauses its schedule, and nobody is paid', async () => {
  const shop = await richShop(service, 50_000)
  const body = { amount: 8000, interval: 'daily', recipients: [{ phone: newPayer() }] }
  const { id } = (await shop.live.post(SCHEDULES, body)).body
  const before = await balanceOf(shop.live)
  service.pass(1000)
  await narrow.run('run-schedules')
  const { status, failure_reason } = (await shop.live.get(`${SCHEDULES}/${id}`)).body
  assert.deepEqual([status, failure_reason], ['paused', tooLarge(6000)[1]])
  assert.deepEqual(await balanceOf(shop.live), before)
})
