import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import type { Mode } from '../../../../src/platform/mode.ts'
import { type MachineButton, pressMachine } from '../../../../src/selling/vending/dispensing/press-machine.ts'
import { owner } from '../../../helpers/service/actors.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { vendingEventsOf } from '../../../helpers/vending/callbacks.ts'
import { dispensingOrder, makeOrder, readOrder, vendingShop } from '../../../helpers/vending/vending.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => vendingShop(service))

async function press(id: string, button: MachineButton, mode: Mode = 'test') {
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const place = { merchantId: merchant.id, tag: merchant.tag, cell: 'cell_0', mode }
  return pressMachine(service.app, owner(place), { id, button })
}

test('the buttons of a simulated machine end an order as its report would, with the event', async () => {
  const done = await dispensingOrder(service, shop)
  assert.equal((await press(done.order_id, 'dispensed')).vendingStatus, 'dispensed')
  const jammed = await dispensingOrder(service, shop)
  await press(jammed.order_id, 'jam')
  const { vending_status, vending_error } = await readOrder(shop, jammed.order_id)
  assert.deepEqual([vending_status, vending_error], ['failed', 'the machine reported a jam'])
  for (const [{ order_id }, event] of [
    [done, 'vending.dispensed'],
    [jammed, 'vending.dispense_failed'],
  ] as const)
    assert.deepEqual(
      (await vendingEventsOf(service, order_id)).map((one) => [one.event, one.data.source]),
      [[event, 'callback']],
    )
  await assert.rejects(press(done.order_id, 'jam'), {
    status: 400,
    message: /is dispensed: its machine has nothing/,
  })
  const rows = await service.rows<any>(`select after from audit where subject = $1`, [done.order_id])
  assert.deepEqual(rows, [{ after: { button: 'dispensed' } }])
})

test('a machine can deliver a part of an order with several products', async () => {
  const one = await dispensingOrder(service, shop)
  await assert.rejects(press(one.order_id, 'partly'), { code: 'one_product' })
  const goods = [1, 2, 3].map((spbh) => ({ spbh: String(spbh), spmc: `Product ${spbh}`, spdj: 500 }))
  const order = await dispensingOrder(service, shop, { goods, amount: 1500 })
  await press(order.order_id, 'partly')
  const read = await readOrder(shop, order.order_id)
  assert.equal(read.vending_status, 'dispensed')
  assert.equal(read.units_dispensed, 2)
})

test('a silent machine does not report what its number says', async () => {
  const order = await dispensingOrder(service, shop, { machine: 'M-OK' })
  await press(order.order_id, 'silent')
  service.pass(10_000)
  await service.run('dispense')
  assert.equal((await readOrder(shop, order.order_id)).vending_status, 'dispensing')
  await assert.rejects(press(order.order_id, 'silent'), { code: 'nothing_to_report' })
})

test('an order that was not paid, one of live mode and one of another merchant have no buttons', async () => {
  const { order_id } = await makeOrder(shop)
  await assert.rejects(press(order_id, 'dispensed'), { code: 'nothing_to_report' })
  await assert.rejects(press(order_id, 'silent'), { code: 'nothing_to_report' })
  await assert.rejects(press(order_id, 'dispensed', 'live'), { code: 'live_mode' })
  const other = await vendingShop(service)
  const theirs = await makeOrder(other)
  await assert.rejects(press(theirs.order_id, 'jam'), { status: 404 })
})
