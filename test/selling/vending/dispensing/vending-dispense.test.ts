import assert from 'node:assert/strict'
import test from 'node:test'
import { claimOrder } from '../../../../src/selling/vending/dispensing/claim-order.ts'
import { stillClock } from '../../../api/rate-limits/still-clock.ts'
import { eventsOf } from '../../../helpers/database/money-rows.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { claimsOf, commandsOf } from '../../../helpers/vending/dispense-claims.ts'
import {
  dispensingOrder,
  failedOrder,
  makeOrder,
  payOrder,
  readOrder,
  retry,
  vendingShop,
} from '../../../helpers/vending/vending.ts'

const REFUSED = 'machine supplier refused the command: the simulated machine refuses'
const service = openedAndVerified(() => startService({ clock: stillClock() }))
const shop = made(() => vendingShop(service))

const typesOf = async (id: string) => (await eventsOf(service, id)).map(({ type }) => type)

test('an order that failed because vending was off is dispensed by a retry, once', async () => {
  const failed = await failedOrder(service, shop, { machine: 'M-OK' })
  assert.deepEqual(
    [failed.vending_status, failed.vending_error, failed.payment_status],
    ['failed', 'vending is disabled for this merchant', 'succeeded'],
  )
  assert.deepEqual(await typesOf(failed.order_id), ['vending.dispense_failed'])
  assert.equal(await commandsOf(service, failed.charge_id), 0)
  const { status, body } = await retry({ api: shop.collections }, failed.order_id)
  const { ok, ...order } = body
  assert.deepEqual([status, ok], [200, true])
  assert.deepEqual(order, { ...failed, vending_status: 'dispensing', vending_error: null })
  service.pass(2000)
  await service.run('dispense')
  const done = await readOrder(shop, failed.order_id)
  assert.deepEqual([done.vending_status, done.vending_error], ['dispensed', null])
  assert.deepEqual(await typesOf(failed.order_id), ['vending.dispense_failed', 'vending.dispensed'])
  assert.equal(await commandsOf(service, failed.charge_id), 1)
})

test('a retry of a dispensed order is answered with its state: no command, no write', async () => {
  const { order_id, charge_id } = await dispensingOrder(service, shop, { machine: 'M-OK' })
  service.pass(2000)
  await service.run('dispense')
  const digest = await service.digest()
  for (let time = 0; time < 3; time += 1) {
    const { status, body } = await retry(shop, order_id)
    const { ok, ...order } = body
    assert.deepEqual([status, ok], [200, true])
    assert.deepEqual(order, await readOrder(shop, order_id))
  }
  assert.equal(await service.digest(), digest)
  assert.equal(await commandsOf(service, charge_id), 1)
})

test('while a command is open no other is sent: claimed, accepted and in doubt', async () => {
  for (const machine of ['M-1', 'M-BUSY', 'M-LOST']) {
    const { order_id, charge_id } = await dispensingOrder(service, shop, { machine })
    const digest = await service.digest()
    const { status, body } = await retry(shop, order_id)
    assert.deepEqual(
      [machine, status, body.code, body.error],
      [machine, 409, 'conflict', 'a dispense attempt is already in progress - wait for it to finish'],
    )
    assert.equal(await service.digest(), digest)
    assert.equal(await commandsOf(service, charge_id), 1)
  }
})

test('a second refusal by the supplier is an answer: the order stays failed, each try sends one event, none dispenses', async () => {
  const { order_id, charge_id, vending_error } = await dispensingOrder(service, shop, { machine: 'M-REFUSE' })
  assert.equal(vending_error, REFUSED)
  for (let time = 2; time <= 3; time += 1) {
    const { status, body } = await retry(shop, order_id)
    assert.deepEqual([status, body.ok, body.vending_status, body.vending_error], [200, false, 'failed', REFUSED])
    assert.deepEqual(await typesOf(order_id), Array(time).fill('vending.dispense_failed'))
    assert.deepEqual(
      (await claimsOf(service, charge_id)).map(({ state }) => state),
      Array(time).fill('released'),
    )
  }
})

test('an order that jammed can be tried again, and its second command counts', async () => {
  const { order_id, charge_id } = await dispensingOrder(service, shop, { machine: 'M-JAM' })
  service.pass(2000)
  await service.run('dispense')
  assert.equal((await readOrder(shop, order_id)).vending_status, 'failed')
  const again = await retry(shop, order_id)
  assert.deepEqual([again.body.ok, again.body.vending_status], [true, 'dispensing'])
  service.pass(2000)
  await service.run('dispense')
  assert.deepEqual(await typesOf(order_id), ['vending.dispense_failed', 'vending.dispense_failed'])
  assert.equal(await commandsOf(service, charge_id), 2)
})

test('a retry sends the command of a paid order at once if it is still waiting for the background task', async () => {
  const { order_id } = await makeOrder(shop)
  const charge = await payOrder(service, order_id)
  assert.equal((await retry(shop, order_id)).body.vending_status, 'dispensing')
  await service.run('dispense')
  assert.equal(await commandsOf(service, charge), 1)
})

test('a refunded order is never dispensed, by the background task or by a retry', async () => {
  const { order_id } = await makeOrder(shop)
  const charge = await payOrder(service, order_id)
  assert.equal((await shop.api.post(`/v1/charges/${charge}/refund`)).status, 202)
  await service.run('dispense')
  const { status, body } = await retry(shop, order_id)
  assert.deepEqual(
    [status, body.code, body.error],
    [400, 'charge_not_succeeded', 'cannot dispense: charge status is refunded, not succeeded'],
  )
  assert.deepEqual(await claimsOf(service, charge), [])
})

test('a claim whose process died before it sent anything is taken over after its lease, once', async () => {
  const { order_id } = await makeOrder(shop)
  const charge = await payOrder(service, order_id)
  const claimed = await claimOrder(service.app, { merchantId: shop.merchantId, id: order_id })
  assert.equal(claimed.kind, 'claimed')
  assert.equal((await retry(shop, order_id)).status, 409)
  await service.run('dispense')
  assert.equal(await commandsOf(service, charge), 0, 'it still belongs to whoever claimed it')
  service.pass(61_000)
  await service.run('dispense')
  await service.run('dispense')
  assert.deepEqual(
    (await claimsOf(service, charge)).map(({ state, commanded }) => [state, commanded]),
    [['accepted', true]],
  )
})
