import assert from 'node:assert/strict'
import test from 'node:test'
import { addTestFunds } from '../../../../src/ledger/test-funds.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { EN } from '../../../../src/web/checkout/texts/en.ts'
import { LG } from '../../../../src/web/checkout/texts/lg.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { openDisplays, REPORT_MS } from '../../../helpers/vending/display-screens.ts'
import { say } from '../../../helpers/vending/machine-words.ts'
import {
  invalidate,
  makeOrder,
  NON_PAYER,
  payOrder,
  submitPayment,
  vendingShop,
} from '../../../helpers/vending/vending.ts'

const NAME = 'Cool Drinks'
const LIFETIME_MS = 120_000
const LATE_MS = 60_000
// The clock of the service also runs by itself during a test.
const MARGIN_MS = 5000
const { service, shop, html, stateOf, screenOf, order, commandedOrder } = openDisplays(NAME)

async function reported(): Promise<void> {
  service.pass(REPORT_MS)
  await service.run('dispense')
}
/** The payment page as a customer sees it after paying. */
const receiptOf = async (id: string) => (await fetch(`${service.url}/pay/${id}/status`)).text()

test('a customer scans, pays and takes the item, and the screen shows each step', async () => {
  const { order_id } = await order({ machine: 'M-OK', success_url: 'https://shop.example/thanks' })
  const scan = await html(order_id)
  for (const part of ['class="scan"', '3,500', 'Water', 'Soda', NAME, EN.display.left('2:00')])
    assert.ok(scan.includes(part), part)
  service.pass(15_500)
  assert.ok((await html(order_id)).includes(EN.display.left('1:45')))
  assert.equal((await submitPayment(service, order_id)).status, 302)
  assert.equal(await screenOf(order_id), 'paying')
  assert.equal((await stateOf(order_id)).payment_status, 'pending')
  service.pass(REPORT_MS)
  await service.run('follow-charges')
  assert.equal(await screenOf(order_id), 'releasing', 'paid, and its machine not told yet')
  await service.run('dispense')
  assert.equal(await screenOf(order_id), 'releasing')
  assert.ok((await receiptOf(order_id)).includes(EN.receipt.machine.releasing(NAME)))
  await reported()
  assert.equal(await screenOf(order_id), 'collect')
  const { payment_status, vending_status, vending_error, expired, success_url } = await stateOf(order_id)
  assert.deepEqual(
    [payment_status, vending_status, vending_error, expired, success_url],
    ['succeeded', 'dispensed', null, false, 'https://shop.example/thanks'],
  )
  assert.ok((await receiptOf(order_id)).includes(EN.receipt.machine.dispensed(NAME)))
  service.pass(LIFETIME_MS)
  assert.equal(await screenOf(order_id), 'collect', 'a paid order does not expire')
})

test('a jam and a refusal are explained to the customer, without the wording of the machine', async () => {
  for (const machine of ['M-JAM', 'M-REFUSE']) {
    const { order_id } = await commandedOrder(machine)
    await reported()
    const state = await stateOf(order_id)
    assert.equal(state.vending_status, 'failed')
    assert.equal(state.vending_error, EN.display.money('UGX 3,500', NAME))
    const shown = await html(order_id)
    assert.ok(shown.includes(state.vending_error) && shown.includes('class="failed"'), machine)
    assert.doesNotMatch(shown, /reported|the command|supplier/i)
    assert.ok((await receiptOf(order_id)).includes(EN.receipt.machine.failed(NAME)))
    assert.equal((await stateOf(order_id, '?lang=lg')).vending_error, LG.display.money('UGX 3,500', NAME))
  }
})

test('while a machine is silent the customer waits, and after a minute is told whom to ask', async () => {
  for (const machine of ['M-LOST', 'M-1', 'M-BUSY']) {
    const { order_id } = await commandedOrder(machine)
    assert.equal((await stateOf(order_id)).vending_error, null, 'nothing is said too early')
    service.pass(LATE_MS - MARGIN_MS)
    assert.equal((await stateOf(order_id)).vending_error, null)
    service.pass(MARGIN_MS)
    const { vending_status, vending_error } = await stateOf(order_id)
    assert.deepEqual([vending_status, vending_error], ['dispensing', EN.display.ifNothing(NAME)])
    const shown = await html(order_id)
    assert.ok(shown.includes('class="releasing"') && shown.includes(EN.display.ifNothing(NAME)), machine)
  }
})

