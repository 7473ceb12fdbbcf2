import { setTimeout as sleep } from 'node:timers/promises'
import type { CrashPoint } from '../../../src/program/settings/crash-points.ts'
import { type Program, serving, stopServing, victim } from '../serving.ts'
import { killedBy, notKilled, PASSED_WITHIN_MS, untilTooLate } from '../victims.ts'
import type { World } from '../world.ts'
import { whileApproving, whileEndingAsTold } from './approval-cases.ts'
import { whileMakingCell } from './cell-cases.ts'
import { whileClosing } from './closing-cases.ts'
import { whileRevoking, whileRotating } from './key-cases.ts'
import { onLivePage, onPageWithCardForAll, onPageWithCardForSome, onRefusedPage, onTestPage } from './page-cases.ts'
import {
  onBulk,
  onCycle,
  onLivePayout,
  onLongQueuedPayout,
  onRefund,
  onRefusedPayout,
  onReturnedPayout,
} from './payout-cases.ts'
import { onStandingOrder } from './standing-order-cases.ts'
import { whileImporting, whileTakingBack } from './statement-cases.ts'
import { onCallback, onDirectDispense, onJamRefund, onLiveOrders, onTestOrders } from './vending-cases.ts'

/** How a process is brought to a point. `pass`: at which pass it is killed, the first unless given. */
export type PointCase = { point: CrashPoint; led: keyof typeof WAYS; pass?: number }

