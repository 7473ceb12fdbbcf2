import assert from 'node:assert/strict'
import test from 'node:test'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { keptOf, report, reportingShop, send, vendingEventsOf } from '../../../helpers/vending/callbacks.ts'
import { dispensingOrder, readOrder } from '../../../helpers/vending/vending.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => reportingShop(service))

const dispensing = (more: object = {}) => dispensingOrder(service, shop, more)
const read = (order: { order_id: string }) => readOrder(shop, order.order_id)

test('a hundred copies at the same moment change the order once and send one event', async () => {
  const order = await dispensing()
  const body = report(service, 'done', { ...order, secret: shop.secret })
  await Promise.all(Array.from({ length: 100 }, () => send(service, body)))
  assert.equal((await read(order)).vending_status, 'dispensed')
  assert.equal((await vendingEventsOf(service, order.order_id)).length, 1)
  assert.deepEqual(await keptOf(service, order.order_id), ['dispensed'])
})

test('of two contents with one signature the first counts, even if both come at once', async () => {
  const first = await dispensing()
  const jam = report(service, 'jam', { ...first, secret: shop.secret })
  const changed = { ...jam, splist: [{ spbh: '1', chsl: 1 }] }
  await send(service, jam)
  await send(service, changed)
  assert.equal((await read(first)).vending_status, 'failed')
  assert.deepEqual(await keptOf(service, first.order_id), ['jam'])
  const second = await dispensing()
  const done = report(service, 'done', { ...second, secret: shop.secret })
  const turned = { ...done, splist: [{ spbh: '1', chsl: 0 }] }
  await Promise.all(Array.from({ length: 20 }, (_, at) => send(service, at % 2 ? turned : done)))
  assert.equal((await vendingEventsOf(service, second.order_id)).length, 1)
  assert.equal((await keptOf(service, second.order_id)).length, 1)
})

test('two processes that receive different contents with one signature at once apply one of them, completely', async () => {
  const twin = await startService({ database: service.database, clock: service.clock })
  try {
    for (let round = 0; round < 5; round += 1) {
      const order = await dispensing()
      const done = report(service, 'done', { ...order, secret: shop.secret })
      const turned = { ...done, splist: [{ spbh: '1', chsl: 0 }] }
      await Promise.all([send(service, done), send(twin, turned), send(service, turned), send(twin, done)])
      const { vending_status } = await read(order)
      const [kept, ...more] = await keptOf(service, order.order_id)
      assert.equal(more.length, 0)
      assert.equal(vending_status, kept === 'jam' ? 'failed' : 'dispensed')
      assert.equal((await vendingEventsOf(service, order.order_id)).length, 1)
    }
  } finally {
    await twin.close()
  }
})
