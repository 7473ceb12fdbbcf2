import assert from 'node:assert/strict'
import test from 'node:test'
import { callbackOf, postCallback, signed } from '../../../fakes/supplier-callbacks.ts'
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
import { claimsOf } from '../../../helpers/vending/dispense-claims.ts'
import { dispensingOrder, GOODS, readOrder, retry, vendingShop } from '../../../helpers/vending/vending.ts'

const MINUTE = 60_000

const service = openedAndVerified(() => startService())
const shop = made(() => reportingShop(service))

const dispensing = (more: object = {}) => dispensingOrder(service, shop, more)
const read = (order: { order_id: string }) => readOrder(shop, order.order_id)
const names = (events: any[]) => events.map(({ event }) => event)
const THREE = [1, 2, 3].map((number) => ({ spbh: number, spmc: `Soda ${number}` }))

test("a machine's delivery ends its order: status, units, one event, and the charge is spent for good", async () => {
  const order = await dispensing()
  assert.equal(order.vending_status, 'dispensing')
  service.pass(1234)
  const from = service.clock.nowMs()
  await send(service, report(service, 'done', { ...order, secret: shop.secret }))
  const after = await read(order)
  assert.deepEqual(
    {
      vending_status: after.vending_status,
      vending_error: after.vending_error,
      units_dispensed: after.units_dispensed,
      dispense_result: after.dispense_result,
    },
    {
      vending_status: 'dispensed',
      vending_error: null,
      units_dispensed: 1,
      dispense_result: [{ spbh: '1', chsl: 1, spmc: 'Water' }],
    },
  )
  assert.ok(Date.parse(after.dispensed_at) >= from)
  const [event, ...more] = await vendingEventsOf(service, order.order_id)
  assert.equal(more.length, 0)
  assert.equal(event.event, 'vending.dispensed')
  assert.equal(event.deliveries, 1)
  assert.deepEqual(event.data, { ...after, merchant_reference: null, source: 'callback' })
  assert.deepEqual(
    (await claimsOf(service, order.charge_id)).map(({ state }) => state),
    ['delivered'],
  )
  assert.deepEqual(await keptOf(service, order.order_id), ['dispensed'])
})

test('every spelling, time and number format of a supplier is understood', async () => {
  const kinds = ['aliases', 'aliases signed as mapped', 'ten digits', 'number time', 'numbers', 'late'] as const
  for (const kind of kinds) {
    const order = await dispensing()
    await send(service, report(service, kind, { ...order, secret: shop.secret }))
    assert.equal((await read(order)).vending_status, 'dispensed', kind)
  }
})

test('a jam fails the order, frees the charge for one more try, and sends one event for each try', async () => {
  const order = await dispensing()
  await send(service, report(service, 'jam', { ...order, secret: shop.secret }))
  const failed = await read(order)
  assert.deepEqual(
    [failed.vending_status, failed.vending_error, failed.units_dispensed, failed.refunded],
    ['failed', 'the machine reported a jam', 0, false],
  )
  assert.equal((await retry(shop, order.order_id)).body.ok, true)
  service.pass(1000)
  await send(service, report(service, 'done', { ...order, secret: shop.secret }))
  assert.equal((await read(order)).vending_status, 'dispensed')
  assert.deepEqual(names(await vendingEventsOf(service, order.order_id)), [
    'vending.dispense_failed',
    'vending.dispensed',
  ])
  assert.deepEqual(
    (await claimsOf(service, order.charge_id)).map(({ state }) => state),
    ['released', 'delivered'],
  )
})

test('a jam dated in seconds counts for a command of the same second, but not one from the second before', async () => {
  for (const [secondsBefore, status] of [
    [1, 'dispensing'],
    [0, 'failed'],
  ] as const) {
    const order = await dispensing()
    await send(service, report(service, 'jam', { ...order, secret: shop.secret }))
    service.pass(2000)
    await retry(shop, order.order_id)
    const [{ commanded_at }] = await service.rows<any>(
      'select commanded_at from dispense_claims where order_id = $1 order by attempt desc limit 1',
      [order.order_id],
    )
    const timestamp = String(Math.floor(commanded_at.getTime() / 1000) - secondsBefore)
    await send(
      service,
      signed({ ...report(service, 'jam', { ...order, secret: shop.secret }), timestamp }, shop.secret),
    )
    assert.equal((await read(order)).vending_status, status)
  }
})

test('a copy of the jam that arrives after the retry does not end the second try', async () => {
  const order = await dispensing()
  const jam = report(service, 'jam', { ...order, secret: shop.secret })
  await send(service, jam)
  await retry(shop, order.order_id)
  await send(service, jam)
  assert.equal((await read(order)).vending_status, 'dispensing')
  assert.deepEqual(await keptOf(service, order.order_id), ['jam'])
})

