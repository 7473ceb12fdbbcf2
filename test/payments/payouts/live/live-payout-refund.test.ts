import assert from 'node:assert/strict'
import test from 'node:test'
import { freezePlatform } from '../../../../src/merchants/account/payout-freeze.ts'
import { assertRefused, domain, type Refused } from '../../../api/http/refused.ts'
import { balanceOf, eventsOf, transfersOf } from '../../../helpers/database/money-rows.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import {
  lookOnce,
  movementsOf,
  sendUntilEnded,
  settle,
  submitsOf,
} from '../../../helpers/payments/following-payouts.ts'
import { COST, PAID, postingsOf, RETURNED } from '../../../helpers/payments/payout-money.ts'
import { payoutDigest, payoutOf, richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { newPayer, type Shop, startBeside } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const FUNDS = 500_000
const NET = 4800
const service = openedAndVerified(() => startPayingService())
const second = opened(() => startBeside(service))

/** A paid live charge of 5000, of a merchant that has other money too. */
async function sold(): Promise<{ shop: Shop; charge: string; phone: string }> {
  const shop = await richShop(service, FUNDS)
  const phone = newPayer()
  const { body } = await shop.live.charge({ customer: { phone }, reference: 'order-1' })
  await succeed(service, body.id)
  return { shop, charge: body.id, phone }
}
const refund = ({ live }: Pick<Shop, 'live'>, charge: string) => live.post(`/v1/charges/${charge}/refund`)
const digest = async () => `${await service.digest()} ${await payoutDigest(service)}`

test('a live refund is queued, sent to the customer once, and costs the merchant the payout fee', async () => {
  const { shop, charge, phone } = await sold()
  const started = await refund(shop, charge)
  assert.equal(started.status, 202)
  const { id } = started.body.refund
  assert.deepEqual(started.body, {
    charge_id: charge,
    status: 'refunded',
    gift_card_restored: 0,
    refund: { id, amount: 5000, fee: 200, currency: 'UGX', recipient_phone: phone, status: 'authorized', metadata: {} },
  })
  assert.deepEqual(await balanceOf(shop.live), { available: FUNDS + NET - COST, pending: 0 })
  assert.equal((await payoutOf(shop.live, id)).status, 'authorized')
  assert.equal(await submitsOf(service, id), 0, 'not from the request')
  await service.run('send-payouts')
  assert.equal(service.entryOf(id)?.phone, phone)
  await settle(service, id)
  const paid = await payoutOf(shop.live, id)
  assert.deepEqual([paid.status, paid.kind, paid.charge_id, paid.reference], ['succeeded', 'refund', charge, 'order-1'])
  assert.deepEqual(await postingsOf(service, id), PAID)
  assert.deepEqual((await transfersOf(service, charge)).at(-1), {
    kind: 'charge_fee_return',
    amount: 200,
    mode: 'live',
  })
  assert.deepEqual(await balanceOf(shop.live), { available: FUNDS - 200, pending: 0 })
  assert.deepEqual([await submitsOf(service, id), await movementsOf(service, id)], [1, 1])
  const told = [...(await eventsOf(service, charge)), ...(await eventsOf(service, id))]
  assert.deepEqual(told.map(({ type }) => type).sort(), ['charge.refunded', 'charge.succeeded', 'payout.succeeded'])
  const { rail_transaction_id: _, ...shown } = paid
  const event = told.find(({ type }) => type === 'payout.succeeded')
  assert.deepEqual(JSON.parse(event?.body ?? '').data, { ...shown, merchant_reference: 'order-1' })
})

test('a refund that the operator refuses returns amount and fee; the charge stays refunded, and its fee is kept', async () => {
  const { shop, charge, phone } = await sold()
  service.operator.onSubmit({ answer: 'refuse', code: 'PAYEE_LOCKED' }, phone)
  const { id } = (await refund(shop, charge)).body.refund
  await sendUntilEnded(service, id)
  const { status, failure_reason } = await payoutOf(shop.live, id)
  assert.deepEqual([status, failure_reason], ['failed', 'wallet_locked'])
  assert.deepEqual(await postingsOf(service, id), RETURNED)
  assert.deepEqual(await balanceOf(shop.live), { available: FUNDS + NET, pending: 0 })
  assert.equal((await shop.live.get(`/v1/charges/${charge}`)).body.status, 'refunded')
  assert.equal((await refund(shop, charge)).body.code, 'already_refunded')
  assert.deepEqual(
    (await eventsOf(service, id)).map(({ type }) => type),
    ['payout.failed'],
  )
})

const unavailable = (why: string) => domain('rail_unavailable', `disbursement rail unavailable: ${why}`)
const AWAY: Refused = {
  status: 503,
  code: 'rail_unavailable',
  error: 'disbursement temporarily unavailable - retry shortly',
}
for (const [verdict, expected, retryAfter] of [
  ['wait', AWAY, '7'],
  ['person', unavailable('rail not configured'), undefined],
] as const)
  test(`a rail that is not ready (${verdict}) refuses a refund with nothing written; the charge stays as it is`, async () => {
    const { shop, charge } = await sold()
    const before = await digest()
    service.rail.ready(verdict)
    const refused = await refund(shop, charge)
    service.rail.ready('ready')
    assertRefused(refused, expected, retryAfter === undefined ? {} : { retryAfter })
    assert.equal(await digest(), before, 'zero writes')
    assert.equal((await shop.live.get(`/v1/charges/${charge}`)).body.status, 'succeeded')
    const { id } = (await refund(shop, charge)).body.refund
    await service.run('send-payouts')
    await settle(service, id)
    assert.equal(await movementsOf(service, id), 1)
  })

test('without a rail a live refund is refused with the reason, after every other rule', async () => {
  const { shop, charge } = await sold()
  const bare = await startService({ database: service.database, clock: service.clock })
  try {
    const before = await digest()
    const api = { live: bare.client(shop.merchant.keys.live) }
    assertRefused(await refund(api, charge), unavailable('rail not configured'))
    assert.equal(await digest(), before)
  } finally {
    await bare.close()
  }
})

test('a freeze refuses new refunds and holds waiting ones back; a lost verification refuses only new ones', async () => {
  const { shop, charge } = await sold()
  const { body } = await shop.live.charge({ customer: { phone: newPayer() } })
  await succeed(service, body.id)
  const { id } = (await refund(shop, charge)).body.refund
  await freezePlatform(service.gateway, BY_HAND, 'a review')
  const before = await digest()
  const refused = await refund(shop, body.id)
  const after = await digest()
  service.pass(60_000)
  await service.run('send-payouts')
  await freezePlatform(service.gateway, BY_HAND, null)
  assert.deepEqual([refused.status, refused.body.code], [400, 'payouts_frozen'])
  assert.equal(after, before, 'zero writes')
  assert.equal(await submitsOf(service, id), 0)
  await service.set(shop.merchant, { kycStatus: 'rejected' })
  assert.equal((await refund(shop, body.id)).body.code, 'verification_required')
  await lookOnce(service, id)
  await settle(service, id)
  assert.equal(await movementsOf(service, id), 1)
})

test('a refund that the operator cannot take now is sent again until it does', async () => {
  const { shop, charge, phone } = await sold()
  const { id } = (await refund(shop, charge)).body.refund
  service.operator.onSubmit({ answer: 'refuse to serve' }, phone)
  for (let nth = 0; nth < 6; nth += 1) await lookOnce(service, id)
  assert.equal((await payoutOf(shop.live, id)).status, 'authorized', 'never back to pending')
  assert.equal(await submitsOf(service, id), 6)
  service.operator.onSubmit({ answer: 'accept' }, phone)
  await lookOnce(service, id)
  await settle(service, id)
  assert.equal(await movementsOf(service, id), 1)
})

test('forty refunds of one live charge at once over two services pay the customer once', async () => {
  const { shop, charge } = await sold()
  const clients = [service, second].map((testService) => ({
    live: testService.client(shop.merchant.keys.live),
  }))
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, nth) => refund(clients[nth % 2] as Pick<Shop, 'live'>, charge)),
  )
  const [started, ...more] = replies.filter(({ status }) => status === 202)
  assert.deepEqual(more, [])
  assert.ok(replies.every(({ status, body }) => status === 202 || body.code === 'already_refunded'))
  const id = started?.body.refund.id
  await Promise.all([service.run('send-payouts'), second.run('send-payouts')])
  await settle(service, id)
  assert.deepEqual([await submitsOf(service, id), await movementsOf(service, id)], [1, 1])
  assert.deepEqual(await balanceOf(shop.live), { available: FUNDS - 200, pending: 0 })
})

test('a key of the other mode is told so, and nothing is written in either mode', async () => {
  const { shop, charge } = await sold()
  const before = await digest()
  const refused = await refund({ live: shop.test }, charge)
  assertRefused(
    refused,
    domain('mode_mismatch', 'mode_mismatch: this is a live charge - use your sk_live_ key to refund it'),
  )
  assert.equal(await digest(), before)
})
