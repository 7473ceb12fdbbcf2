import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { type CommandHow, startSupplier } from '../../../fakes/supplier.ts'
import { behindWire } from '../../../helpers/database/cut-wire.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { eventually, newPayer, type Shop, startLiveService } from '../../../helpers/service/live-service.ts'
import { made, opened, openedAndVerified, prepare } from '../../../helpers/service/opened.ts'
import { type Reply, startService } from '../../../helpers/service/test-service.ts'
import { DISPENSE, dispenseBody, paidCharge } from '../../../helpers/vending/direct-dispenses.ts'
import { makeOrder, ORDERS, registerMachines, submitPayment } from '../../../helpers/vending/vending.ts'

const supplier = opened(() => startSupplier())
const env = () => ({ SUPPLIER_ALLOW_PRIVATE: supplier.place })
const service = openedAndVerified(() => startLiveService({ env: env() }))
const wire = opened(async () => {
  const behind = await behindWire(service.database)
  return { behind, close: () => behind.proxy.close() }
})
const second = opened(() => startService({ env: env(), database: wire.behind, clock: service.clock }))
const shop = made(() => service.shop({ vending: true }))
prepare(async () => {
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await setVending(service.app, BY_HAND, { merchant, change: { supplier: supplier.access } })
  await registerMachines(service, merchant.id)
})

/** A live charge that the operator has collected. */
async function collected(): Promise<string> {
  const { id } = (await shop.live.charge({ amount: 1000, customer: { phone: newPayer() } })).body
  await succeed(service, id)
  return id
}
const commandsFor = (charge: string) => supplier.commands.filter(({ chargeId }) => chargeId === charge)
const answerOf = ({ status, body }: Reply) =>
  status === 200 ? [200, body.vending_status, body.ambiguous] : [status, body.code, body.error]

const SAID = 'machine supplier refused the command: '
const ANSWERS: [CommandHow, unknown[]][] = [
  ['accept', [200, 'dispensing', false]],
  ['refuse', [502, 'supplier_error', `${SAID}machine offline`]],
  ['bad request', [502, 'supplier_error', `${SAID}no such machine`]],
  ['error', [200, 'dispensing', true]],
  ['garbage', [200, 'dispensing', true]],
  ['reset after reading', [200, 'dispensing', true]],
]
for (const [how, expected] of ANSWERS)
  test(`a supplier that answers with "${how}" gets one command for a charge, and no other unless it refused`, async () => {
    const charge = await collected()
    const key = { 'idempotency-key': how }
    supplier.behave(how)
    try {
      assert.deepEqual(answerOf(await shop.live.post(DISPENSE, dispenseBody(charge), key)), expected)
    } finally {
      supplier.behave('accept')
    }
    assert.deepEqual(
      commandsFor(charge).map(({ machine, orderId, genuine }) => [machine, orderId, genuine]),
      [['M-1', 'own-1', true]],
    )
    const refused = expected[0] === 502
    const again = await shop.live.post(DISPENSE, dispenseBody(charge), key)
    assert.deepEqual(answerOf(again), refused ? [200, 'dispensing', false] : expected)
    assert.equal(again.headers.get('idempotent-replayed'), refused ? null : 'true')
    const other = await shop.live.post(DISPENSE, dispenseBody(charge))
    assert.equal(other.status, 409)
    assert.equal(commandsFor(charge).length, refused ? 2 : 1)
  })

for (const how of ['accept', 'refuse'] as const)
  test(`a command answered with "${how}" after another process finished its key is answered as that key is`, async () => {
    const charge = await collected()
    const key = { 'idempotency-key': `late ${how}` }
    const answer = supplier.holdNext()
    const hanging = shop.live.post(DISPENSE, dispenseBody(charge), key)
    await eventually('the supplier has the command', () => commandsFor(charge).length === 1)
    service.pass(41_000)
    assert.equal(await second.run('finish-keys'), 1)
    answer(how)
    const late = await hanging
    const replayed = await shop.live.post(DISPENSE, dispenseBody(charge), key)
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual([late.status, late.text], [200, replayed.text])
    assert.equal(commandsFor(charge).length, 1)
  })

