import assert from 'node:assert/strict'
import test from 'node:test'
import { setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { postCallback } from '../../../fakes/supplier-callbacks.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import {
  dispenseSecret,
  keptOf,
  report,
  reportingShop,
  send,
  vendingEventsOf,
} from '../../../helpers/vending/callbacks.ts'
import { DISPENSE, dispenseBody, paidCharge } from '../../../helpers/vending/direct-dispenses.ts'
import { claimsOf } from '../../../helpers/vending/dispense-claims.ts'
import {
  dispensingOrder,
  GOODS,
  readOrder,
  registerMachines,
  setProfile,
  vendingShop,
} from '../../../helpers/vending/vending.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => reportingShop(service))

const dispensing = (more: object = {}) => dispensingOrder(service, shop, more)
const read = (order: { order_id: string }) => readOrder(shop, order.order_id)
const names = (events: any[]) => events.map(({ event }) => event)

test('with a supplier that never reports, the order counts as dispensed until a machine contradicts it', async () => {
  const own = await reportingShop(service)
  const key = own.secret
  await setProfile(service, own, 'optimistic')
  const orders = [await dispensingOrder(service, own), await dispensingOrder(service, own)]
  for (const order of orders) assert.equal(order.vending_status, 'dispensed')
  const [confirmed, contradicted] = orders
  await send(service, report(service, 'done', { ...confirmed, secret: key }))
  assert.deepEqual(names(await vendingEventsOf(service, confirmed.order_id)), ['vending.dispensed'])
  // Without ids a report is about the newest order that no machine has confirmed.
  service.pass(1000)
  await send(service, report(service, 'without ids', { secret: key, machine: 'M-1' }))
  await send(service, report(service, 'jam', { ...confirmed, secret: key }))
  assert.equal((await readOrder(own, confirmed.order_id)).vending_status, 'dispensed')
  assert.deepEqual(await keptOf(service, contradicted.order_id), ['dispensed'])
  const third = await dispensingOrder(service, own)
  await send(service, report(service, 'jam', { ...third, secret: key }))
  assert.equal((await readOrder(own, third.order_id)).vending_status, 'failed')
  service.pass(1000)
  await send(service, report(service, 'done', { ...third, secret: key }))
  assert.deepEqual(names(await vendingEventsOf(service, third.order_id)), [
    'vending.dispensed',
    'vending.dispense_failed',
    'vending.dispensed',
  ])
})

test('without ids the newest order in progress at that machine is meant, and the signature identifies the merchant', async () => {
  const other = await vendingShop(service)
  const otherSecret = await dispenseSecret(other)
  await registerMachines(service, other.merchantId, ['SHARED'])
  await registerMachines(service, shop.merchantId, ['SHARED'])
  const own = [await dispensing({ machine: 'SHARED' }), await dispensing({ machine: 'SHARED' })]
  const foreign = await dispensingOrder(service, other, { machine: 'SHARED' })
  await send(service, report(service, 'without ids', { secret: shop.secret, machine: 'SHARED' }))
  assert.equal((await read(own[1])).vending_status, 'dispensed')
  assert.equal((await read(own[0])).vending_status, 'dispensing')
  assert.equal((await readOrder(other, foreign.order_id)).vending_status, 'dispensing')
  service.pass(1000)
  await send(service, report(service, 'without ids', { secret: otherSecret, machine: 'SHARED' }))
  assert.equal((await readOrder(other, foreign.order_id)).vending_status, 'dispensed')
  assert.equal((await read(own[0])).vending_status, 'dispensing')
})

test('a copy of a message without ids does not end the next order at that machine', async () => {
  await registerMachines(service, shop.merchantId, ['LONELY'])
  await dispensing({ machine: 'LONELY' })
  const body = report(service, 'without ids', { secret: shop.secret, machine: 'LONELY' })
  await send(service, body)
  const next = await dispensing({ machine: 'LONELY' })
  await send(service, body)
  assert.equal((await read(next)).vending_status, 'dispensing')
  assert.deepEqual(await keptOf(service, next.order_id), [])
})

test('two merchants with the same machine and the same secret: the merchant is ambiguous, and nothing happens', async () => {
  const shops = [await vendingShop(service), await vendingShop(service)]
  const orders: any[] = []
  for (const own of shops) {
    await setVending(service.app, BY_HAND, {
      merchant: { id: own.merchantId },
      change: {
        supplier: { baseUrl: 'https://suppliers.co.ug', key: 'k', secret: 'the same', shbh: '1' },
      },
    })
    await registerMachines(service, own.merchantId, ['TWICE'])
    orders.push(await dispensingOrder(service, own, { machine: 'TWICE' }))
  }
  await send(service, report(service, 'without ids', { secret: 'the same', machine: 'TWICE' }))
  for (const [at, own] of shops.entries()) {
    const { order_id } = orders[at]
    assert.equal((await readOrder(own, order_id)).vending_status, 'dispensing')
    assert.deepEqual(await keptOf(service, order_id), ['mismatch'])
  }
})

