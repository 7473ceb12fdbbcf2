import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { stillClock } from '../api/rate-limits/still-clock.ts'
import { payer } from '../helpers/payments/schedules.ts'
import { assertVerified } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { sized } from '../helpers/service/parts.ts'
import { startService } from '../helpers/service/test-service.ts'
import { type PaidOrder, paidOrder } from '../helpers/vending/paid-orders.ts'
import { type Known, play, sweeps } from './vending-histories.ts'
import { MACHINES, SILENT, type Step, step } from './vending-steps.ts'

const service = opened(() => startService({ clock: stillClock() }))
const other = opened(() => startService({ database: service.database, clock: service.clock }))

/** An order, and its state after the last step. */
type Watched = Known & { before: Seen }
type Seen = {
  status: string
  confirmed: boolean
  attempts: number
  dispensedAt: string | null
  commands: number
  living: number
  refunded: boolean
  refunds: number
  events: number
}

async function seen({ id, chargeId }: PaidOrder): Promise<Seen> {
  const [row] = await service.rows<Seen>(
    `select o.vending_status as status, o.confirmed, o.attempts, o.dispensed_at::text as "dispensedAt",
       (select count(*)::int from dispense_claims k where k.charge_id = $2 and k.commanded_at is not null) as commands,
       (select count(*)::int from dispense_claims k where k.charge_id = $2 and k.released_at is null) as living,
       (select status = 'refunded' from charges where id = $2) as refunded,
       (select count(*)::int from payouts where charge_id = $2) as refunds,
       (select count(*)::int from events e where e.subject = $1) as events
     from vending_orders o where o.id = $1`,
    [id, chargeId],
  )
  assert.ok(row)
  return row
}

test('whatever happens in whatever order, one payment drops one product', async () => {
  const seed = Math.floor(performance.timeOrigin) % 1_000_000_000
  console.log(`dispenses of seed ${seed}`)
  const runs = fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
    const shop = await payer(service, 10_000_000)
    await service.set(shop.merchant, { vendingEnabled: true, autoRefundOnJam: 'off' })
    const orders: Watched[] = []
    for (const machine of MACHINES) {
      const made = await paidOrder(service, shop, { machine })
      orders.push({ ...made, machine, held: [], unanswered: [], freed: 0, before: await seen(made) })
    }
    for (const one of steps) {
      service.pass(1)
      await play({ service, other, shop, orders }, one)
      for (const known of orders) await check(known, one)
    }
    // Only after this run has taken up what dead processes left is nothing in progress for ever.
    await sweeps(service)
    await assertVerified(service)
  })
  await fc.assert(runs, { seed, numRuns: sized(1, 10), endOnFailure: true, includeErrorInReport: true })
})

async function check(known: Watched, step: Step): Promise<void> {
  const { before, machine } = known
  const now = await seen(known)
  const where = `${machine} after ${JSON.stringify(step)}: ${JSON.stringify(before)} -> ${JSON.stringify(now)}`
  assert.equal(now.refunds, now.refunded ? 1 : 0, `one refund: ${where}`)
  assert.ok(now.living <= 1, `one claim: ${where}`)
  assert.ok(now.commands <= now.attempts, `each command has its claim: ${where}`)
  // Only the test ends commands of these machines, so each further command needs an earlier word that nothing was dropped.
  if (SILENT.includes(machine)) assert.ok(now.commands <= 1 + known.freed, `never twice: ${where}`)
  if (before.refunded) assert.equal(now.commands, before.commands, `none after the refund: ${where}`)
  if (before.status === 'dispensed' && before.confirmed)
    assert.deepEqual(now, { ...before, refunded: now.refunded, refunds: now.refunds }, `final: ${where}`)
  const ended = now.status === 'dispensed' || now.status === 'failed'
  const moved = now.status !== before.status || now.attempts !== before.attempts
  if (step.do !== 'two')
    assert.equal(now.events - before.events, moved && ended ? 1 : 0, `each change is told once: ${where}`)
  known.before = now
}