test('C2 an unconfirmed delivery and a partial one are shown as what they are', async () => {
  const { order_id: promised } = await commandedOrder('M-1')
  const { order_id: partly } = await commandedOrder('M-1', { goods: [{ spbh: '7' }, { spbh: 8 }] })
  const { merchantId } = shop
  const outcome = { status: 'dispensed', result: null } as const
  await say(service, { merchantId, id: promised }, { ...outcome, confirmed: false, note: null }, 'command')
  const note = '1 of 2 products delivered'
  const result = [
    { spbh: '7', chsl: 2 },
    { spbh: '8', chsl: 0 },
  ]
  await say(service, { merchantId, id: partly }, { ...outcome, result, confirmed: true, note })
  assert.equal((await stateOf(promised)).vending_error, null)
  assert.ok((await html(promised)).includes(EN.display.ifNothing(NAME)))
  assert.ok((await receiptOf(promised)).includes(EN.receipt.machine.releasing(NAME)), 'no machine has said so')
  assert.equal((await stateOf(partly)).vending_error, EN.display.partly(NAME, '1', '2'))
  assert.ok((await receiptOf(partly)).includes(EN.receipt.partly(NAME, '1', '2')))
  for (const id of [promised, partly]) assert.equal(await screenOf(id), 'collect')
})

test('a refund is shown, and nothing else is asked of the customer', async () => {
  const { order_id, chargeId } = await commandedOrder('M-JAM')
  await reported()
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await addTestFunds(service.app, BY_HAND, {
    holder: { merchantId: merchant.id, tag: merchant.tag },
    amount: 50_000,
    key: undefined,
  })
  assert.equal((await shop.api.post(`/v1/charges/${chargeId}/refund`)).status, 202)
  assert.equal((await stateOf(order_id)).vending_error, EN.display.refunds.on_its_way('UGX 3,500', NAME))
  assert.equal(await screenOf(order_id), 'failed')
  assert.ok(!(await receiptOf(order_id)).includes(EN.receipt.machine.failed(NAME)))
})

test('an expired or invalidated order has no code any more and cannot be paid', async () => {
  const old = await order()
  const taken = await order()
  assert.equal((await invalidate(shop, taken.order_id)).status, 200)
  const { expired, invalidated } = await stateOf(taken.order_id)
  assert.deepEqual([expired, invalidated], [true, true])
  service.pass(LIFETIME_MS - MARGIN_MS)
  assert.equal(await screenOf(old.order_id), 'scan', 'until its end it can be paid')
  service.pass(MARGIN_MS)
  assert.equal((await stateOf(old.order_id)).expired, true)
  for (const { order_id } of [old, taken]) {
    const shown = await html(order_id)
    assert.ok(shown.includes('class="expired"') && shown.includes(EN.display.expired))
    assert.doesNotMatch(shown, /<img/)
    const form = await fetch(`${service.url}/pay/${order_id}`)
    assert.equal(form.status, 200)
    assert.ok((await form.text()).includes(EN.closed.expired.title))
    assert.equal((await submitPayment(service, order_id)).status, 410)
  }
})

test('a payment in progress when the order expires goes on; a failed one may be tried again before that', async () => {
  const { order_id: failing } = await order()
  await payOrder(service, failing, NON_PAYER)
  const again = await html(failing)
  assert.ok(again.includes('class="scan"') && again.includes(EN.display.again))
  const { order_id: paying } = await order()
  await submitPayment(service, paying)
  service.pass(LIFETIME_MS)
  assert.deepEqual([(await stateOf(paying)).expired, await screenOf(paying)], [false, 'paying'])
  assert.equal(await screenOf(failing), 'expired')
  const status = await fetch(`${service.url}/pay/${failing}/status`)
  assert.doesNotMatch(await status.text(), /action="[^"]*\/retry"/)
  await fetch(`${service.url}/pay/${failing}/retry`, { method: 'POST' })
  assert.equal((await stateOf(failing)).payment_status, 'failed', 'past its time it stays as it is')
})

test('a merchant that takes no money shows no code', async () => {
  const other = await vendingShop(service)
  const { order_id } = await makeOrder(other)
  await service.set(other.merchant, { active: false })
  const shown = await html(order_id)
  assert.ok(shown.includes('class="closed"') && !shown.includes('<img'))
})
