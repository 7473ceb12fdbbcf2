import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { balanceOf, eventsOf } from '../../helpers/database/money-rows.ts'
import { followUntilEnded, passUntil, TOP_UPS } from '../../helpers/payments/following-charges.ts'
import { lookOnce, sendUntilEnded } from '../../helpers/payments/following-payouts.ts'
import { pay } from '../../helpers/payments/payouts.ts'
import { monthNow, statementOf } from '../../helpers/payments/statements.ts'
import { DAY, newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'

// One shop's first days with real money: over HTTP, its commands and its pages, through the real adapter to the operator. Each
// test goes on where the last one ended.
const service = openedAndVerified(() => startOp1Service())
const { json } = commandsOn(service, { more: () => ({ OP1_INSTALLATIONS: service.installations }) })
const shop: Shop & { handle: string } = made(async () => {
  const merchant = await service.merchant({ verified: false })
  const { handle } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const [live, test] = [service.client(merchant.keys.live), service.client(merchant.keys.test)]
  return { merchant, handle, live, test }
})

/** What the operator knows of this movement. */
const askedFor = (id: string) => service.emulator.transactions({ externalId: id })[0]
/** The customer, or the operator itself, agrees. */
async function agree(id: string): Promise<void> {
  await service.emulator.resolve(askedFor(id)?.reference ?? '', { status: 'SUCCESSFUL' })
}
async function succeed(chargeId: string): Promise<void> {
  await agree(chargeId)
  await followUntilEnded(service, chargeId)
}
async function settle(payoutId: string): Promise<void> {
  await agree(payoutId)
  await sendUntilEnded(service, payoutId)
}
const typesOf = async (id: string) => (await eventsOf(service, id)).map(({ type }) => type)
const availableNow = async () => (await balanceOf(shop.live)).available
/** Passes the hold of everything that is pending, and releases it. */
async function afterHold(): Promise<void> {
  service.pass(DAY + 1000)
  await service.run('settle-charges')
}
/** A live charge that its customer has paid, after its hold. */
async function sold(amount: number): Promise<string> {
  const { body } = await shop.live.charge({ amount, customer: { phone: newPayer() } })
  await succeed(body.id)
  await afterHold()
  return body.id
}

test('an unverified business takes no live money; its test key works from the first minute', async () => {
  const refused = await shop.live.charge({ customer: { phone: newPayer() } })
  assert.deepEqual([refused.status, refused.body.code], [400, 'verification_required'])
  assert.equal((await shop.test.charge()).status, 201)
  assert.deepEqual(service.emulator.transactions(), [])
  await json('merchants', 'set', shop.handle, '--kyc', 'verified')
})

test('a customer agrees on the phone, and a day later the money is available', async () => {
  const phone = newPayer()
  const { status, body } = await shop.live.charge({
    amount: 100_000,
    customer: { phone },
    reference: 'order-1',
  })
  assert.deepEqual([status, body.status, body.mode], [201, 'authorized', 'live'])
  const prompt = askedFor(body.id)
  assert.deepEqual([prompt?.amount, prompt?.phone, prompt?.status], [100_000, phone, 'PENDING'])
  assert.equal(prompt?.reference, body.rail_reference)
  await succeed(body.id)
  const { body: paid } = await shop.live.get(`/v1/charges/${body.id}`)
  assert.deepEqual([paid.status, paid.settled, paid.net], ['succeeded', false, 98_500])
  assert.deepEqual(await typesOf(body.id), ['charge.succeeded'])
  service.pass(DAY - 60_000)
  await service.run('settle-charges')
  assert.deepEqual(await balanceOf(shop.live), { available: 0, pending: 98_500 })
  passUntil(service, new Date(paid.available_on))
  await service.run('settle-charges')
  assert.deepEqual(await balanceOf(shop.live), { available: 98_500, pending: 0 })
})

test('a wallet is looked up, and then paid', async () => {
  const phone = newPayer()
  const { body: holder } = await shop.live.get(`/v1/resolve-account?phone=${phone}`)
  assert.deepEqual([holder.msisdn, holder.active, holder.mode], [phone, true, 'live'])
  assert.ok(holder.registered_name)
  const { status, body } = await pay(shop.live, { amount: 20_000, recipient: { phone } })
  assert.deepEqual([status, body.status], [201, 'authorized'])
  assert.equal(await availableNow(), 98_500 - 20_300)
  await settle(body.id)
  assert.equal((await shop.live.get(`/v1/payouts/${body.id}`)).body.status, 'succeeded')
  assert.deepEqual(await typesOf(body.id), ['payout.succeeded'])
})

test('a customer gets the money back, and the shop its fee', async () => {
  const charge = await sold(30_000)
  const before = await availableNow()
  const { status, body } = await shop.live.post(`/v1/charges/${charge}/refund`)
  assert.deepEqual([status, body.refund.amount], [202, 30_000])
  assert.equal(await availableNow(), before - 30_450)
  await lookOnce(service, body.refund.id)
  await settle(body.refund.id)
  assert.equal((await shop.live.get(`/v1/charges/${charge}`)).body.status, 'refunded')
  assert.deepEqual(await typesOf(body.refund.id), ['payout.succeeded'])
  assert.equal(await availableNow(), before - 30_000, 'the fee of the charge came back')
})

test('the shop tops up, and withdraws to its own number', async () => {
  const before = await availableNow()
  const [till, own] = [newPayer(), newPayer()]
  const asked = ['top-ups', 'request', shop.handle, '--amount', '15000', '--phone', till, '--key', 'till']
  const topUp = await json(...asked)
  await agree(topUp.id)
  await followUntilEnded(service, topUp.id, TOP_UPS)
  assert.deepEqual((await json(...asked)).status, 'succeeded')
  assert.equal(await availableNow(), before + 15_000)

  await json('withdrawals', 'number', shop.handle, '--phone', own)
  await json('withdrawals', 'verify-number', shop.handle, '--phone', own)
  const { id } = await json('withdrawals', 'request', shop.handle, '--amount', '40000')
  assert.equal(askedFor(id), undefined, 'nothing is sent before it is approved')
  await json('withdrawals', 'approve', '--id', id)
  await lookOnce(service, id)
  assert.deepEqual([askedFor(id)?.amount, askedFor(id)?.phone], [40_000, own])
  await settle(id)
  assert.equal((await shop.live.get(`/v1/payouts/${id}`)).body.status, 'succeeded')
  assert.equal(await availableNow(), before + 15_000 - 40_600)
})

test('a customer pays on the hosted page: told to look at the phone, after a minute that the page may be closed, then paid', async () => {
  const { body: link } = await shop.live.post('/v1/payment-links', { amount: 12_000, reference: 'order-2' })
  const browser = browserOf(service)
  const form = await browser.get(`/pay/${link.id}`)
  const waiting = await browser.follow(await browser.send(form, '/submit', { phone: newPayer() }))
  const says = (text: string, sentence: string) => text.includes(sentence.slice(0, 30))
  assert.ok(says(waiting.text, EN.waiting.title))
  service.pass(61_000)
  await service.emulator.advance(61_000)
  const later = (await browser.get(`/pay/${link.id}/status`)).text
  assert.ok(later.includes(EN.waiting.still('MTN MoMo')), later)
  assert.ok(says(later, EN.waiting.mayClose('')))
  const { data } = (await shop.live.get('/v1/charges?reference=order-2&limit=1')).body
  const { id, status } = data[0]
  assert.equal(status, 'authorized', 'no clock ends it')
  await succeed(id)
  assert.ok(says((await browser.get(`/pay/${link.id}/status`)).text, EN.receipt.fresh))
  assert.deepEqual(await typesOf(id), ['charge.succeeded'])
  await afterHold()
})

test('at the end the books agree with the operator, movement by movement', async () => {
  const all = Object.values(service.emulator.oracle().references)
  assert.equal(all.length, 7)
  assert.deepEqual(
    all.map(({ status, moves }) => [status, moves]),
    all.map(() => ['SUCCESSFUL', 1]),
  )
  const net = all.reduce((sum, { product, amount }) => sum + (product === 'collection' ? amount : -amount), 0)
  const [mirror] = await service.rows<{ held: number }>(
    `select sum(case when debit = 'rail:op1_momo' then amount else -amount end)::int as held
     from transfers where mode = 'live' and 'rail:op1_momo' in (debit, credit)`,
  )
  assert.equal(mirror?.held, net)
  const { closing_balance } = await statementOf(shop.live, monthNow(service))
  const { available, pending } = await balanceOf(shop.live)
  assert.equal(closing_balance, available + pending)
})
