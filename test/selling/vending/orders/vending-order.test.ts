import assert from 'node:assert/strict'
import test from 'node:test'
import { stillClock } from '../../../api/rate-limits/still-clock.ts'
import { eventsOf } from '../../../helpers/database/money-rows.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { claimsOf } from '../../../helpers/vending/dispense-claims.ts'
import {
  GOODS,
  invalidate,
  makeOrder,
  NON_PAYER,
  ORDERS,
  orderBody,
  payOrder,
  readOrder,
  submitPayment,
  vendingShop,
} from '../../../helpers/vending/vending.ts'

const MINUTE = 60_000
const service = openedAndVerified(() => startService({ clock: stillClock() }))
const shop = made(() => vendingShop(service))

test('an order shows everything needed to pay at a machine, and reading it changes nothing', async () => {
  const created_at = service.clock.now().toISOString()
  const expires_at = new Date(service.clock.nowMs() + 2 * MINUTE).toISOString()
  const goods = [{ spbh: 7, spmc: 'Soda', spdj: '2000', hdbh: 'A-3', extra: { cold: [true, null] } }, ...GOODS]
  const words = {
    description: 'Two drinks',
    reference: 'tea 1',
    success_url: 'https://shop.example/?a=1&b=2#c',
  }
  const order = await makeOrder(shop, { goods, amount: 3000, ...words })
  const { order_id } = order
  const url = `${service.url}/pay/${order_id}`
  assert.match(order_id, /^lnk_[a-z0-9]{21}$/)
  assert.deepEqual(order, {
    order_id,
    mode: 'test',
    amount: 3000,
    currency: 'UGX',
    machine: 'M-1',
    goods,
    ...words,
    charge_id: null,
    payment_status: 'unpaid',
    vending_status: 'pending',
    vending_error: null,
    refunded: false,
    expired: false,
    expires_at,
    invalidated_at: null,
    created_at,
    dispensed_at: null,
    dispense_result: null,
    units_dispensed: null,
    qr_png_url: `${url}/qr.png`,
    qr_svg_url: `${url}/qr.svg`,
    pay_url: url,
    status_url: `${service.url}${ORDERS}/${order_id}`,
    state_url: `${service.url}/vending/display/${order_id}/state.json`,
    display_url: `${service.url}/vending/display/${order_id}`,
    qr_content: url,
    metadata: {},
  })
  const digest = await service.digest()
  assert.deepEqual(await readOrder(shop, order_id), order)
  assert.equal(await service.digest(), digest)
})

test('a paid order is dispensed once, as the machine reports, and sends one event', async () => {
  const own = await vendingShop(service)
  const { order_id } = await makeOrder(own, { machine: 'M-OK', reference: 'tea 2' })
  const charge = await payOrder(service, order_id)
  const paid = await readOrder(own, order_id)
  assert.deepEqual([paid.payment_status, paid.vending_status, paid.charge_id], ['succeeded', 'pending', charge])
  const born = (await own.api.get(`/v1/charges/${charge}`)).body
  assert.deepEqual([born.reference, born.payment_link_id, born.amount], ['tea 2', order_id, 1000])
  assert.deepEqual(await claimsOf(service, charge), [], 'the command is work of the background')
  await service.run('dispense')
  assert.equal((await readOrder(own, order_id)).vending_status, 'dispensing')
  service.pass(2000)
  await service.run('dispense')
  await service.run('dispense')
  const done = await readOrder(own, order_id)
  assert.deepEqual(
    [done.vending_status, done.vending_error, done.units_dispensed, done.dispense_result],
    ['dispensed', null, 1, [{ spbh: '1', chsl: 1, spmc: 'Water' }]],
  )
  assert.equal(done.dispensed_at, service.clock.now().toISOString())
  assert.deepEqual(
    (await claimsOf(service, charge)).map(({ state, commanded }) => [state, commanded]),
    [['delivered', true]],
  )
  const told = await eventsOf(service, order_id)
  assert.deepEqual(
    told.map(({ type }) => type),
    ['vending.dispensed'],
  )
  const { data } = JSON.parse(told[0]?.body as string)
  assert.deepEqual(data, { ...done, merchant_reference: 'tea 2', source: 'callback' })
})

test('an order ends correctly for every behaviour of a machine', async () => {
  const ends: [string, string, string | null, string][] = [
    ['M-1', 'dispensing', null, 'accepted'],
    ['M-OK', 'dispensed', null, 'delivered'],
    ['M-JAM', 'failed', 'the machine reported a jam', 'released'],
    ['M-BUSY', 'dispensing', null, 'accepted'],
    ['M-REFUSE', 'failed', 'machine supplier refused the command: the simulated machine refuses', 'released'],
    [
      'M-LOST',
      'dispensing',
      'the machine supplier did not answer clearly - waiting for the report of the machine',
      'ambiguous',
    ],
  ]
  for (const [machine, status, error, claim] of ends) {
    const { order_id } = await makeOrder(shop, { machine })
    const charge = await payOrder(service, order_id)
    for (let round = 0; round < 4; round += 1) {
      await service.run('dispense')
      service.pass(MINUTE)
    }
    const { vending_status, vending_error } = await readOrder(shop, order_id)
    assert.deepEqual([machine, vending_status, vending_error], [machine, status, error])
    const claims = await claimsOf(service, charge)
    assert.deepEqual(
      claims.map(({ state, commanded }) => [state, commanded]),
      [[claim, true]],
      `${machine}: one command`,
    )
  }
})

