import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { payLink } from '../../../../src/selling/payment-links/pay-link.ts'
import { claimOrder } from '../../../../src/selling/vending/dispensing/claim-order.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { newCard, sumsOf, useOf } from '../../../helpers/payments/gift-cards.ts'
import { CUSTOMER } from '../../../helpers/service/actors.ts'
import { type JamOwner, startJamRefunds } from '../../../helpers/vending/jam-refunds.ts'
import { DELIVERED, JAM, say, told, vendingEventNames } from '../../../helpers/vending/machine-words.ts'
import { newOrder, type PaidOrder, PRICE } from '../../../helpers/vending/paid-orders.ts'

const jams = await startJamRefunds()
const { service, other, owner, fundLive, refundJams, dueOf, view } = jams
after(jams.end)

/** A live order that a card of 8,000 pays: all of its 5,000 unless another amount is given. */
async function paidByCard(own: JamOwner, applied = PRICE): Promise<PaidOrder & { cardId: string }> {
  const place = await newOrder(service, own, { mode: 'live' })
  const { id: cardId } = await newCard(service, own, applied === PRICE ? 8000 : applied)
  const paid = await payLink(service.app, CUSTOMER, {
    link: { ...place, mode: 'live', allowMultipleUses: false, tag: own.tag },
    payment: {
      ...{ channel: 'op1_momo', phone: applied === PRICE ? null : '256700000000', email: null },
      ...{ card: { id: cardId, applied }, chargeId: null },
    },
  })
  assert.ok(paid.kind === 'stored', JSON.stringify(paid))
  if (applied < PRICE) await succeed(service, paid.chargeId)
  return { ...place, mode: 'live', chargeId: paid.chargeId, cardId }
}

async function jammed(own: JamOwner, applied?: number) {
  const order = await paidByCard(own, applied)
  await told(service, order)
  assert.equal(await say(service, order, JAM), 'moved')
  return order
}

const payoutsOf = ({ chargeId }: PaidOrder) =>
  service.rows<{ amount: number }>('select amount::int as amount from payouts where charge_id = $1', [chargeId])
const page = async ({ id }: PaidOrder, path: string) => (await fetch(`${service.url}${path.replace(':id', id)}`)).text()

test('C6 a jam of an order that a gift card paid returns its value to the card, once, without moving money', async () => {
  const own = await owner('live')
  const order = await jammed(own)
  assert.deepEqual(await sumsOf(service, order.cardId), [3000, 0, 5000])
  await Promise.all([refundJams(), other.run('refund-jams')])
  assert.deepEqual(await sumsOf(service, order.cardId), [8000, 0, 0])
  assert.deepEqual([await useOf(service, order.chargeId), await payoutsOf(order)], ['restored', []])
  const { refunded, vending_status, vending_error, payment_status } = await view(order)
  assert.deepEqual(
    [refunded, vending_status, vending_error, payment_status],
    [true, 'failed', 'the machine reported a jam', 'succeeded'],
  )
  assert.equal(await dueOf(order), null)
  assert.equal(await say(service, order, DELIVERED), 'refunded')
  assert.equal((await claimOrder(service.app, order)).kind, 'unpaid')
  assert.deepEqual(await vendingEventNames(service, order), ['vending.dispense_failed 1'])
  assert.match(await page(order, '/pay/:id/receipt'), /has put the amount back on the gift card\./)
  assert.match(await page(order, '/vending/display/:id'), /has put your UGX 5,000 back on the gift card\./)
})

test('C6 without the setting nothing is returned automatically, and the refund operation returns it', async () => {
  const own = await owner('off')
  const order = await jammed(own)
  assert.equal(await refundJams(), 0)
  assert.deepEqual(await sumsOf(service, order.cardId), [3000, 0, 5000])
  const { status, body } = await own.live.post(`/v1/charges/${order.chargeId}/refund`)
  assert.deepEqual([status, body.gift_card_restored, body.refund], [200, PRICE, null])
  assert.deepEqual(await sumsOf(service, order.cardId), [8000, 0, 0])
})

test('C6 a jam of an order that a card and a phone paid returns each its part', async () => {
  const own = await owner('live')
  await fundLive(own)
  const order = await jammed(own, 2000)
  assert.equal(await refundJams(), 1)
  assert.deepEqual(await sumsOf(service, order.cardId), [2000, 0, 0])
  assert.deepEqual(await payoutsOf(order), [{ amount: 3000 }])
})

test('C6 a card gets nothing back for an order that is being dispensed again', async () => {
  const own = await owner('live')
  const order = await jammed(own)
  await told(service, order)
  assert.equal(await refundJams(), 0)
  assert.equal(await say(service, order, DELIVERED), 'moved')
  assert.equal(await refundJams(), 0)
  assert.deepEqual(await sumsOf(service, order.cardId), [3000, 0, 5000])
})
