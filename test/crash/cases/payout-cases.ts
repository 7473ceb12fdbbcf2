import type { Mode } from '../../../src/platform/mode.ts'
import type { Merchant } from '../installation.ts'
import { paidCharges } from '../paid-charges.ts'
import { REFUSED_PHONE } from '../requests.ts'
import { serving, stopServing, victim } from '../serving.ts'
import { killedBy, PASSED_WITHIN_MS } from '../victims.ts'
import { restart, settleBooks, type World, withLiveRail } from '../world.ts'

const ENOUGH_MONEY = { live: 50_000, test: 10_000_000 }
// Five chunks; two are enough for cases that are not about chunks.
const ITEMS = { many: 1000, usual: 250 }
const REFUNDS = 3
const FIRST_CYCLE_MS = 20_000
const LONG_QUEUED = 3
const TWO_DAYS_MS = 2 * 86_400_000

const AVAILABLE = `select coalesce(sum(h.available), 0)::float8 as available
  from ledger_heads h join merchants m on m.id = h.merchant_id where m.handle = $1 and h.mode = $2`

async function availableOf({ installation }: World, { handle }: Merchant, mode: Mode) {
  const [row] = await installation.sql<{ available: number }>(AVAILABLE, [handle, mode])
  return row?.available ?? 0
}

/** Three live payouts at once, and the process dies while it handles one of them. */
export async function onLivePayout(world: World, crashPoint: string): Promise<string[]> {
  await earnLiveMoney(world)
  const running = await victim(world, 'with live rail', crashPoint)
  const payouts = [1, 2, 3].map(() => world.clients.payout(world.live, 'live'))
  return killedBy(running, crashPoint, payouts)
}

/** The operator refuses the payout, and the process dies between storing the refusal and applying it. */
export async function onRefusedPayout(world: World, crashPoint: string): Promise<string[]> {
  await earnLiveMoney(world)
  const running = await victim(world, 'with live rail', crashPoint)
  return killedBy(running, crashPoint, [world.clients.payout(world.live, 'live', REFUSED_PHONE)])
}

/** The operator takes nothing, so the reservation is released and the key is free again; then it accepts payouts again. */
export async function onReturnedPayout(world: World, crashPoint: string): Promise<string[]> {
  await earnLiveMoney(world)
  world.operator.onSubmit({ answer: 'refuse to serve' })
  const running = await victim(world, 'with live rail', crashPoint)
  const wrong = await killedBy(running, crashPoint, [world.clients.payout(world.live, 'live')])
  world.operator.onSubmit({ answer: 'accept' })
  return wrong
}

/** The only source of live money is customers who paid the merchant. */
export async function earnLiveMoney(world: World): Promise<void> {
  while ((await availableOf(world, world.live, 'live')) < ENOUGH_MONEY.live) {
    await serving(world, 'with live rail')
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => world.clients.charge(world.live, 'live')))
    await settleBooks(world)
  }
}

/** The merchant asks for refunds and gets no answer; asking again is answered that they are on their way. */
export async function onRefund(world: World, crashPoint: string): Promise<string[]> {
  const charges = await paidCharges(world, {
    ...{ merchant: world.shop, mode: 'test', count: REFUNDS },
    ...{ columns: 'c.id', where: 'c.settled_at is not null' },
  })
  const running = await victim(world, 'shipped', crashPoint)
  return killedBy(
    running,
    crashPoint,
    charges.map(({ id }) => world.clients.refund(world.shop, id)),
  )
}

/** One call of many items: its first answer is lost, and repeating its key finds the one batch, each item once. */
export async function onBulk(world: World, crashPoint: string): Promise<string[]> {
  const items = crashPoint.startsWith('bulk.chunk-committed') ? ITEMS.many : ITEMS.usual
  await addTestMoney(world)
  const running = await victim(world, 'shipped', crashPoint)
  return killedBy(running, crashPoint, [world.clients.bulk(world.payer, items)])
}

async function addTestMoney(world: World): Promise<void> {
  const { installation, payer } = world
  if ((await availableOf(world, payer, 'test')) >= ENOUGH_MONEY.test) return
  await installation.command(['funds', 'add', payer.handle, '--amount', '100000000'])
}

/** A schedule becomes due while nothing runs, and the first worker that picks it up dies. */
export async function onCycle(world: World, crashPoint: string): Promise<string[]> {
  const { installation, clients, payer } = world
  await addTestMoney(world)
  await serving(world, 'shipped')
  await clients.schedule(payer, new Date(installation.clock.nowMs() + FIRST_CYCLE_MS))
  await clients.repeatUnanswered(PASSED_WITHIN_MS)
  await stopServing(world)
  installation.advance(FIRST_CYCLE_MS)
  return killedBy(installation.start({ crashPoint }), crashPoint)
}

/**
 * Payouts have waited for two days, as behind a freeze; the worker that sends them dies after it has marked one as sent and
 * before the operator hears of it. It is asked about and posted again: the day allowed for that starts only then (M4).
 */
export async function onLongQueuedPayout(world: World, crashPoint: string): Promise<string[]> {
  const { installation, clients, live } = world
  await earnLiveMoney(world)
  await stopServing(world)
  const web = await restart(world, withLiveRail(world, 'web'))
  await clients.bulk(live, LONG_QUEUED, 'live')
  await clients.repeatUnanswered(PASSED_WITHIN_MS)
  await web.kill()
  const waiting = await installation.sql(QUEUED)
  installation.advance(TWO_DAYS_MS)
  const wrong = await killedBy(installation.start({ ...withLiveRail(world, 'worker'), crashPoint }), crashPoint)
  const marked = await installation.sql(`${MARKED} and p.id = any($1)`, [waiting.map(({ id }) => id)])
  if (waiting.length < LONG_QUEUED) wrong.push(`only ${waiting.length} payouts waited`)
  if (marked.length === 0) wrong.push('no payout was marked as on its way')
  const heard = new Set(world.operator.journal.map(({ reference }) => reference))
  if (marked.every(({ reference }) => heard.has(reference))) wrong.push('the operator heard of each of them')
  return wrong
}
const QUEUED = `select p.id from payouts p where p.mode = 'live' and p.in_queue and p.follow_at is not null`
const MARKED = `select p.id, p.rail_reference as reference from payouts p
  join rail_attempts a on a.merchant_id = p.merchant_id and a.subject = p.id where a.state = 'sending'`