test('an unpaid order expires at its time, and not a moment before', async () => {
  const { order_id } = await makeOrder(shop)
  service.pass(2 * MINUTE - 1)
  assert.equal((await readOrder(shop, order_id)).expired, false)
  service.pass(1)
  const order = await readOrder(shop, order_id)
  assert.deepEqual(
    [order.expired, order.payment_status, order.vending_status, order.invalidated_at],
    [true, 'unpaid', 'pending', null],
  )
  assert.equal((await submitPayment(service, order_id)).status, 410)
  const taken = await invalidate(shop, order_id)
  assert.deepEqual([taken.status, taken.body.expired], [200, true], 'over before')
})

test('a payment in progress at the expiry still counts, and dispenses', async () => {
  const { order_id } = await makeOrder(shop)
  service.pass(2 * MINUTE - 1000)
  const charge = await payOrder(service, order_id)
  service.pass(MINUTE)
  const order = await readOrder(shop, order_id)
  assert.deepEqual([order.expired, order.payment_status], [false, 'succeeded'])
  await service.run('dispense')
  assert.equal((await claimsOf(service, charge)).length, 1)
})

test('a payment that fails after the expiry leaves an expired order; before it, the order can be paid again', async () => {
  const late = await makeOrder(shop)
  service.pass(2 * MINUTE - 1000)
  await payOrder(service, late.order_id, NON_PAYER)
  const over = await readOrder(shop, late.order_id)
  assert.deepEqual([over.expired, over.payment_status], [true, 'failed'])
  assert.equal((await submitPayment(service, late.order_id)).status, 410)

  const { order_id } = await makeOrder(shop)
  const failed = await payOrder(service, order_id, NON_PAYER)
  const open = await readOrder(shop, order_id)
  assert.deepEqual([open.expired, open.payment_status, open.charge_id], [false, 'failed', failed])
  const charge = await payOrder(service, order_id)
  assert.notEqual(charge, failed)
  assert.equal((await readOrder(shop, order_id)).payment_status, 'succeeded')
})

test('an invalidated order can no longer be paid; a second call changes nothing and returns the first time', async () => {
  const { order_id } = await makeOrder(shop)
  const at = service.clock.now().toISOString()
  const first = await invalidate(shop, order_id)
  assert.deepEqual([first.status, first.body.expired, first.body.invalidated_at], [200, true, at])
  assert.deepEqual(await readOrder(shop, order_id), first.body)
  service.pass(1000)
  const digest = await service.digest()
  const again = await invalidate({ api: shop.collections }, order_id)
  assert.deepEqual([again.status, again.body], [200, first.body])
  assert.equal((await submitPayment(service, order_id)).status, 410)
  assert.equal(await service.digest(), digest)
  assert.deepEqual(await eventsOf(service, order_id), [])
})

test('an order with a failed attempt can be invalidated; one being paid, paid or refunded cannot', async () => {
  const failed = await makeOrder(shop)
  await payOrder(service, failed.order_id, NON_PAYER)
  assert.equal((await invalidate(shop, failed.order_id)).body.expired, true)

  const { order_id } = await makeOrder(shop)
  await submitPayment(service, order_id)
  const expectRefused = async (because: string) => {
    const reply = await invalidate(shop, order_id)
    assert.deepEqual(
      [because, reply.status, reply.body.code, reply.body.error],
      [because, 409, 'conflict', 'a payment is already attached to this order'],
    )
  }
  await expectRefused('authorized')
  service.pass(2000)
  await service.run('follow-charges')
  await expectRefused('succeeded')
  service.pass(3 * MINUTE)
  await expectRefused('succeeded, after its time')
  const { charge_id } = await readOrder(shop, order_id)
  assert.equal((await shop.api.post(`/v1/charges/${charge_id}/refund`)).status, 202)
  await expectRefused('refunded')
  const order = await readOrder(shop, order_id)
  assert.deepEqual([order.refunded, order.payment_status, order.expired], [true, 'succeeded', false])
})

test('orders are not payment links, and links are not orders', async () => {
  const { order_id } = await makeOrder(shop)
  const link = (await shop.api.post('/v1/payment-links', { amount: 1000 })).body
  assert.equal((await shop.api.get(`/v1/payment-links/${order_id}`)).status, 404)
  assert.equal((await shop.api.get(`${ORDERS}/${link.id}`)).status, 404)
  const { data } = (await shop.api.get('/v1/payment-links')).body
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [link.id],
  )
})

test('the lifetime of an order is a setting', async (context) => {
  const env = { VENDING_ORDER_LIFETIME_SECONDS: '30' }
  const other = await startService({ database: service.database, clock: service.clock, env })
  context.after(() => other.close())
  const { body } = await other.client(shop.merchant.keys.test).post(ORDERS, orderBody())
  assert.equal(Date.parse(body.expires_at) - Date.parse(body.created_at), 30_000)
})
