import assert from 'node:assert/strict'
import test from 'node:test'
import { parseTagOfAnyPrefix } from '../../../../src/platform/text/ids.ts'
import { made, openedAndVerified, prepare } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { dispenseSecret, report, send, vendingEventsOf } from '../../../helpers/vending/callbacks.ts'
import { DISPENSE, dispenseBody, paidCharge } from '../../../helpers/vending/direct-dispenses.ts'
import { claimsOf, commandsOf } from '../../../helpers/vending/dispense-claims.ts'
import { fundTest } from '../../../helpers/vending/paid-orders.ts'
import { setProfile, vendingShop } from '../../../helpers/vending/vending.ts'

let secret: string
const service = openedAndVerified(() => startService())
const shop = made(() => vendingShop(service))
prepare(async () => {
  secret = await dispenseSecret(shop)
  await setProfile(service, shop, 'optimistic')
})

const dispense = (charge: string, number: string) =>
  shop.api.post(DISPENSE, dispenseBody(charge, { order_id: number }), { 'idempotency-key': number })
const statesOf = async (charge: string) => (await claimsOf(service, charge)).map(({ state }) => state)
const vendingEventNames = async (number: string) =>
  (await vendingEventsOf(service, number)).map(({ event, data }) => `${event} by ${data.source}`)
const says = (kind: 'done' | 'jam', charge_id: string, order_id: string) =>
  send(service, report(service, kind, { secret, charge_id, order_id }))

test('with a supplier that never reports, an acceptance counts as delivery and sends one event', async () => {
  const charge = await paidCharge(service, shop)
  const first = await dispense(charge, 'own-1')
  assert.deepEqual([first.status, first.body.vending_status, first.body.ambiguous], [200, 'dispensed', false])
  assert.deepEqual(await vendingEventNames('own-1'), ['vending.dispensed by command'])
  assert.deepEqual(await statesOf(charge), ['accepted'])
  assert.equal((await dispense(charge, 'own-1')).text, first.text)
  assert.equal((await dispense(charge, 'own-2')).status, 409)
  assert.equal(await commandsOf(service, charge), 1)
})

test("a machine's later confirmation sends no event, and the delivery is final then", async () => {
  const charge = await paidCharge(service, shop)
  await dispense(charge, 'own-3')
  await says('done', charge, 'own-3')
  assert.deepEqual(await statesOf(charge), ['delivered'])
  service.pass(1)
  await says('jam', charge, 'own-3')
  assert.deepEqual(await statesOf(charge), ['delivered'])
  assert.deepEqual(await vendingEventNames('own-3'), ['vending.dispensed by command'])
})

test('a machine that contradicts it frees the charge, and may be contradicted once more', async () => {
  const charge = await paidCharge(service, shop)
  await dispense(charge, 'own-4')
  service.pass(1)
  await says('jam', charge, 'own-4')
  assert.deepEqual(await statesOf(charge), ['released'])
  const told = ['vending.dispensed by command', 'vending.dispense_failed by callback']
  assert.deepEqual(await vendingEventNames('own-4'), told)
  service.pass(1)
  await says('done', charge, 'own-4')
  assert.deepEqual(await statesOf(charge), ['delivered'])
  assert.deepEqual(await vendingEventNames('own-4'), [...told, 'vending.dispensed by callback'])
  service.pass(1)
  await says('jam', charge, 'own-4')
  assert.deepEqual(await statesOf(charge), ['delivered'])
  assert.equal((await vendingEventNames('own-4')).length, 3)
})

test('a contradicted dispense is repeated under another number', async () => {
  const charge = await paidCharge(service, shop)
  await dispense(charge, 'own-5')
  service.pass(1)
  await says('jam', charge, 'own-5')
  const again = await dispense(charge, 'own-6')
  assert.deepEqual([again.status, again.body.vending_status], [200, 'dispensed'])
  assert.deepEqual(await statesOf(charge), ['released', 'accepted'])
  assert.deepEqual(await vendingEventNames('own-6'), ['vending.dispensed by command'])
})

test("after a refund of an assumed delivery, the machine's report has no effect", async () => {
  const charge = await paidCharge(service, shop)
  await dispense(charge, 'own-7')
  const { merchantId } = shop
  await fundTest(service, { merchantId, tag: parseTagOfAnyPrefix(charge) ?? '' }, 50_000)
  const refunded = await shop.api.post(`/v1/charges/${charge}/refund`)
  assert.equal(refunded.status, 202, refunded.text)
  service.pass(1)
  await says('jam', charge, 'own-7')
  assert.deepEqual(await statesOf(charge), ['accepted'])
  assert.deepEqual(await vendingEventNames('own-7'), ['vending.dispensed by command'])
})
