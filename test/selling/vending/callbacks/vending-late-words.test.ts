import assert from 'node:assert/strict'
import test, { after, beforeEach } from 'node:test'
import type { DispenseClaim } from '../../../../src/selling/vending/dispensing/claim.ts'
import { claimOrder } from '../../../../src/selling/vending/dispensing/claim-order.ts'
import type { DispenseOutcome } from '../../../../src/selling/vending/dispensing/dispense-move.ts'
import { addDispenseClaim } from '../../../../src/selling/vending/dispensing/move-claim.ts'
import { moveDispense, moveDispenses } from '../../../../src/selling/vending/dispensing/move-dispense.ts'
import { recordAnswer } from '../../../../src/selling/vending/dispensing/record-answer.ts'
import { sendCommand } from '../../../../src/selling/vending/dispensing/send-command.ts'
import { DELIVERED, dieSending, JAM, say, told, vendingEventNames } from '../../../helpers/vending/machine-words.ts'
import { claim, newOrder, orderRow, type PaidOrder, type Place } from '../../../helpers/vending/paid-orders.ts'
import { startCore } from '../../../helpers/vending/vending-core.ts'

const MINUTE = 60_000
const REFUSED = { kind: 'refused', code: '0', message: 'no such slot' } as const
const ACCEPTED = { kind: 'accepted', code: '1', message: 'ok' } as const

const core = await startCore()
const { service, trust, statesOf, sentOf, standing, paid } = core
beforeEach(core.begin)
after(core.end)

test('a report that is faster than the answer stands, whatever the answer is', async () => {
  for (const answer of [ACCEPTED, REFUSED, { kind: 'ambiguous', message: 'reset' } as const])
    for (const profile of ['default', 'optimistic'] as const)
      for (const [report, state] of [
        [DELIVERED, 'delivered'],
        [JAM, 'released'],
      ] as const) {
        await trust(profile)
        const order = await paid()
        const own = await claim(service, order)
        await dieSending(service, own)
        assert.equal(await say(service, order, report), 'moved')
        const before = await orderRow(service, order)
        await recordAnswer(service.app, own, answer)
        assert.deepEqual(await orderRow(service, order), before, `${profile} ${answer.kind}`)
        assert.deepEqual(await statesOf(order), [state])
        assert.equal((await vendingEventNames(service, order)).length, 1)
      }
})

test('an answer to an earlier command does not end a later one', async () => {
  for (const answer of [REFUSED, ACCEPTED])
    for (const profile of ['default', 'optimistic'] as const) {
      await trust(profile)
      const order = await paid()
      const slow = await claim(service, order)
      await dieSending(service, slow)
      service.pass(MINUTE + 1)
      await service.run('dispense')
      assert.equal(await say(service, order, JAM, 'manual'), 'moved')
      await told(service, order)
      await recordAnswer(service.app, slow, answer)
      assert.deepEqual(await statesOf(order), ['released', 'accepted'])
      assert.equal((await claimOrder(service.app, order)).kind, 'in_progress')
    }
})

test('a simulated report of an earlier command does not end a later one', async () => {
  const order = await paid()
  const first = await told(service, order)
  await say(service, order, JAM)
  await told(service, order)
  const about = { claimId: first.id, while: ['accepted'] } as const
  const { merchantId, id } = order
  const said = await moveDispense(service.app, {
    kind: 'order',
    merchantId,
    id,
    to: JAM,
    source: 'callback',
    about,
  })
  assert.equal(said, 'final')
  assert.deepEqual(await statesOf(order), ['released', 'accepted'])
})

test('a worker that has read that vending is off does not fail an order claimed since', async () => {
  const order = await paid()
  await told(service, order)
  const { merchantId, id } = order
  const to = { status: 'failed', confirmed: false, result: null, error: 'off' } as const
  const move = { kind: 'order', merchantId, id, to, source: 'command', about: 'none' } as const
  assert.equal(await moveDispense(service.app, move), 'final')
  assert.deepEqual(await statesOf(order), ['accepted'])
})

test('a report about an order that was never commanded changes nothing', async () => {
  const order = await paid()
  for (const report of [DELIVERED, JAM]) assert.equal(await say(service, order, report), 'never_commanded')
  const own = await claim(service, order)
  for (const report of [DELIVERED, JAM]) assert.equal(await say(service, order, report), 'never_commanded')
  await sendCommand(service.app, own)
  assert.deepEqual(await statesOf(order), ['accepted'])
  const unpaid = await newOrder(service, core.shop)
  for (const source of ['callback', 'manual'] as const)
    assert.equal(await say(service, unpaid, DELIVERED, source), 'unpaid')
})

test('a jam from before the newest command was sent is ignored, and one from after it counts', async () => {
  const order = await paid()
  await told(service, order)
  const early = service.clock.now()
  assert.equal(await say(service, order, JAM), 'moved')
  service.pass(1000)
  await told(service, order)
  const { merchantId, id } = order
  const jam = { kind: 'order', merchantId, id, to: JAM, source: 'callback' } as const
  assert.equal(await moveDispense(service.app, { ...jam, saidAt: early }), 'final')
  assert.deepEqual(await statesOf(order), ['released', 'accepted'])
  assert.equal(await moveDispense(service.app, { ...jam, saidAt: service.clock.now() }), 'moved')
  assert.deepEqual(await statesOf(order), ['released', 'released'])
})