test('a charge id alone identifies its order', async () => {
  const order = await dispensing()
  await send(service, report(service, 'done', { secret: shop.secret, charge_id: order.charge_id }))
  assert.equal((await read(order)).vending_status, 'dispensed')
})

test('direct dispenses are matched by their charge and send the same events', async () => {
  const charge = await paidCharge(service, shop)
  assert.equal((await shop.api.post(DISPENSE, dispenseBody(charge, { order_id: 'own-77' }))).status, 200)
  service.pass(1000)
  const about = { secret: shop.secret, order_id: 'own-77', charge_id: charge }
  const jam = report(service, 'jam', about)
  await Promise.all(Array.from({ length: 10 }, () => send(service, jam)))
  const [failed, ...more] = await vendingEventsOf(service, 'own-77')
  assert.equal(more.length, 0)
  assert.equal(failed.event, 'vending.dispense_failed')
  assert.deepEqual(
    [failed.data.charge_id, failed.data.vending_error, failed.data.pay_url, failed.data.source, failed.deliveries],
    [charge, 'the machine reported a jam', null, 'callback', 1],
  )
  // The jam has freed the charge: a second dispense takes it, and a copy of the jam does not end that.
  assert.equal((await shop.api.post(DISPENSE, dispenseBody(charge, { order_id: 'own-78' }))).status, 200)
  await send(service, jam)
  service.pass(1000)
  await send(service, report(service, 'done', { ...about, order_id: 'own-78', goods: GOODS }))
  assert.deepEqual(names(await vendingEventsOf(service, 'own-78')), ['vending.dispensed'])
  assert.deepEqual(
    (await claimsOf(service, charge)).map(({ state }) => state),
    ['released', 'delivered'],
  )
  service.pass(1000)
  await send(service, report(service, 'jam', { ...about, order_id: 'own-78' }))
  assert.equal((await vendingEventsOf(service, 'own-78')).length, 1)
  assert.equal((await shop.api.post(DISPENSE, dispenseBody(charge))).status, 409)
})

test('a direct dispense that was delivered after all spends its charge again', async () => {
  const charge = await paidCharge(service, shop)
  await shop.api.post(DISPENSE, dispenseBody(charge, { order_id: 'late-1' }))
  await send(service, report(service, 'jam', { secret: shop.secret, charge_id: charge }))
  service.pass(1000)
  await send(service, report(service, 'done', { secret: shop.secret, charge_id: charge }))
  assert.deepEqual(names(await vendingEventsOf(service, 'late-1')), ['vending.dispense_failed', 'vending.dispensed'])
  assert.equal((await shop.api.post(DISPENSE, dispenseBody(charge, { order_id: 'late-2' }))).status, 409)
})

test('a simulated machine reports direct dispenses too', async () => {
  for (const [machine, event] of [
    ['M-OK', 'vending.dispensed'],
    ['M-JAM', 'vending.dispense_failed'],
  ] as const) {
    const charge = await paidCharge(service, shop)
    await shop.api.post(DISPENSE, dispenseBody(charge, { order_id: `sim-${machine}`, machine }))
    service.pass(2000)
    await service.run('dispense')
    await service.run('dispense')
    assert.deepEqual(names(await vendingEventsOf(service, `sim-${machine}`)), [event])
  }
})

test('a report about a direct dispense whose charge was refunded is kept and changes nothing', async () => {
  const charge = await paidCharge(service, shop)
  for (let time = 0; time < 2; time += 1) await paidCharge(service, shop)
  await shop.api.post(DISPENSE, dispenseBody(charge, { order_id: 'refunded-1' }))
  assert.equal((await shop.api.post(`/v1/charges/${charge}/refund`)).status, 202)
  await send(service, report(service, 'done', { secret: shop.secret, charge_id: charge }))
  assert.deepEqual(await keptOf(service, 'refunded-1'), ['refunded'])
  assert.deepEqual(await vendingEventsOf(service, 'refunded-1'), [])
})

test('without ids too, the secret of the other mode is not accepted', async () => {
  const live = (await shop.live.post('/v1/vending/dispense-secret')).body.secret
  await registerMachines(service, shop.merchantId, ['BOTH'])
  const order = await dispensing({ machine: 'BOTH' })
  const body = report(service, 'without ids', { secret: live, machine: 'BOTH' })
  assert.equal((await postCallback(service.url, body)).status, 401)
  await send(service, report(service, 'without ids', { secret: shop.secret, machine: 'BOTH' }))
  assert.equal((await read(order)).vending_status, 'dispensed')
})
