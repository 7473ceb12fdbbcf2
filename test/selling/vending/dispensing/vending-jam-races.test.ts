import assert from 'node:assert/strict'
import { after } from 'node:test'
import { refundCharge } from '../../../../src/payments/refunds/refund-charge.ts'
import { claimOrder } from '../../../../src/selling/vending/dispensing/claim-order.ts'
import { fullKey } from '../../../helpers/service/actors.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'
import { startJamRefunds } from '../../../helpers/vending/jam-refunds.ts'
import { DELIVERED, jammed, say, told } from '../../../helpers/vending/machine-words.ts'

const ROUNDS = 20
const jams = await startJamRefunds()
const { service, other, owner, assertRefundedOnce, assertNotRefunded } = jams
after(jams.end)

/** Starts this much later, in statements that change nothing; the loser starts earlier the next time, so that both sides win. */
async function startAfter<T>(lead: number, begin: () => Promise<T>): Promise<T> {
  for (let wait = 0; wait < lead; wait += 1) await service.rows('select 1')
  return begin()
}

longTest(
  'a retry and the automatic refund at the same moment: either another try or the money, never both',
  async () => {
    const own = await owner('test', 1_000_000)
    let [refunds, retries] = [0, 0]
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = await jammed(service, own)
      const lead = refunds - retries
      const [, claimed] = await Promise.all([
        startAfter(lead, () => other.run('refund-jams')),
        startAfter(-lead, () => claimOrder(service.app, order)),
      ])
      if (claimed.kind === 'claimed') {
        retries += 1
        await assertNotRefunded(order)
      } else {
        refunds += 1
        assert.equal(claimed.kind, 'unpaid')
        await assertRefundedOnce(order)
      }
      service.pass(61_000)
      await service.run('dispense')
      await service.run('refund-jams')
      if (claimed.kind === 'claimed') await assertNotRefunded(order)
    }
    assert.ok(refunds > 0 && retries > 0, `both come about: ${refunds} refunded, ${retries} tried again`)
  },
)

test('a report of delivery and the automatic refund at the same moment: either delivered or refunded, never both', async () => {
  const own = await owner('test', 1_000_000)
  let [refunds, deliveries] = [0, 0]
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = await jammed(service, own)
    const lead = refunds - deliveries
    const [, said] = await Promise.all([
      startAfter(lead, () => other.run('refund-jams')),
      startAfter(-lead, () => say(service, order, DELIVERED)),
    ])
    if (said === 'moved') deliveries += 1
    else refunds += 1
    assert.equal(said, said === 'moved' ? 'moved' : 'refunded')
    await (said === 'moved' ? assertNotRefunded : assertRefundedOnce)(order)
  }
  assert.ok(refunds > 0 && deliveries > 0, `both come about: ${refunds} refunded, ${deliveries} delivered`)
})

test('a worker that claimed a jam before the retry refunds nothing after it', async () => {
  const own = await owner('test', 1_000_000)
  const order = await jammed(service, own)
  await told(service, order)
  // What the worker does under the lease that it took while the order had failed.
  const { merchantId, tag } = own
  const caller = fullKey({ merchantId, tag, cell: service.app.cell, mode: 'test' })
  const unless = { statement: { name: 'anything', text: 'select 1' }, values: [] }
  await assert.rejects(refundCharge(service.app, caller, { chargeId: order.chargeId, unless }), {
    message: 'cannot refund: what this charge has paid for is being delivered',
  })
  await assertNotRefunded(order)
})