test("a jam of an order's first command counts, however slow the machine's clock is", async () => {
  const order = await paid()
  await told(service, order)
  const { merchantId, id } = order
  const saidAt = new Date(service.clock.nowMs() - 4 * MINUTE)
  assert.equal(
    await moveDispense(service.app, { kind: 'order', merchantId, id, to: JAM, source: 'callback', saidAt }),
    'moved',
  )
})

test('moves of several orders share a batch, those of one order run in turn', async () => {
  const orders = [await paid(), await paid(), await paid()]
  for (const order of orders) await told(service, order)
  const unpaid = await newOrder(service, core.shop)
  const [first, second, third] = orders as [PaidOrder, PaidOrder, PaidOrder]
  const moveOf = ({ merchantId, id }: Place, to: DispenseOutcome) =>
    ({ kind: 'order', merchantId, id, to, source: 'callback' }) as const
  const moved = await moveDispenses(service.app, [
    moveOf(second, JAM),
    moveOf(first, DELIVERED),
    moveOf(unpaid, DELIVERED),
    moveOf(first, DELIVERED),
    moveOf(third, DELIVERED),
    moveOf(first, JAM),
    moveOf(second, DELIVERED),
  ])
  const values = moved.map((outcome) => outcome.ok && outcome.value)
  assert.deepEqual(values, ['moved', 'moved', 'unpaid', 'same', 'moved', 'final', 'moved'])
  assert.deepEqual(await vendingEventNames(service, first), ['vending.dispensed 1'])
  assert.deepEqual(await vendingEventNames(service, second), ['vending.dispense_failed 1', 'vending.dispensed 1'])
  for (const order of orders) assert.deepEqual(await statesOf(order), ['delivered'])
})

test('while the next command waits, a repeated jam is ignored and a late delivery stops it', async () => {
  const order = await paid()
  await told(service, order)
  await say(service, order, JAM)
  const next = await claim(service, order)
  assert.equal(await say(service, order, JAM), 'final')
  assert.deepEqual(await statesOf(order), ['released', 'claimed'])
  assert.equal(await say(service, order, DELIVERED), 'moved')
  assert.equal(await sendCommand(service.app, next), null)
  assert.deepEqual(await statesOf(order), ['released', 'delivered'])
  assert.equal(await sentOf(order), 1)
})

test('a new try forgets the report about the one before', async () => {
  const order = await paid()
  await told(service, order)
  await say(service, order, JAM)
  await told(service, order)
  const { confirmed, vending_error, dispense_result, units_dispensed } = await orderRow(service, order)
  assert.deepEqual([confirmed, vending_error, dispense_result, units_dispensed], [false, null, null, null])
})

test('an assumed delivery is contradicted, and contradicted again: each sends an event, and then it is final', async () => {
  await trust('optimistic')
  const order = await paid()
  await service.run('dispense')
  assert.deepEqual(await standing(order), ['dispensed', false, null])
  const told = ['vending.dispensed 1']
  assert.deepEqual(await vendingEventNames(service, order), told)
  for (const [report, event] of [
    [JAM, 'vending.dispense_failed 1'],
    [DELIVERED, 'vending.dispensed -1'],
  ] as const) {
    service.pass(1)
    assert.equal(await say(service, order, report), 'moved')
    told.push(event)
    assert.deepEqual(await vendingEventNames(service, order), told)
  }
  assert.equal(await say(service, order, JAM), 'final')
  assert.equal(await say(service, order, DELIVERED), 'same')
  assert.deepEqual(await statesOf(order), ['delivered'])
})

test('an assumed delivery that its machine confirms sends no event', async () => {
  await trust('optimistic')
  const order = await paid()
  await service.run('dispense')
  service.pass(1000)
  const { dispensed_at } = await orderRow(service, order)
  assert.equal(await say(service, order, DELIVERED), 'moved')
  assert.deepEqual(await vendingEventNames(service, order), ['vending.dispensed 1'])
  assert.deepEqual((await orderRow(service, order)).dispensed_at, dispensed_at)
})

test('the refusal of a direct dispense does not free a charge whose machine has delivered', async () => {
  const charge = (await core.shop.api.charge()).body.id
  service.pass(2000)
  await service.run('follow-charges')
  await newOrder(service, core.shop)
  const direct: DispenseClaim = {
    ...{
      merchantId: core.shop.merchantId,
      id: `dclm_${core.shop.tag}direct`,
      mode: 'test',
      chargeId: charge,
    },
    ...{
      kind: 'direct',
      orderId: 'own-1',
      machine: 'M-1',
      goods: [{ spbh: '1' }],
      payAccount: null,
      attempt: 1,
    },
  }
  await service.app.db.transaction(async (tx) => {
    await tx.send(addDispenseClaim(direct, service.clock.now()))
    return { value: null }
  })
  await dieSending(service, direct)
  const move = {
    kind: 'direct',
    merchantId: core.shop.merchantId,
    id: charge,
    to: DELIVERED,
    source: 'callback',
  } as const
  assert.equal(await moveDispense(service.app, move), 'moved')
  await recordAnswer(service.app, direct, REFUSED)
  const [row] = await service.rows('select state, vending_status from dispense_claims where id = $1', [direct.id])
  assert.deepEqual(row, { state: 'delivered', vending_status: 'dispensed' })
})