/** Every crash point and how to reach it; some are reached more than once. A point that is not in the code fails the suite. */
export const POINT_CASES: readonly PointCase[] = [
  { point: 'key.done-unsent', led: 'load' },
  // The keys of the load are looked up in batches before: a late pass, so that charges are in one by then.
  { point: 'batch.collected', led: 'load', pass: 20 },
  { point: 'batch.sent', led: 'load' },
  { point: 'batch.committed', led: 'load' },
  { point: 'charge.moved', led: 'load' },
  // Passed ten times a second even when nothing is due: a late pass, so that there are charges by then.
  { point: 'charge.sandbox-due', led: 'load', pass: 12 },
  // Numbers are given and not committed: another process gives them.
  { point: 'event.sealing', led: 'load', pass: 2 },
  // The delivery is committed as claimed by the process that dies before it posts it: its lease brings it back.
  { point: 'delivery.stored-as-own', led: 'load' },
  { point: 'delivery.claimed', led: 'load' },
  { point: 'delivery.sent', led: 'load' },
  { point: 'delivery.answered', led: 'load' },
  { point: 'delivery.recorded', led: 'load' },
  { point: 'drain.started', led: 'stop' },
  { point: 'drain.leases-released', led: 'stop' },
  { point: 'key.reserved', led: 'live' },
  { point: 'charge.stored', led: 'live' },
  { point: 'charge.rail-sent', led: 'live' },
  { point: 'charge.rail-answered', led: 'live' },
  // The operator has called back, and that is in memory only: before the question, and between its answer and the commit.
  { point: 'charge.called-back', led: 'live' },
  { point: 'charge.callback-confirmed', led: 'live' },
  { point: 'charge.callback-confirmed', led: 'live', pass: 2 },
  { point: 'charge.moved', led: 'live' },
  { point: 'settle.claimed', led: 'settle' },
  { point: 'settle.released', led: 'settle' },
  { point: 'approval.judged', led: 'approve' },
  { point: 'approval.committed', led: 'approve' },
  { point: 'approval.judged', led: 'end as told' },
  { point: 'approval.committed', led: 'end as told' },
  { point: 'statement.claimed', led: 'import' },
  { point: 'statement.told', led: 'import' },
  // Of what belongs to no merchant, in the directory.
  { point: 'statement.told', led: 'import', pass: 3 },
  { point: 'statement.kept', led: 'import' },
  { point: 'statement.covered', led: 'import' },
  { point: 'statement.claimed', led: 'take back' },
  { point: 'statement.uncovered', led: 'take back' },
  // A finding that another import has too, one whose exception is closed, and one of no merchant.
  { point: 'statement.returned', led: 'take back' },
  { point: 'statement.returned', led: 'take back', pass: 2 },
  { point: 'statement.returned', led: 'take back', pass: 3 },
  { point: 'key.revoked', led: 'rotate' },
  { point: 'key.revoked', led: 'D10: revoke' },
  { point: 'account.access-ended', led: 'close' },
  { point: 'migration.applied', led: 'migrate' },
  { point: 'migration.applied', led: 'make cell' },
  { point: 'cell.made', led: 'make cell' },
  { point: 'cell.placed', led: 'make cell' },
  { point: 'cell.freeze-copied', led: 'make cell' },
  { point: 'cell.entered', led: 'make cell' },
  { point: 'payout.moved', led: 'load' },
  { point: 'payout.reserved', led: 'live payout' },
  { point: 'payout.reserved', led: 'M4: long queued payout' },
  { point: 'payout.rail-sent', led: 'live payout' },
  { point: 'payout.rail-answered', led: 'live payout' },
  // The refusal is stored and not applied yet: another process applies it.
  { point: 'payout.no-kept', led: 'refused payout' },
  { point: 'payout.returned', led: 'returned payout' },
  { point: 'refund.committed', led: 'refund' },
  { point: 'bulk.stored', led: 'bulk' },
  // Between the second chunk and the third, and after the last item.
  { point: 'bulk.chunk-committed', led: 'bulk', pass: 2 },
  { point: 'bulk.chunk-committed', led: 'bulk', pass: 5 },
  { point: 'bulk.finished', led: 'bulk' },
  { point: 'cycle.claimed', led: 'cycle' },
  { point: 'cycle.created', led: 'cycle' },
  { point: 'cycle.advanced', led: 'cycle' },
  { point: 'standing-order.claimed', led: 'standing order' },
  { point: 'standing-order.withdrawn', led: 'standing order' },
  { point: 'link.claimed', led: 'test page' },
  { point: 'link.claimed', led: 'live page' },
  // Between the commit that claims the link and the request to the operator.
  { point: 'charge.stored', led: 'live page' },
  { point: 'card.reserved', led: 'page with card for some' },
  { point: 'card.reserved', led: 'page with card for all' },
  { point: 'card.taken', led: 'page with card for some' },
  // The refusal is stored and not applied yet: another process applies it.
  { point: 'charge.no-kept', led: 'refused page' },
  { point: 'dispense.claimed', led: 'test orders' },
  { point: 'dispense.claimed', led: 'live orders' },
  { point: 'dispense.claimed', led: 'direct dispense' },
  { point: 'dispense.commanded', led: 'test orders' },
  { point: 'dispense.commanded', led: 'live orders' },
  { point: 'dispense.commanded', led: 'direct dispense' },
  { point: 'dispense.answered', led: 'live orders' },
  { point: 'dispense.answered', led: 'direct dispense' },
  { point: 'dispense.recorded', led: 'live orders' },
  { point: 'dispense.recorded', led: 'direct dispense' },
  { point: 'callback.verified', led: 'callback' },
  { point: 'callback.applied', led: 'callback' },
  { point: 'jam-refund.claimed', led: 'jam refund' },
]

/** The ways that need the live rail after the kill too. */
const LIVE_WAYS = [
  'live',
  'live payout',
  'M4: long queued payout',
  'returned payout',
  'refused payout',
  'standing order',
  ...['live page', 'page with card for some', 'page with card for all', 'refused page'],
  ...['test orders', 'live orders', 'direct dispense', 'callback'],
  'jam refund',
  'end as told',
  'import',
  'take back',
]
export const programOf = ({ led }: PointCase): Program => (LIVE_WAYS.includes(led) ? 'with live rail' : 'shipped')

const LOAD_PER_SECOND = 60

/** Kills a process at the point. Returns faults that the books do not show: the point was not reached, or a key still opens. */
export const crashAt = (world: World, { point, led, pass = 1 }: PointCase): Promise<string[]> =>
  WAYS[led](world, `${point}:${pass}`)

