import assert from 'node:assert/strict'
import test, { after, beforeEach } from 'node:test'
import { claimOrder } from '../../../../src/selling/vending/dispensing/claim-order.ts'
import { sendCommand } from '../../../../src/selling/vending/dispensing/send-command.ts'
import type { TestService } from '../../../helpers/service/test-service.ts'
import { DELIVERED, dieSending, JAM, say, told, vendingEventNames } from '../../../helpers/vending/machine-words.ts'
import { claim, newOrder, orderRow, type PaidOrder, payOrder } from '../../../helpers/vending/paid-orders.ts'
import { startCore } from '../../../helpers/vending/vending-core.ts'

const MINUTE = 60_000

const core = await startCore()
const { service, other, vending, refund, claimsOf, statesOf, sentOf, standing, paid } = core
beforeEach(core.begin)
after(core.end)

test('a paid order is commanded once, however many workers run', async () => {
  const orders: PaidOrder[] = []
  for (let made = 0; made < 20; made += 1) orders.push(await paid())
  await Promise.all(Array.from({ length: 8 }, (_, nth) => (nth % 2 === 0 ? service : other).run('dispense')))
  // An order that waited too long for a lock is taken by the next run.
  await service.run('dispense')
  for (const order of orders) assert.deepEqual(await claimsOf(order), [{ attempt: 1, state: 'accepted', sent: true }])
})

test('simultaneous claims of one order make one claim and one command', async () => {
  for (let round = 0; round < 10; round += 1) {
    const order = await paid()
    const retry = async (at: TestService) => {
      const claimed = await claimOrder(at.app, order)
      if (claimed.kind === 'claimed') await sendCommand(at.app, claimed.claim)
      return claimed.kind
    }
    const kinds = await Promise.all([retry(service), retry(other), service.runBeside('dispense'), retry(other)])
    assert.ok(kinds.filter((kind) => kind === 'claimed').length <= 1)
    assert.equal(await sentOf(order), 1)
  }
})

test('a claim of a dead process is taken over by one other process after a minute', async () => {
  const order = await paid()
  const own = await claim(service, order)
  await Promise.all([service.run('dispense'), other.run('dispense')])
  assert.deepEqual(await statesOf(order), ['claimed'])
  service.pass(MINUTE + 1)
  await Promise.all([service.run('dispense'), other.run('dispense'), sendCommand(service.app, own)])
  assert.deepEqual(await claimsOf(order), [{ attempt: 1, state: 'accepted', sent: true }])
  assert.equal(await sendCommand(service.app, own), null, 'whoever comes late sends nothing')
})

test('after a process died while sending, the order is in doubt, and no command is sent again by itself', async () => {
  const order = await paid()
  const own = await claim(service, order)
  await dieSending(service, own)
  assert.equal(await sendCommand(service.app, own), null)
  service.pass(MINUTE + 1)
  await Promise.all([service.run('dispense'), other.run('dispense')])
  assert.deepEqual(await standing(order), [
    'dispensing',
    false,
    'the machine supplier did not answer clearly - waiting for the report of the machine',
  ])
  service.pass(48 * 60 * MINUTE)
  await service.run('dispense')
  assert.equal(await sendCommand(service.app, own), null)
  assert.deepEqual(await claimsOf(order), [{ attempt: 1, state: 'ambiguous', sent: true }])
  assert.equal((await claimOrder(service.app, order)).kind, 'in_progress')
  assert.equal(await say(service, order, JAM), 'moved')
  await told(service, order)
  assert.equal(await sentOf(order), 2, 'reported as not delivered, it may be tried again')
})

test('vending switched off between payment and command: no command, one event, and a retry later works', async () => {
  const [unclaimed, claimed] = [await paid(), await paid()]
  const own = await claim(service, claimed)
  await vending(false)
  service.pass(MINUTE + 1)
  await Promise.all([service.run('dispense'), other.run('dispense')])
  for (const [order, event, states] of [
    [unclaimed, 'vending.dispense_failed 0', []],
    [claimed, 'vending.dispense_failed 1', ['released']],
  ] as const) {
    assert.deepEqual(await standing(order), ['failed', false, 'vending is disabled for this merchant'])
    assert.deepEqual(await statesOf(order), states)
    assert.deepEqual(await vendingEventNames(service, order), [event])
    assert.equal(await sentOf(order), 0)
    assert.equal((await claimOrder(service.app, order)).kind, 'off')
  }
  assert.equal(await sendCommand(service.app, own), null)
  await vending(true)
  for (const order of [unclaimed, claimed]) {
    await told(service, order)
    assert.equal(await say(service, order, DELIVERED), 'moved')
  }
})

test('nothing is commanded after a refund, however long the claim waited', async () => {
  const order = await paid()
  const own = await claim(service, order)
  await refund(order)
  assert.deepEqual(await sendCommand(service.app, own), {
    kind: 'refused',
    code: null,
    message: 'the payment was refunded before the machine was told',
  })
  assert.deepEqual(await claimsOf(order), [{ attempt: 1, state: 'released', sent: false }])
  assert.deepEqual(await vendingEventNames(service, order), ['vending.dispense_failed 1'])
  assert.deepEqual(await claimOrder(service.app, order), { kind: 'unpaid', status: 'refunded' })
  const unclaimed = await paid()
  await refund(unclaimed)
  await service.run('dispense')
  assert.deepEqual(await claimsOf(unclaimed), [])
})

test('a refund and a command at the same moment happen one after the other', async () => {
  const seen = { commanded: 0, withheld: 0 }
  for (let round = 0; round < 30; round += 1) {
    const order = await paid()
    const own = await claim(service, order)
    const both = [() => refund(order, other), () => sendCommand(service.app, own)]
    await Promise.all((round % 2 === 0 ? both : both.reverse()).map((one) => one()))
    const [only] = await claimsOf(order)
    if (only?.sent) assert.equal(only.state, 'accepted')
    else assert.equal(only?.state, 'released')
    seen[only?.sent ? 'commanded' : 'withheld'] += 1
  }
  assert.equal(seen.commanded + seen.withheld, 30)
})

test('simulated machines report what their numbers say, once', async () => {
  const orders = await Promise.all(['M-OK', 'M-JAM', 'M-BUSY', 'M-LOST', 'M-REFUSE', 'M-1'].map(paid))
  await service.run('dispense')
  service.pass(2000)
  await Promise.all([service.run('dispense'), other.run('dispense')])
  const stand = await Promise.all(orders.map(standing))
  assert.deepEqual(
    stand.map(([status]) => status),
    ['dispensed', 'failed', 'dispensing', 'dispensing', 'failed', 'dispensing'],
  )
  assert.deepEqual(
    await Promise.all(orders.map(async (order) => (await vendingEventNames(service, order)).length)),
    [1, 1, 0, 0, 1, 0],
  )
})

test('an order paid in time is dispensed even after its expiry; an unpaid one is not watched any more', async () => {
  const [late, unpaid] = [await newOrder(service, core.shop), await newOrder(service, core.shop)]
  service.pass(119_999)
  const order = await payOrder(service, late, { tag: core.shop.tag })
  service.pass(MINUTE)
  await service.run('dispense')
  assert.equal(await sentOf(order), 1)
  await service.run('dispense')
  assert.equal((await orderRow(service, unpaid)).watched, false)
  await assert.rejects(payOrder(service, unpaid, { tag: core.shop.tag }), /expired/)
})