test('"not finished" is kept and changes nothing', async () => {
  const order = await dispensing()
  await send(service, report(service, 'not finished', { ...order, secret: shop.secret }))
  assert.deepEqual(await read(order), order)
  assert.deepEqual(await keptOf(service, order.order_id), ['not_finished'])
  service.pass(1000)
  await send(service, report(service, 'done', { ...order, secret: shop.secret }))
  assert.equal((await read(order)).vending_status, 'dispensed')
})

test('a partial delivery counts as dispensed and says which part', async () => {
  const order = await dispensing({ goods: THREE })
  await send(service, report(service, 'partial', { ...order, secret: shop.secret }))
  const after = await read(order)
  assert.deepEqual(
    [after.vending_status, after.vending_error, after.units_dispensed],
    ['dispensed', '1 of 3 products delivered', 1],
  )
  assert.deepEqual(names(await vendingEventsOf(service, order.order_id)), ['vending.dispensed'])
})

test('C2 units of one product do not count for another: order, event and pages say how much came out', async () => {
  const goods = [
    { spbh: 'W', spmc: 'Water' },
    { spbh: 'S', spmc: 'Soda' },
  ]
  const order = await dispensing({ goods })
  const { sign: _unsigned, ...body } = report(service, 'done', { ...order, secret: shop.secret })
  const splist = [
    { spbh: 'W', chsl: 2 },
    { spbh: 'S', chsl: 0 },
  ]
  await send(service, signed({ ...body, splist }, shop.secret))
  const after = await read(order)
  assert.deepEqual(
    [after.vending_status, after.vending_error, after.units_dispensed],
    ['dispensed', '1 of 2 products delivered', 2],
  )
  const [event] = await vendingEventsOf(service, order.order_id)
  assert.deepEqual([event.event, event.data.vending_error], ['vending.dispensed', '1 of 2 products delivered'])
  const page = async (path: string) => (await fetch(`${service.url}${path}`)).text()
  assert.match(await page(`/pay/${order.order_id}/receipt`), /reports that 1 of 2 products came out/)
  assert.match(await page(`/vending/display/${order.order_id}`), /1 of 2 products came out/)
})

test('a confirmed delivery is final, while a failure is corrected by a late delivery', async () => {
  const delivered = await dispensing()
  await send(service, report(service, 'done', { ...delivered, secret: shop.secret }))
  service.pass(1000)
  await send(service, report(service, 'jam', { ...delivered, secret: shop.secret }))
  assert.equal((await read(delivered)).vending_status, 'dispensed')
  assert.deepEqual(await keptOf(service, delivered.order_id), ['dispensed', 'contradiction'])
  const jammed = await dispensing()
  await send(service, report(service, 'jam', { ...jammed, secret: shop.secret }))
  service.pass(1000)
  await send(service, report(service, 'done', { ...jammed, secret: shop.secret }))
  assert.equal((await read(jammed)).vending_status, 'dispensed')
  assert.deepEqual(
    (await claimsOf(service, jammed.charge_id)).map(({ state }) => state),
    ['delivered'],
  )
  assert.deepEqual(names(await vendingEventsOf(service, jammed.order_id)), [
    'vending.dispense_failed',
    'vending.dispensed',
  ])
})

test('a new message with the same report changes nothing and sends no event', async () => {
  const order = await dispensing()
  for (let time = 0; time < 3; time += 1) {
    service.pass(1000)
    await send(service, report(service, 'jam', { ...order, secret: shop.secret }))
  }
  assert.equal((await vendingEventsOf(service, order.order_id)).length, 1)
})

test("a callback is kept for ninety days, without the supplier's key", async () => {
  const order = await dispensing()
  const plain = callbackOf('done', {
    at: service.clock.nowMs(),
    secret: shop.secret,
    machine: 'M-1',
    orderId: order.order_id,
    goods: GOODS,
  })
  await send(service, signed({ ...plain, key: 'open sesame' }, shop.secret))
  const kept = () =>
    service.rows<{ body: string }>('select body from vendor_callbacks where order_id = $1', [order.order_id])
  const [row] = await kept()
  assert.equal(JSON.parse(row?.body ?? '').ddbh, order.order_id)
  assert.doesNotMatch(row?.body ?? '', /sesame/)
  service.pass(90 * 24 * 60 * MINUTE - MINUTE)
  await service.run('prune')
  assert.equal((await kept()).length, 1)
  service.pass(2 * MINUTE)
  await service.run('prune')
  assert.equal((await kept()).length, 0)
})

test('a deactivated merchant still gets the events of orders in progress', async () => {
  const own = await vendingShop(service)
  const key = await dispenseSecret(own)
  const order = await dispensingOrder(service, own)
  await service.set(own.merchant, { active: false, vendingEnabled: false })
  const { status } = await postCallback(service.url, report(service, 'done', { ...order, secret: key }))
  assert.equal(status, 200)
  assert.equal((await readOrder(own, order.order_id)).vending_status, 'dispensed')
})
