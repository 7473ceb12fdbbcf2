import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import { freePort } from './installation.ts'
import type { Judgement } from './judge/judge.ts'
import type { Load } from './load.ts'
import { killPostgres, type Running } from './processes.ts'
import { issueCards, settleBooks, type World, withLiveRail } from './world.ts'

export type KillKind = 'web' | 'worker' | 'postgres' | 'everything'
/** One kill: the time until new work was accepted (or, for a worker, done), and the comparison of the books afterwards. */
export type Kill = { kind: KillKind; recoveredMs: number; flowingMs: number; judgement: Judgement }

type Service = { web: Running; worker: Running; workerPort: number }

const LOAD_PER_SECOND = 100
const SHORTEST_MS = 200
const LONGEST_MS = 1500
const RECOVERS_WITHIN_MS = 30_000
const CARD_VALUE = 2500

/** The kinds of one round, in an order drawn from the seed. */
export function drawKills(chance: Chance, counts: Record<KillKind, number>): KillKind[] {
  const kinds = Object.entries(counts).flatMap(([kind, count]) => Array<KillKind>(count).fill(kind as KillKind))
  return kinds
    .map((kind) => ({ kind, at: chance.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ kind }) => kind)
}

/** A web process and a worker under load, killed at drawn moments; after each kill all books are compared. */
export async function killUnderLoad(
  world: World,
  { chance, kinds, after }: { chance: Chance; kinds: readonly KillKind[]; after(kill: Kill): Promise<void> },
): Promise<void> {
  const service = await startBoth(world, await freePort())
  // Some prices are higher than a card's value and some lower.
  world.clients.haveCards(await issueCards(world, CARD_VALUE))
  for (const kind of kinds) {
    const load = world.clients.load(LOAD_PER_SECOND, world.live)
    await load.goodAnswerAfter(performance.now())
    await sleep(chance.whole(SHORTEST_MS, LONGEST_MS))
    const recovery = await killAndRecover(world, service, { kind, load })
    await load.stop()
    await after({ kind, ...recovery, judgement: await settleBooks(world) })
  }
  await Promise.all([service.web.kill(), service.worker.kill()])
}

async function startBoth(world: World, workerPort: number): Promise<Service> {
  const { installation } = world
  const [web, worker] = await Promise.all([
    installation.startReady(withLiveRail(world, 'web')),
    installation.startReady({ ...withLiveRail(world, 'worker'), port: workerPort }),
  ])
  return { web, worker, workerPort }
}

/** After a kill only the same start command is run again; the service itself brings PostgreSQL back. */
async function killAndRecover(
  world: World,
  service: Service,
  { kind, load }: { kind: KillKind; load: Load },
): Promise<Pick<Kill, 'recoveredMs' | 'flowingMs'>> {
  const { installation } = world
  const since = performance.now()
  const [answering, flowing] = [load.goodAnswerAfter(since), deliveryAfter(world, since)]
  await Promise.all([
    ...(kind === 'web' || kind === 'everything' ? [service.web.kill()] : []),
    ...(kind === 'worker' || kind === 'everything' ? [service.worker.kill()] : []),
    ...(kind === 'postgres' || kind === 'everything' ? [killPostgres(installation.dataDir)] : []),
  ])
  if (kind === 'web' || kind === 'everything') service.web = installation.start(withLiveRail(world, 'web'))
  if (kind === 'worker' || kind === 'everything')
    service.worker = installation.start({ ...withLiveRail(world, 'worker'), port: service.workerPort })
  const [answeredMs, flowingMs] = await within(Promise.all([answering, flowing]), kind)
  return { recoveredMs: kind === 'worker' ? flowingMs : answeredMs, flowingMs }
}

/** Ms from `since` until a receiver hears of a charge that was created after it. */
async function deliveryAfter({ installation }: World, since: number): Promise<number> {
  const born = installation.clock.nowMs()
  const seen = new Map(installation.merchants.map(({ receiver }) => [receiver, receiver.received.length]))
  for (;;) {
    for (const [receiver, from] of seen)
      for (const { event } of receiver.received.slice(from))
        if (Date.parse(event.data.created_at) > born) return performance.now() - since
    await sleep(5)
  }
}

async function within<T>(work: Promise<T>, kind: KillKind): Promise<T> {
  const late = sleep(RECOVERS_WITHIN_MS, null, { ref: false }).then(() => {
    throw new Error(`no recovery within 30 s of a kill of ${kind}`)
  })
  return Promise.race([work, late])
}
