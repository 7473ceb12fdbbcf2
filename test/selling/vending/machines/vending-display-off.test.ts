import assert from 'node:assert/strict'
import test from 'node:test'
import { TEXTS } from '../../../../src/web/checkout/texts/texts.ts'
import { stillClock } from '../../../api/rate-limits/still-clock.ts'
import { openDisplays } from '../../../helpers/vending/display-screens.ts'
import { makeOrder, payOrder, submitPayment, vendingShop } from '../../../helpers/vending/vending.ts'

const NAME = 'Kampala Cool Drinks'
const { service, shop, html, stateOf, screenOf } = openDisplays(NAME, { clock: stillClock() })
/** The states that the script of the screen compares, from the page and from the document. */
const seenOn = async (id: string) => /data-seen="([^"]*)"/.exec(await html(id))?.[1]
const seenIn = async (id: string) => {
  const { payment_status, vending_status, expired, invalidated, vending_error } = await stateOf(id)
  return [payment_status, vending_status, expired, invalidated, vending_error ?? ''].join(' ')
}
const vending = (vendingEnabled: boolean) => service.set(shop.merchant, { vendingEnabled })

test('C5 while vending is switched off the screen says out of service, and shows the code again once it is on', async () => {
  const { order_id: id } = await makeOrder(shop)
  const before = await seenOn(id)
  assert.equal(await screenOf(id), 'scan')
  await vending(false)
  assert.equal(await screenOf(id), 'off')
  for (const language of ['en', 'lg', 'sw'] as const) {
    const { display } = TEXTS[language]
    const shown = await html(id, `?lang=${language}`)
    assert.ok(shown.includes(`<h1>${display.off}</h1>`) && shown.includes(display.offHow(NAME)), language)
    assert.ok(!shown.includes('<img') && !shown.includes(display.scan), language)
  }
  const { vending_error, payment_status, vending_status, expired } = await stateOf(id)
  assert.deepEqual(
    [vending_error, payment_status, vending_status, expired],
    ['Out of service. You cannot buy here at the moment. Please ask Kampala Cool Drinks.', 'unpaid', 'pending', false],
  )
  assert.notEqual(await seenIn(id), before, 'a screen that shows the code hears of it')
  assert.equal(await seenOn(id), await seenIn(id))
  assert.equal((await submitPayment(service, id)).status, 409, 'the page behind the code is closed too')
  await vending(true)
  assert.deepEqual([await screenOf(id), await seenIn(id)], ['scan', before])
})

test('C5 a screen that shows the code notices that its merchant takes no money any more', async () => {
  const other = await vendingShop(service)
  const { order_id: id } = await makeOrder(other)
  const before = await seenOn(id)
  await service.set(other.merchant, { active: false })
  assert.notEqual(await seenIn(id), before)
  assert.equal(await seenOn(id), await seenIn(id))
  assert.equal(await screenOf(id), 'closed')
  await service.set(other.merchant, { active: true })
})

test('C5 an earlier payment is still shown, and an order that is over stays over', async () => {
  const { order_id: paid } = await makeOrder(shop)
  const { order_id: over } = await makeOrder(shop)
  await payOrder(service, paid)
  service.pass(121_000)
  await vending(false)
  assert.deepEqual([await screenOf(paid), await screenOf(over)], ['releasing', 'expired'])
  await service.run('dispense')
  assert.equal(await screenOf(paid), 'failed')
  await vending(true)
})
