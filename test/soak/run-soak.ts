import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import type { Emulator } from '../../emulator/emulator.ts'
import { type Chance, chanceFrom } from '../crash/chance.ts'
import { type Installation, type Merchant, makeInstallation } from '../crash/installation.ts'
import { type Fleet, restart, startFleet } from './fleet.ts'
import { judgePosts, type WrongTime } from './judge-posts.ts'
import { type Judgement, judgeSoak } from './judge-soak.ts'
import { beWrong, sleepPast } from './make-trouble.ts'
import { MISLEADING, payMisled } from './misled.ts'
import { OPENING, startOperator, writeContracts } from './operators.ts'
import { brokenInvariants, untilSettled } from './settle.ts'
import { client, drawWork, post } from './soak-clients.ts'
import { soakRules } from './soak-faults.ts'
import { importAll, importList } from './statements.ts'
import { drawTroubles, type Planned, type Trouble, type TroubleCounts, wordsFor } from './troubles.ts'

export type SoakOptions = TroubleCounts & {
  charges: number
  payouts: number
  seed: number
  say(line: string): void
}
export type Soaked = Judgement & {
  seed: number
  /** How often each kind of trouble really came. */
  came: TroubleCounts
  posts: number
  refused: number
}

const CLIENTS = 24
const FUNDS = 2_000_000
const TICK_MS = 500
// So many requests at most are made during one trouble.
const MOST_MEANWHILE = 60
const ADVANCE_MS = 4000

/**
 * Live charges and payouts through the real adapter, while operators misbehave, processes die and the contract is switched. The
 * same seed draws the same faults and amounts (rails.md 10, cases 108 and 109).
 */
export async function runSoak(options: SoakOptions): Promise<Soaked> {
  const chance = chanceFrom(options.seed)
  const file = join(process.env.TMPDIR ?? '/tmp', `soak-${process.pid}-${options.seed}.json`)
  const installation = await makeInstallation({
    LIVE_HOLD_HOURS: '0',
    OP1_INSTALLATIONS: file,
    RAIL_COLLECT_MIN: '1',
    RAIL_PAYOUT_MIN: '1',
  })
  const begunAt = installation.clock.now()
  const operators = await Promise.all([0, 1].map((nth) => startOperator(options.seed + nth, installation)))
  try {
    writeContracts(file, installation, operators, 0)
    return await soak(options, {
      chance,
      operators: operators as [Emulator, Emulator],
      installation,
      file,
      begunAt,
      wrong: [],
      say: options.say,
    })
  } finally {
    await installation.end()
    await Promise.all(operators.map((operator) => operator.close()))
  }
}

type World = {
  chance: Chance
  operators: [Emulator, Emulator]
  installation: Installation
  /** Where the contracts with the operators are written. */
  file: string
  begunAt: Date
  /** When a clock was wrong. */
  wrong: WrongTime[]
  say(line: string): void
}
/** The requests: how many are left, and whether all are answered. */
type Work = { done: boolean; left(): number }

async function soak(options: SoakOptions, world: World): Promise<Soaked> {
  const { installation, operators, chance, begunAt } = world
  const shop = await installation.merchant('soak', ['--verified'])
  const fleet = await startFleet(installation)
  const agent = new Agent({ connections: CLIENTS })
  const refused = { count: 0 }
  await fund(world, shop, agent)
  for (const operator of operators) operator.setRules([...MISLEADING, ...soakRules()])
  // Only the operator's list tells of what it took twice.
  if (options.statements > 0)
    await payMisled(installation, await installation.merchant('misled', ['--verified']), agent)
  const work = drawWork(options, chance)
  const planned = drawTroubles(work.length, options, chance)
  const going = { done: false, left: () => work.length }
  const beating = beat(world, fleet, planned, going)
  // No trouble comes when all is over.
  const meanwhile = Math.min(MOST_MEANWHILE, Math.ceil(work.length / planned.length))
  const waits = () => work.length < (planned[0]?.left ?? 0) - meanwhile
  const all = Array.from({ length: CLIENTS }, () => client({ shop, agent, work, waits, refused }, installation))
  const answered = Promise.all(all).then(() => {
    going.done = true
  })
  // Where one of them fails, the others must not wait for ever.
  const [came] = await Promise.all([beating, answered]).finally(() => {
    planned.length = 0
    work.length = 0
    going.done = true
  })
  options.say(`all ${options.charges + options.payouts} requests answered; waiting for the operators`)
  const late = await untilSettled(installation, operators)
  await agent.close()
  const lists = options.statements === 0 ? [] : await importAll({ installation, operators }, begunAt)
  const judged = await judgeSoak(installation, operators, { collection: 0, disbursement: 2 * OPENING })
  const surprises = await judgePosts(installation, operators, world.wrong)
  // A payment made by a clock that was ahead has a time that is still to come: it is judged when that time has passed.
  installation.advance(Math.max(0, ...world.wrong.map(({ byMs }) => byMs)))
  const broken = await brokenInvariants(installation)
  const posts = operators.reduce((sum, one) => sum + one.journal().filter(({ method }) => method === 'POST').length, 0)
  const found = { ...judged, lists, surprises, late, broken }
  return { ...found, seed: options.seed, came, posts, refused: refused.count }
}

