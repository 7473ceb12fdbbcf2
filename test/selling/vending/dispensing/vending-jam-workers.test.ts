import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { listStatements } from '../../../../src/platform/db/statement.ts'
import { startJamRefunds } from '../../../helpers/vending/jam-refunds.ts'
import { jammed } from '../../../helpers/vending/machine-words.ts'
import { orderRow, type PaidOrder } from '../../../helpers/vending/paid-orders.ts'

const MINUTE = 60_000
const jams = await startJamRefunds()
const { service, other, owner, refundJams, dueOf, assertRefundedOnce } = jams
after(jams.end)

test('two workers at once refund each of many jams once', async () => {
  const own = await owner('test', 1_000_000)
  const orders: PaidOrder[] = []
  for (let made = 0; made < 12; made += 1) orders.push(await jammed(service, own))
  const sweeps = Array.from({ length: 6 }, (_, nth) => (nth % 2 === 0 ? service : other).run('refund-jams'))
  const handled = await Promise.all(sweeps)
  assert.equal(
    handled.reduce((sum, one) => sum + one, 0),
    12,
    'each was claimed by one',
  )
  for (const order of orders) await assertRefundedOnce(order)
})

test('while others refund the same charge by hand, there is only one refund', async () => {
  const own = await owner('test', 1_000_000)
  for (let round = 0; round < 10; round += 1) {
    const order = await jammed(service, own)
    const byHand = () => own.test.post(`/v1/charges/${order.chargeId}/refund`)
    await Promise.all([byHand(), service.run('refund-jams'), byHand(), other.run('refund-jams')])
    await assertRefundedOnce(order)
  }
})

test('refunds that outlast their claim: a refund whose answer was lost is found and not repeated', async () => {
  const own = await owner('test', 50_000)
  const order = await jammed(service, own)
  const due = await dueOf(order)
  await refundJams()
  // As after a process that died between the refund and the record of it.
  await service.rows('update vending_orders set refund_due_at = $2 where id = $1', [order.id, due])
  assert.equal(await refundJams(), 1)
  await assertRefundedOnce(order)
})

test('jams claimed by a dead worker are taken over a minute later', async () => {
  const own = await owner('test', 50_000)
  const order = await jammed(service, own)
  const lease = new Date(service.clock.nowMs() + MINUTE)
  await service.rows('update vending_orders set refund_due_at = $2 where id = $1', [order.id, lease])
  assert.equal(await refundJams(), 0)
  service.pass(MINUTE)
  assert.equal(await refundJams(), 1)
  await assertRefundedOnce(order)
})

test('a worker that has lost its lease does not write any more', async () => {
  const order = await jammed(service, await owner('test', 50_000))
  const before = await orderRow(service, order)
  const next = listStatements().find(({ name }) => name === 'next try of jam refund')
  assert.ok(next)
  for (const lease of [new Date(service.clock.nowMs() + MINUTE), null])
    assert.deepEqual(
      await service.app.db.query(next, [order.merchantId, order.id, lease?.toISOString() ?? null, null, 'late words']),
      [],
    )
  assert.deepEqual(await orderRow(service, order), before)
  assert.equal(await refundJams(), 1)
  await assertRefundedOnce(order)
})
