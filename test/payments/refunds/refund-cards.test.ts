import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount } from '../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { moveCharge } from '../../../src/payments/charges/move-charge.ts'
import { deactivateCard } from '../../../src/payments/gift-cards/switch-card.ts'
import { assertRefused, domain } from '../../api/http/refused.ts'
import { sendUntilEnded, settle } from '../../helpers/payments/following-payouts.ts'
import { newCard, payByCard, sumsOf, useOf } from '../../helpers/payments/gift-cards.ts'
import { richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { availableOf } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import type { Client } from '../../helpers/service/test-service.ts'
import { wordOf } from '../../operations/verify/world-charges.ts'

const service = openedAndVerified(() => startPayingService())

const refund = (api: Client, id: string) => api.post(`/v1/charges/${id}/refund`)

/** A merchant with 100,000 and a gift card of 50,000. */
async function shopWithCard() {
  const shop = await richShop(service, 100_000)
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const own = { merchantId: merchant.id, tag: merchant.tag }
  const { id: cardId } = await newCard(service, own)
  return { api: shop.live, test: shop.test, own, cardId, holder: merchant, created: shop.merchant }
}
type Carded = Awaited<ReturnType<typeof shopWithCard>>

/** A paid charge of 10,000 of which the card has paid 4,000. */
async function paidInPart({ own, cardId }: Carded) {
  const charge = await payByCard(service, own, { cardId, amount: 10_000, applied: 4000 })
  await moveCharge(service.app, {
    charge,
    to: { status: 'succeeded', railTransactionId: `number of ${charge.id}` },
    alongside: wordOf(charge, 'succeeded'),
  })
  return charge
}

test('of a charge partly paid by card the money is refunded and the rest goes back on the card', async () => {
  const shop = await shopWithCard()
  const { api, cardId } = shop
  const { id } = await paidInPart(shop)
  const before = await availableOf(api)
  assert.equal(before, 100_000 + 5800)
  assert.deepEqual(await sumsOf(service, cardId), [46_000, 0, 4000])
  const byPhone = await api.post(`/v1/charges/${id}/refund`, { amount: 6000 })
  assertRefused(byPhone, domain('only_full_refunds', 'only full refunds: amount must be 10000'))
  const { status, body } = await refund(api, id)
  assert.equal(status, 202)
  assert.deepEqual([body.gift_card_restored, body.refund.amount, body.refund.fee], [4000, 6000, 200])
  assert.deepEqual([await sumsOf(service, cardId), await useOf(service, id)], [[50_000, 0, 0], 'restored'])
  const [event] = await service.rows<any>(`select body from events where subject = $1 and type = 'charge.refunded'`, [
    id,
  ])
  const { amount, gift_card_amount, gift_card_restored, refund_amount, net } = JSON.parse(event.body).data
  assert.deepEqual(
    { amount, gift_card_amount, gift_card_restored, refund_amount, net },
    { amount: 10_000, gift_card_amount: 4000, gift_card_restored: 4000, refund_amount: 6000, net: 5800 },
  )
  assert.equal(await availableOf(api), before - 6200)
  await service.run('send-payouts')
  await settle(service, body.refund.id)
  assert.equal(await availableOf(api), 100_000 - 200, 'the payout fee is what it costs')
})

test('five refunds at once give the card back once', async () => {
  const shop = await shopWithCard()
  const { id } = await paidInPart(shop)
  await paidInPart(shop)
  const replies = await Promise.all(Array.from({ length: 5 }, () => refund(shop.api, id)))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [202, 400, 400, 400, 400])
  assert.deepEqual(await sumsOf(service, shop.cardId), [46_000, 0, 4000], 'the other charge keeps what it took')
})

test('a card gets its part back although it was switched off, and keeps it when the payout fails', async () => {
  const shop = await shopWithCard()
  const { id, phone } = await paidInPart(shop)
  service.operator.onSubmit({ answer: 'refuse', code: 'PAYEE_LOCKED' }, phone ?? '')
  await deactivateCard(service.app, BY_HAND, { owner: shop.holder, cardId: shop.cardId })
  const { status, body } = await refund(shop.api, id)
  assert.equal(status, 202, JSON.stringify(body))
  await sendUntilEnded(service, body.refund.id)
  assert.equal((await shop.api.get(`/v1/payouts/${body.refund.id}`)).body.status, 'failed')
  assert.deepEqual([await sumsOf(service, shop.cardId), await useOf(service, id)], [[50_000, 0, 0], 'restored'])
})

