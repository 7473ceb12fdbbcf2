import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, oneJson, type Ran } from '../../helpers/service/command-line.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { dispenseSecret, report, send, vendingEventsOf } from '../../helpers/vending/callbacks.ts'
import { claimsOf } from '../../helpers/vending/dispense-claims.ts'
import { dispensingOrder, makeOrder, payOrder, readOrder, retry, vendingShop } from '../../helpers/vending/vending.ts'
import { commandsOn } from './commands-on.ts'

const service = openedAndVerified(() => startService())
const command = commandsOn(service, { first: ['vending'] })
const shop = made(() => vendingShop(service))

const run = (order: string, outcome: string, ...rest: string[]): Promise<Ran> =>
  command.run('decide', shop.merchant.handle, '--order', order, '--outcome', outcome, ...rest)
const decide = async (order: string, outcome: string) => oneJson(await run(order, outcome, '--json'))
const audit = (order: string) => service.rows<any>(`select action, after from audit where subject = $1`, [order])

test('a person who saw the product ends the order as delivered, once', async () => {
  const { order_id, charge_id } = await dispensingOrder(service, shop, { machine: 'M-LOST' })
  const decided = await decide(order_id, 'delivered')
  assert.deepEqual([decided.order_id, decided.vending_status, decided.vending_error], [order_id, 'dispensed', null])
  assert.deepEqual(await decide(order_id, 'delivered'), decided)
  const events = await vendingEventsOf(service, order_id)
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.source]),
    [['vending.dispensed', 'manual']],
  )
  assert.deepEqual(await audit(order_id), [{ action: 'order.decide', after: { decision: 'delivered' } }])
  assert.deepEqual(
    (await claimsOf(service, charge_id)).map(({ state }) => state),
    ['delivered'],
  )
  assertRefused(await run(order_id, 'not-delivered'), { code: 1, says: /is dispensed: there is nothing/ })
})

test('what was not delivered can be dispensed again, and a late report of delivery still counts', async () => {
  const { order_id } = await dispensingOrder(service, shop)
  const { stdout } = await run(order_id, 'not-delivered')
  assert.equal(stdout, `${order_id} is failed\n`)
  const failed = await readOrder(shop, order_id)
  assert.equal(failed.vending_error, 'not delivered, as a person has found')
  assert.deepEqual(
    (await vendingEventsOf(service, order_id)).map(({ event, data }) => [event, data.source]),
    [['vending.dispense_failed', 'manual']],
  )
  assertRefused(await run(order_id, 'delivered'), { code: 1, says: /is failed: there is nothing to decide/ })
  assert.equal((await retry(shop, order_id)).body.ok, true)
  await decide(order_id, 'not-delivered')
  await send(service, report(service, 'done', { order_id, secret: await dispenseSecret(shop) }))
  assert.equal((await readOrder(shop, order_id)).vending_status, 'dispensed')
})

test('an optimistic delivery can be decided the other way, one that a machine confirmed cannot', async () => {
  const own = await vendingShop(service)
  const secret = await dispenseSecret(own)
  await command.json('set', own.merchant.handle, '--profile', 'optimistic')
  const [guessed, confirmed] = [await dispensingOrder(service, own), await dispensingOrder(service, own)]
  await send(service, report(service, 'done', { ...confirmed, secret }))
  const args = (order: string) => ['decide', own.merchant.handle, '--order', order, '--outcome', 'not-delivered']
  const ran = await command.run(...args(guessed.order_id), '--json')
  assert.equal(oneJson(ran).vending_status, 'failed')
  assertRefused(await command.run(...args(confirmed.order_id)), { code: 1, says: /nothing to decide/ })
})

test('there is nothing to decide before a machine was told, and nothing of others', async () => {
  const unpaid = await makeOrder(shop)
  const paid = await makeOrder(shop)
  await payOrder(service, paid.order_id)
  for (const { order_id } of [unpaid, paid])
    assertRefused(await run(order_id, 'delivered'), {
      code: 1,
      says: /is pending: there is nothing to decide/,
    })
  const foreign = await dispensingOrder(service, await vendingShop(service))
  const link = (await shop.api.post('/v1/payment-links', { amount: 1000 })).body
  for (const id of [foreign.order_id, link.id, 'lnk_x'])
    assertRefused(await run(id, 'delivered'), { code: 1, says: /^vending order not found$/m })
  assertRefused(await run(paid.order_id, 'maybe'), { code: 2, says: /--outcome must be one of delivered/ })
})