test('a key that a refused command freed stays with its next request, though the sweep listed it for the first', async () => {
  const charge = await collected()
  const dispense = () => shop.live.post(DISPENSE, dispenseBody(charge), { 'idempotency-key': 'listed for the first' })
  const refuse = supplier.holdNext()
  const first = dispense()
  await eventually('the supplier has the command', () => commandsFor(charge).length === 1)
  service.pass(41_000)
  const list = wire.behind.proxy.holdNextAnswer(/dclm_/)
  const sweeping = second.run('finish-keys')
  await eventually('the sweep has its list', () => list.held())
  refuse('refuse')
  assert.equal((await first).status, 502)
  const accept = supplier.holdNext()
  const again = dispense()
  await eventually('the supplier has the next command', () => commandsFor(charge).length === 2)
  list.letThrough()
  await sweeping
  accept('accept')
  const answered = await again
  const replayed = await dispense()
  assert.deepEqual(
    [answered.status, replayed.headers.get('idempotent-replayed'), replayed.text],
    [200, 'true', answered.text],
  )
  assert.equal(commandsFor(charge).length, 2)
})

test('a command whose process stands still after its mark is never sent, and the charge is free', async () => {
  const charge = await collected()
  const api = second.client(shop.merchant.keys.live_collections)
  const marked = wire.behind.proxy.holdNextAnswer(/command dispense/)
  const standing = api.post(DISPENSE, dispenseBody(charge))
  await eventually('it is marked', () => marked.held())
  service.pass(61_000)
  await service.run('dispense')
  const claims = () => service.rows('select state from dispense_claims where charge_id = $1', [charge])
  assert.deepEqual(await claims(), [{ state: 'ambiguous' }], 'nobody else knows what became of it')
  marked.letThrough()
  const late = await standing
  assert.deepEqual(answerOf(late), [502, 'supplier_error', `${SAID}it was not sent in time`])
  assert.deepEqual([await claims(), commandsFor(charge).length], [[{ state: 'released' }], 0])
  const again = await shop.live.post(DISPENSE, dispenseBody(charge))
  assert.deepEqual([again.status, commandsFor(charge).length], [200, 1])
})

test('a run that began long before it looks for commands of dead processes doubts none that is under way', async () => {
  const charge = await collected()
  const paid = wire.behind.proxy.holdNextAnswer(/paid vending orders/)
  const running = second.run('dispense')
  await eventually('the run has begun', () => paid.held())
  service.pass(11_000)
  const answer = supplier.holdNext()
  const asked = shop.live.post(DISPENSE, dispenseBody(charge))
  await eventually('the supplier has the command', () => commandsFor(charge).length === 1)
  paid.letThrough()
  await running
  const claims = () => service.rows('select state from dispense_claims where charge_id = $1', [charge])
  assert.deepEqual(await claims(), [{ state: 'commanding' }])
  answer('accept')
  assert.deepEqual(answerOf(await asked), [200, 'dispensing', false])
  assert.deepEqual(await claims(), [{ state: 'accepted' }])
})

test('many dispenses of one live charge through two processes send one command to the supplier', async () => {
  const charge = await collected()
  const apis = [shop.live, second.client(shop.merchant.keys.live_collections)] as const
  await Promise.all(
    Array.from({ length: 40 }, (_, nth) =>
      (apis[nth % 2] as Shop['live']).post(DISPENSE, dispenseBody(charge, { order_id: `own-${nth}` })),
    ),
  )
  service.pass(61_000)
  await service.run('dispense')
  assert.equal(commandsFor(charge).length, 1)
})

test('a live order that its supplier refused is commanded again by a retry, and an accepted one is not', async () => {
  const own = { api: shop.live }
  const { order_id } = await makeOrder(own)
  await submitPayment(service, order_id, newPayer())
  const { charge_id } = (await shop.live.get(`${ORDERS}/${order_id}`)).body
  await succeed(service, charge_id)
  supplier.behave('refuse')
  await service.run('dispense')
  const refused = await shop.live.post(`${ORDERS}/${order_id}/dispense`)
  supplier.behave('accept')
  assert.deepEqual(
    [refused.status, refused.body.ok, refused.body.vending_error],
    [200, false, `${SAID}machine offline`],
  )
  const told = await shop.live.post(`${ORDERS}/${order_id}/dispense`)
  assert.deepEqual([told.body.ok, told.body.vending_status], [true, 'dispensing'])
  assert.equal((await shop.live.post(`${ORDERS}/${order_id}/dispense`)).status, 409)
  assert.equal(commandsFor(charge_id).length, 3)
})

test('test keys never reach the supplier', async () => {
  const before = supplier.connections()
  const charge = await paidCharge(service, { api: shop.test })
  assert.equal((await shop.test.post(DISPENSE, dispenseBody(charge))).status, 200)
  assert.equal(supplier.connections(), before)
})