test('a refund that is refused leaves the card as it is', async () => {
  const shop = await shopWithCard()
  const { id } = await paidInPart(shop)
  await service.set(shop.created, { kycStatus: 'pending' })
  const before = await service.digest()
  assert.equal((await refund(shop.api, id)).status, 400)
  assert.equal(await service.digest(), before)
})

/** A charge of 10,000 that the card has paid in full. */
const paidInFull = ({ own, cardId }: Carded) => payByCard(service, own, { cardId, amount: 10_000, applied: 10_000 })
const restoredBy = (id: string) => ({
  charge_id: id,
  status: 'refunded',
  gift_card_restored: 10_000,
  refund: null,
})

test('C6 what a card paid in full goes back on the card: no payout, no money moved, one event', async () => {
  const shop = await shopWithCard()
  const { id, phone } = await paidInFull(shop)
  assert.equal(phone, null)
  const before = await availableOf(shop.api)
  const { status, body } = await refund(shop.api, id)
  assert.deepEqual([status, body], [200, restoredBy(id)])
  assert.deepEqual([await sumsOf(service, shop.cardId), await useOf(service, id)], [[50_000, 0, 0], 'restored'])
  assert.equal(await availableOf(shop.api), before)
  assert.deepEqual(await service.rows('select id from payouts where charge_id = $1', [id]), [])
  const read = (await shop.api.get(`/v1/charges/${id}`)).body
  assert.deepEqual(
    [read.status, read.refund_id, typeof read.refunded_at, read.settled],
    ['refunded', null, 'string', true],
  )
  const events = await service.rows<any>(`select body from events where subject = $1 and type = 'charge.refunded'`, [
    id,
  ])
  assert.equal(events.length, 1)
  const { refund_amount, refund_id, gift_card_restored, net } = JSON.parse(events[0].body).data
  assert.deepEqual(
    { refund_amount, refund_id, gift_card_restored, net },
    {
      ...{ refund_amount: 0, refund_id: null },
      ...{ gift_card_restored: 10_000, net: 0 },
    },
  )
  assertRefused(await refund(shop.api, id), domain('already_refunded', 'already_refunded'))
})

test('C6 five at once give it back once, and nothing that stops payouts stops it', async () => {
  const shop = await shopWithCard()
  const { id } = await paidInFull(shop)
  await paidInFull(shop)
  await deactivateCard(service.app, BY_HAND, { owner: shop.holder, cardId: shop.cardId })
  await freezeAccount(service.app, BY_HAND, { merchantId: shop.own.merchantId, reason: 'a look at it' })
  service.rail.ready('person')
  const replies = await Promise.all(Array.from({ length: 5 }, () => refund(shop.api, id)))
  service.rail.ready('ready')
  await freezeAccount(service.app, BY_HAND, { merchantId: shop.own.merchantId, reason: null })
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
  assert.deepEqual(await sumsOf(service, shop.cardId), [40_000, 0, 10_000], 'the other charge keeps what it took')
})

test('C6 a charge that no card has anything of has nothing to give back', async () => {
  const shop = await shopWithCard()
  const { id } = await paidInFull(shop)
  const use = await service.rows<any>('delete from gift_card_uses where charge_id = $1 returning *', [id])
  const before = await service.digest()
  assertRefused(await refund(shop.api, id), domain('refund_amount_is_zero', 'refund_amount_is_zero'))
  assert.equal(await service.digest(), before)
  const { merchant_id, card_id, amount, state, created_at, ended_at } = use[0]
  await service.rows(
    `insert into gift_card_uses (merchant_id, charge_id, card_id, amount, state, created_at, ended_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [merchant_id, id, card_id, amount, state, created_at, ended_at],
  )
})

test('C6 the key of the other mode is refused as of any charge', async () => {
  const shop = await shopWithCard()
  const { id } = await paidInFull(shop)
  const before = await service.digest()
  assert.equal((await refund(shop.test, id)).body.code, 'mode_mismatch')
  assert.equal(await service.digest(), before)
})

test('a charge without a phone has nowhere to go back to, which is told before its channel', async () => {
  const { test: api } = await service.shop()
  const missing = 'no_customer_phone_on_record_to_refund_to'
  for (const channel of ['op1_momo', 'card']) {
    const { body } = await api.charge({ channel, customer: { phone: newPayer() } })
    service.pass(2000)
    await service.run('follow-charges')
    await service.rows('update charges set phone = null, phone9 = null, phone_digest = null where id = $1', [body.id])
    const before = await service.digest()
    assertRefused(await refund(api, body.id), domain(missing, missing))
    assert.equal(await service.digest(), before)
  }
})
