import { type Driver, startDriver } from './drive.ts'
import { atEnd } from './endings.ts'
import { rounded } from './figures.ts'
import { measureBeside, measureFloods } from './floods.ts'
import { fund } from './funds.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import { untilLanded } from './payments.ts'
import { measureWindows } from './rate-windows.ts'
import { atMost, type Bar } from './report.ts'
import { type BenchMerchant, connect, type Stage } from './stage.ts'

/** How others fare at their usual pace, and then while one merchant does something, in turns: the medians of all rounds. */
type Fared = {
  accepted: number
  refused: number
  usual_p99_ms: number[]
  p99_ms: number[]
  p99_vs_usual: number | null
  /** What the one merchant was told, by status. */
  heard: Record<string, number>
}

const PACE = { connections: 16, perSecond: 100 }
const WARM_MS = 8000
const MEASURED_MS = 8000
// Disturbances of the machine (its kernel takes a processor for some 80 ms now and then) are in both measurements of a pair.
const ROUNDS = 4
// One merchant at fifty times its limit; the others stay far below theirs.
const GREEDY = { limit: 600, times: 50, bulksAtOnce: 30, funds: 100 }

/**
 * reliability.md 6.4, as far as two processors that also make the load can show it: what one merchant does to the others
 * (O4, F11 and its bulk calls), what floods of everybody do, and what counting costs.
 */
export async function measureOverload(stage: Stage, part?: string) {
  const second = startDriver()
  atEnd(() => second.end())
  const parts: Record<string, () => Promise<Measured>> = {
    merchants: () => measureMerchants(stage, second),
    beside: () => measureBeside(stage, second, stage.merchants),
    floods: () => measureFloods(stage, stage.merchants),
    windows: () => measureWindows(stage),
  }
  const all: Measured = { scenarios: {}, bars: [] }
  for (const [name, measure] of Object.entries(parts)) {
    if (part !== undefined && part !== name) continue
    const { scenarios, bars } = await measure()
    Object.assign(all.scenarios, scenarios)
    all.bars.push(...bars)
  }
  return all
}

type Measured = { scenarios: Record<string, unknown>; bars: Bar[] }

/** What one merchant does to the others. */
async function measureMerchants(stage: Stage, second: Driver): Promise<Measured> {
  const [one, ...others] = stage.merchants as [BenchMerchant, ...BenchMerchant[]]
  await fund(stage, [one], GREEDY.funds)
  await stage.restart({ RATE_LIMIT_CHARGES: String(GREEDY.limit) })
  const ofOne = (order: Partial<LoadOrder>) => () =>
    drive(second, stage, { tokens: [one.token], ms: MEASURED_MS, ...order })
  await drive(stage.driver, stage, { tokens: tokensOf(others), ...PACE, ms: WARM_MS })
  const watch = (name: string, work: () => Promise<LoadResult>) => watchOthers(stage, { name, others, work })
  const flood = await watch(
    'a flood of charges',
    ofOne({ connections: GREEDY.times, perSecond: (GREEDY.limit * GREEDY.times) / 60 }),
  )
  const bulks = await watch('bulk calls', ofOne({ post: '/v1/payouts/bulk', connections: GREEDY.bulksAtOnce }))
  const payouts = ofOne({ post: '/v1/payouts', connections: GREEDY.bulksAtOnce })
  const locked = await watch('a locked balance row', () => whileLocked(stage, one, payouts))
  return {
    scenarios: {
      overload: { one_at_fifty_times_its_limit: flood, thirty_bulks: bulks, locked_head: locked },
    },
    bars: [
      ...barsOf('o4_flood', flood, 1.1),
      ...barsOf('c16_bulks', bulks, 1.2),
      ...barsOf('f11_locked_head', locked, 1.2),
    ],
  }
}

const tokensOf = (merchants: readonly BenchMerchant[]) => merchants.map(({ token }) => token)

const drive = (driver: Driver, stage: Stage, order: Partial<LoadOrder> & Pick<LoadOrder, 'tokens'>) =>
  driver.run({ port: stage.service.port, connections: 1, ...order })

type Watched = { name: string; others: readonly BenchMerchant[]; work: () => Promise<LoadResult> }

async function watchOthers(stage: Stage, { name, others, work }: Watched): Promise<Fared> {
  const fared: Fared = {
    accepted: 0,
    refused: 0,
    usual_p99_ms: [],
    p99_ms: [],
    p99_vs_usual: null,
    heard: {},
  }
  const usually = () => drive(stage.driver, stage, { tokens: tokensOf(others), ...PACE, ms: MEASURED_MS })
  for (let round = 0; round < ROUNDS; round += 1) {
    await untilLanded(stage)
    fared.usual_p99_ms.push(rounded((await usually()).p99Ms, 2) ?? 0)
    const [load, told] = await Promise.all([usually(), work()])
    fared.p99_ms.push(rounded(load.p99Ms, 2) ?? 0)
    count(fared.heard, told.statuses)
    fared.accepted += load.statuses['201'] ?? 0
    fared.refused += Object.entries(load.statuses).reduce((sum, [status, n]) => sum + (status === '201' ? 0 : n), 0)
  }
  fared.p99_vs_usual = rounded(median(fared.p99_ms) / median(fared.usual_p99_ms), 2)
  stage.say(`beside ${name}: p99 ${fared.p99_ms.join(', ')}; usual ${fared.usual_p99_ms.join(', ')} ms`)
  return fared
}

function count(sums: Record<string, number>, more: Record<string, number>): void {
  for (const [status, n] of Object.entries(more)) sums[status] = (sums[status] ?? 0) + n
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle - 1)] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}

/** Locks the balance rows of one merchant while `work` runs. */
async function whileLocked<T>(stage: Stage, { id }: BenchMerchant, work: () => Promise<T>): Promise<T> {
  const client = await connect(stage.postgres.url('gateway'))
  await client.query('begin')
  await client.query('select 1 from cell_0.ledger_heads where merchant_id = $1 for update', [id])
  try {
    return await work()
  } finally {
    await client.query('rollback')
  }
}

function barsOf(name: string, { refused, p99_vs_usual }: Fared, within: number): Bar[] {
  return [atMost(`${name}_others_refused`, 0, refused), atMost(`${name}_others_p99_vs_usual`, within, p99_vs_usual)]
}
