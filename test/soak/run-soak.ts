import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { type Emulator, startEmulator } from '../../emulator/emulator.ts'
import { type Chance, chanceFrom } from '../crash/chance.ts'
import { type Installation, type Merchant, makeInstallation } from '../crash/installation.ts'
import type { Running } from '../crash/processes.ts'
import { type Judgement, judgeSoak } from './judge-soak.ts'
import { client, drawWork, post } from './soak-clients.ts'
import { soakRules } from './soak-faults.ts'

export type SoakOptions = {
  charges: number
  payouts: number
  seed: number
  /** How often a process is killed, and how often one is stopped past its lease. */
  kills: number
  stops: number
  say(line: string): void
}
export type Soaked = Judgement & {
  seed: number
  kills: number
  posts: number
  verified: boolean
  refused: number
}

const CLIENTS = 24
const FUNDS = 2_000_000
const OPENING = 10_000_000_000
// Short, so that silence costs little; a post still ends long before its lease.
const QUICK = { connect: 1, headers: 1.5, body: 1, submit: 2, answer: 1 }
const NEVER_OPENS = { faultsInRow: 10_000, minCalls: 100_000 }
const TICK_MS = 500
const ADVANCE_MS = 4000
const SETTLE_MS = 240_000

/**
 * Live charges and payouts through the real adapter, while operators misbehave, processes die and the contract is switched. The
 * same seed draws the same faults and amounts (rails.md 10, cases 108 and 109).
 */
export async function runSoak(options: SoakOptions): Promise<Soaked> {
  const chance = chanceFrom(options.seed)
  const operators = await Promise.all(
    [0, 1].map((nth) =>
      startEmulator({ seed: options.seed + nth, profile: 'mtnuganda', decide: 'when told', statusCap: null }),
    ),
  )
  for (const operator of operators) operator.setWallet('disbursement', OPENING)
  const file = join(process.env.TMPDIR ?? '/tmp', `soak-${process.pid}-${options.seed}.json`)
  const installation = await makeInstallation({
    LIVE_HOLD_HOURS: '0',
    OP1_INSTALLATIONS: file,
    RAIL_COLLECT_MIN: '1',
    RAIL_PAYOUT_MIN: '1',
  })
  try {
    writeContracts(file, installation, operators, 0)
    return await soak(options, { chance, operators: operators as [Emulator, Emulator], installation, file })
  } finally {
    await installation.end()
    await Promise.all(operators.map((operator) => operator.close()))
  }
}

/** Both contracts, of which one takes new payments. */
function writeContracts(
  file: string,
  { url }: Installation,
  operators: readonly Emulator[],
  active: number,
): void {
  const entries = operators.map(({ url: baseUrl, credentials, targetEnvironment }, nth) => ({
    ...{ id: `contract-${nth}`, baseUrl, targetEnvironment, ...credentials, active: nth === active },
    ...{
      statusPerSecond: null,
      timeouts: QUICK,
      breaker: NEVER_OPENS,
      callback: { base: `${url}/inbound/op1` },
    },
  }))
  writeFileSync(file, JSON.stringify(entries))
}

type World = { chance: Chance; operators: [Emulator, Emulator]; installation: Installation; file: string }

async function soak(options: SoakOptions, world: World): Promise<Soaked> {
  const { installation, operators, chance } = world
  const shop = await installation.merchant('soak', ['--verified'])
  const fleet = await startFleet(installation)
  const agent = new Agent({ connections: CLIENTS })
  const refused = { count: 0 }
  await fund(world, shop, agent)
  for (const operator of operators) operator.setRules(soakRules())
  const work = drawWork(options, chance)
  const beats = { done: false }
  const beating = beat(world, options, fleet, beats, () => work.length)
  await Promise.all(
    Array.from({ length: CLIENTS }, () => client({ shop, agent, work, refused }, installation)),
  )
  beats.done = true
  const kills = await beating
  options.say(
    `all ${options.charges + options.payouts} requests answered, ${kills} kills; waiting for the operators`,
  )
  await untilSettled(world)
  await agent.close()
  const judged = await judgeSoak(installation, operators, { collection: 0, disbursement: 2 * OPENING })
  const { code } = await installation.command(['verify'])
  const posts = operators.reduce(
    (sum, one) => sum + one.journal().filter(({ method }) => method === 'POST').length,
    0,
  )
  return { ...judged, seed: options.seed, kills, posts, verified: code === 0, refused: refused.count }
}

type Fleet = { web: Running; worker: Running }

const startFleet = async (installation: Installation): Promise<Fleet> => ({
  web: await installation.startReady({ role: 'web' }),
  worker: await installation.startReady({ role: 'worker', port: installation.port + 1 }),
})

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

/** The clock, the kills, the stops and the switch of the contract, while requests are under way. Answers how many were killed. */
async function beat(
  { installation, operators, chance, file }: World,
  { charges, payouts, kills, stops }: SoakOptions,
  fleet: Fleet,
  beats: { done: boolean },
  left: () => number,
): Promise<number> {
  const all = charges + payouts
  const moments = (count: number) =>
    Array.from({ length: count }, () => chance.whole(1, Math.max(1, all - 1)))
  const killAt = moments(kills)
  const stopAt = moments(stops)
  let switched = false
  let killed = 0
  while (!beats.done) {
    await sleep(TICK_MS)
    installation.advance(ADVANCE_MS - TICK_MS)
    for (const operator of operators) if (chance.next() < 0.02) await operator.fault('tokenRevoked')
    const due = (list: number[]) => {
      const at = list.findIndex((moment) => left() <= moment)
      return at >= 0 && list.splice(at, 1).length > 0
    }
    if (due(stopAt)) await stopPastLease(fleet, installation)
    if (!switched && left() < all / 2) {
      switched = true
      writeContracts(file, installation, operators, 1)
      await restart(installation, fleet, 'web')
      await restart(installation, fleet, 'worker')
      killed += 2
    } else if (due(killAt)) {
      await restart(installation, fleet, chance.one(['web', 'worker'] as const))
      killed += 1
    }
  }
  return killed
}

async function restart(installation: Installation, fleet: Fleet, role: keyof Fleet): Promise<void> {
  await fleet[role].kill()
  fleet[role] = await installation.startReady({ role, port: installation.port + (role === 'worker' ? 1 : 0) })
}

/** The worker sleeps while its leases run out, and another one does its work. */
async function stopPastLease({ worker }: Fleet, installation: Installation): Promise<void> {
  worker.signal('SIGSTOP')
  const other = await installation.startReady({ role: 'worker', port: installation.port + 2 })
  installation.advance(35_000)
  await sleep(1000)
  worker.signal('SIGCONT')
  await sleep(1000)
  await other.kill()
}

/** Until everything that an operator has ended has ended with us as well. */
async function untilSettled({ installation, operators }: World): Promise<void> {
  const giveUpAt = performance.now() + SETTLE_MS
  for (;;) {
    const open = await installation.sql<{ reference: string }>(
      `select rail_reference as reference from charges where follow_at is not null and mode = 'live'
       union all select rail_reference from payouts where follow_at is not null and mode = 'live'`,
    )
    const theirs = new Set(operators.flatMap((one) => Object.keys(one.oracle().references)))
    const known = open.filter(({ reference }) => theirs.has(reference))
    const queued = await installation.sql(
      `select 1 from payouts where follow_at is not null and mode = 'live'`,
    )
    if ((known.length === 0 && queued.length === 0) || performance.now() > giveUpAt) return
    installation.advance(15_000)
    await sleep(250)
  }
}