async function underLoad(world: World, crashPoint: string): Promise<string[]> {
  const running = await victim(world, 'shipped', crashPoint)
  const load = world.clients.load(LOAD_PER_SECOND)
  const end = await Promise.race([running.ended, untilTooLate()])
  await load.stop()
  await running.kill()
  return notKilled(end, crashPoint)
}

async function whileStopping(world: World, crashPoint: string): Promise<string[]> {
  const running = await victim(world, 'shipped', crashPoint)
  const load = world.clients.load(LOAD_PER_SECOND)
  await load.goodAnswerAfter(performance.now())
  running.signal('SIGTERM')
  const end = await Promise.race([running.ended, untilTooLate()])
  await load.stop()
  await running.kill()
  return notKilled(end, crashPoint)
}

async function onLiveCharge(world: World, crashPoint: string): Promise<string[]> {
  const running = await victim(world, 'with live rail', crashPoint)
  const charges = [1, 2, 3].map(() => world.clients.charge(world.live, 'live'))
  return killedBy(running, crashPoint, charges)
}

async function whileSettling(world: World, crashPoint: string): Promise<string[]> {
  const { installation, clients, held } = world
  await serving(world, 'shipped')
  await Promise.all([1, 2, 3, 4, 5].map(() => clients.charge(held)))
  await clients.repeatUnanswered(PASSED_WITHIN_MS)
  await paid(world, held.handle)
  await stopServing(world)
  const end = await installation.command(['sandbox', 'clock', held.handle, '--advance', '24h'], {
    CRASH_POINT: crashPoint,
  })
  return notKilled(end, crashPoint)
}

async function paid(world: World, handle: string): Promise<void> {
  const open = `select 1 from charges c join merchants m on m.id = c.merchant_id
    where m.handle = $1 and c.status in ('pending', 'authorized')`
  while ((await world.installation.sql(open, [handle])).length > 0) await sleep(20)
}

/** Dies once between the directory and the cell, and once between the cell and the rights of the service's role. */
async function whileMigrating(world: World, crashPoint: string): Promise<string[]> {
  const passes = [crashPoint, crashPoint.replace(/:.*/, ':2')]
  return (await Promise.all(passes.map((setting) => migrateTwice(world, setting)))).flat()
}

async function migrateTwice({ installation }: World, setting: string): Promise<string[]> {
  const name = `crash_migration_${setting.replace(/[^0-9]/g, '')}_${Math.floor(performance.now())}`
  await installation.sql(`create database ${name}`)
  const database = {
    DATABASE_URL: installation.server.url(name),
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const killed = await installation.command(['migrate'], { ...database, CRASH_POINT: setting })
  const wrong = notKilled(killed, setting)
  const repeated = await installation.command(['migrate'], database)
  if (repeated.code !== 0 || repeated.json?.role !== 'gateway_app')
    wrong.push(`${setting}: migrating again ended with ${repeated.code}, role ${repeated.json?.role}`)
  const verified = await installation.command(['verify'], database)
  if (verified.code !== 0) wrong.push(`${setting}: verify fails after migrating again`)
  return wrong
}

const WAYS = {
  load: underLoad,
  stop: whileStopping,
  live: onLiveCharge,
  settle: whileSettling,
  approve: whileApproving,
  'end as told': whileEndingAsTold,
  import: whileImporting,
  'take back': whileTakingBack,
  rotate: whileRotating,
  close: whileClosing,
  'D10: revoke': whileRevoking,
  migrate: whileMigrating,
  'make cell': whileMakingCell,
  'live payout': onLivePayout,
  'M4: long queued payout': onLongQueuedPayout,
  'returned payout': onReturnedPayout,
  'refused payout': onRefusedPayout,
  refund: onRefund,
  bulk: onBulk,
  cycle: onCycle,
  'standing order': onStandingOrder,
  'test page': onTestPage,
  'live page': onLivePage,
  'page with card for some': onPageWithCardForSome,
  'page with card for all': onPageWithCardForAll,
  'refused page': onRefusedPage,
  'test orders': onTestOrders,
  'live orders': onLiveOrders,
  'direct dispense': onDirectDispense,
  callback: onCallback,
  'jam refund': onJamRefund,
} satisfies Record<string, (world: World, crashPoint: string) => Promise<string[]>>
