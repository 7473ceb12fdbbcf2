import assert from 'node:assert/strict'
import test from 'node:test'
import { reporterOf } from '../../../api/http/changed-reports.ts'
import { type Callback, callbackBase } from '../../../fakes/supplier-callbacks.ts'
import { opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { keptOf, send } from '../../../helpers/vending/callbacks.ts'
import { DISPENSE, dispenseBody, paidCharge } from '../../../helpers/vending/direct-dispenses.ts'
import {
  dispensingOrder,
  failedOrder,
  makeOrder,
  payOrder,
  registerMachines,
  vendingShop,
} from '../../../helpers/vending/vending.ts'

const service = opened(() => startService())
const { shop, dispensing, statusOf, good, refused } = reporterOf(service)

/** Posts it, asserts that it was received and that no order, claim or event has changed. */
async function ignored(body: Callback): Promise<void> {
  const before = await service.digest()
  await send(service, body)
  assert.equal(await service.digest(), before)
}

test('what names nothing of ours is received and changes nothing', async () => {
  const order = await dispensing()
  const link = (await shop.api.post('/v1/payment-links', { amount: 1000 })).body
  const charge = await paidCharge(service, shop)
  const absent = order.order_id.replace(/.{4}$/, '0000')
  const kept = async () => (await service.rows('select id from vendor_callbacks')).length
  const before = await kept()
  for (const ids of [
    { ddbh: absent },
    { ddbh: 'lnk_unknown', dsfjybh: undefined },
    { ddbh: 12345 },
    { ddbh: link.id },
    { ddbh: undefined, dsfjybh: charge },
    { ddbh: undefined, dsfjybh: 'txn_unknown' },
    { ddbh: link.id, dsfjybh: charge },
    { ddbh: undefined, jqbh: 'NOWHERE' },
  ])
    await ignored(good(order, { dsfjybh: undefined, ...ids }))
  assert.equal(await kept(), before)
  assert.equal(await statusOf(order), 'dispensing')
})

test('ids of different orders, and another machine, are mismatches: kept, and nothing moves', async () => {
  const order = await dispensing()
  const second = await dispensing()
  const direct = await paidCharge(service, shop)
  await shop.api.post(DISPENSE, dispenseBody(direct, { order_id: 'direct-1' }))
  const plain = await paidCharge(service, shop)
  const stranger = await vendingShop(service)
  const foreign = await dispensingOrder(service, stranger)
  const changes = [
    { dsfjybh: second.charge_id },
    { dsfjybh: direct },
    { dsfjybh: plain },
    { dsfjybh: foreign.charge_id },
    { jqbh: 'M-2' },
    { jqbh: 'm-1' },
  ]
  for (const change of changes) await ignored(good(order, change))
  assert.deepEqual(
    await keptOf(service, order.order_id),
    changes.map(() => 'mismatch'),
  )
  // The message was ours to judge: with a wrong sign it says so.
  await refused(good(order, { dsfjybh: second.charge_id }, 'guess'), 401, 'invalid signature')
  // A charge that we do not know, or an order id that we do not, does not contradict the other.
  await send(service, good(order, { dsfjybh: 'their-own-number' }))
  assert.equal(await statusOf(order), 'dispensed')
  await send(service, good(second, { ddbh: 'their-own-number' }))
  assert.equal(await statusOf(second), 'dispensed')
})

test('an order that nobody paid, or that no machine was told of, is not moved', async () => {
  const unpaid = await makeOrder(shop)
  await ignored(good(unpaid))
  const paid = await makeOrder(shop)
  await payOrder(service, paid.order_id)
  await ignored(good(paid))
  const uncommanded = await failedOrder(service, shop)
  await ignored(good(uncommanded))
  for (const { order_id } of [unpaid, paid, uncommanded]) assert.deepEqual(await keptOf(service, order_id), ['unpaid'])
})

test('after a refund a report is kept and changes nothing', async () => {
  const order = await dispensing()
  for (let time = 0; time < 3; time += 1) await paidCharge(service, shop)
  const refund = await shop.api.post(`/v1/charges/${order.charge_id}/refund`)
  assert.equal(refund.status, 202, refund.text)
  await ignored(good(order))
  assert.deepEqual(await keptOf(service, order.order_id), ['refunded'])
})

test('one sign serves one order: shown again about another it changes nothing', async () => {
  await registerMachines(service, shop.merchantId, ['SHIFT'])
  const [first, second] = [await dispensing({ machine: 'SHIFT' }), await dispensing({ machine: 'SHIFT' })]
  // `memo` swallows the id: the same bytes are signed, and the machine alone is left to match by.
  const told = { aaa: '1', ddbh: second.order_id, dsfjybh: undefined, jqbh: 'SHIFT' }
  const body = good({ ...second, machine: 'SHIFT' }, told)
  const { aaa: _, ddbh: __, ...rest } = body
  const crafted = { aaa: `1&ddbh=${second.order_id}`, ...rest }
  assert.equal(callbackBase(crafted), callbackBase(body))
  await send(service, body)
  assert.equal(await statusOf(second), 'dispensed')
  await ignored(crafted)
  assert.equal(await statusOf(first), 'dispensing')
})

test('digits of the time cannot be moved into a name', async () => {
  const order = await dispensing()
  const ms = Math.floor(service.clock.nowMs() / 1000) * 1000 + 123
  const { ddbh, timestamp: _, ...body } = good(order, { timestamp: ms })
  const shifted = { ...body, '123ddbh': ddbh, timestamp: Math.floor(ms / 1000) }
  await refused(shifted, 400, 'malformed field 123ddbh')
})