/** Charges that succeed before the faults begin, so that there is money to pay out. */
async function fund({ installation, operators }: World, shop: Merchant, agent: Agent): Promise<void> {
  for (let nth = 0; nth < 5; nth += 1) {
    const body = {
      amount: FUNDS,
      channel: 'op1_momo',
      customer: { phone: `25677${String(8_000_000 + nth)}` },
    }
    const answer = await post(installation, shop, agent, {
      path: '/v1/charges',
      key: `fund-${nth}`,
      body,
    })
    const { rail_reference: reference } = JSON.parse(answer.text)
    await operators[0].resolve(reference, { status: 'SUCCESSFUL' })
  }
  for (let look = 0; look < 200; look += 1) {
    const open = await installation.sql(`select 1 from charges where status <> 'succeeded'`)
    if (open.length === 0) return
    installation.advance(3000)
    await sleep(100)
  }
  throw new Error('the first charges did not end')
}

/** The clock and the troubles, while requests are under way. Answers how many of each kind there were. */
async function beat(world: World, fleet: Fleet, planned: Planned[], work: Work): Promise<TroubleCounts> {
  const { installation, operators, chance } = world
  const came: TroubleCounts = { kills: 0, sleeps: 0, clocks: 0, statements: 0 }
  const imports: Promise<unknown>[] = []
  while (!work.done || planned.length > 0) {
    await sleep(TICK_MS)
    installation.advance(ADVANCE_MS - TICK_MS)
    for (const operator of operators) if (chance.next() < 0.02) await operator.fault('tokenRevoked')
    const [next] = planned
    if (next === undefined || (next.left < work.left() && !work.done)) continue
    await makeTrouble(world, fleet, { trouble: next.trouble, came, imports })
    world.say(`${Math.round(performance.now() / 1000)} s, ${work.left()} left: ${wordsFor(next.trouble)}`)
    planned.shift()
  }
  await Promise.all(imports)
  return came
}

async function makeTrouble(
  world: World,
  fleet: Fleet,
  { trouble, came, imports }: { trouble: Trouble; came: TroubleCounts; imports: Promise<unknown>[] },
): Promise<void> {
  const { installation, operators, file } = world
  switch (trouble.kind) {
    case 'kill':
      await restart(installation, fleet, trouble.role)
      came.kills += 1
      return
    case 'sleep':
      came.sleeps += (await sleepPast(installation, fleet, trouble)) ? 1 : 0
      return
    case 'wrong clock': {
      const from = installation.clock.nowMs()
      came.clocks += (await beWrong(installation, fleet, trouble)) ? 1 : 0
      world.wrong.push({ from, to: installation.clock.nowMs(), byMs: trouble.byMs })
      return
    }
    case 'statement':
      // Requests and other troubles go on meanwhile.
      imports.push(countedImport(world, trouble, came))
      return
    case 'switch':
      writeContracts(file, installation, operators, 1)
      await restart(installation, fleet, 'web')
      await restart(installation, fleet, 'worker')
  }
}

/** A wallet in which nothing has moved yet has no list. */
function countedImport(
  { installation, operators, begunAt }: World,
  { contract, side }: Extract<Trouble, { kind: 'statement' }>,
  came: TroubleCounts,
): Promise<void> {
  const wallet = { contract, side, from: begunAt }
  const importing = importList({ installation, operators }, wallet).then((leg) => {
    came.statements += leg === null ? 0 : 1
  })
  // Its fault is thrown when the troubles are over, not while nobody listens.
  importing.catch(() => {})
  return importing
}
