import { type Driver, startDriver } from './drive.ts'
import { atEnd } from './endings.ts'
import { rounded } from './figures.ts'
import { fund } from './funds.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import { untilLanded } from './payments.ts'
import { measureWindows } from './rate-windows.ts'
import { atMost, type Bar } from './report.ts'
import { type BenchMerchant, connect, type Stage } from './stage.ts'

/** How others fare at their usual pace while one merchant does something. */
type Fared = {
  accepted: number
  refused: number
  p50_ms: number | null
  p99_ms: number | null
  /** What the one merchant was told, by status. */
  heard: Record<string, number>
}

const PACE = { connections: 16, perSecond: 100 }
const WARM_MS = 8000
const MEASURED_MS = 12_000
// One merchant at fifty times its limit; the others stay far below theirs.
const LIMIT = 600
const TIMES = 50
const BULKS_AT_ONCE = 30
const FUNDS = 100

/**
 * reliability.md 6.4, as far as two processors that also make the load can show it: what one merchant does to the others. The
 * usual figures are taken twice, before and after, and the slower is the measure: they say what the machine itself adds.
 */
export async function measureOverload(stage: Stage) {
  const [one, ...others] = stage.merchants as [BenchMerchant, ...BenchMerchant[]]
  const second = startDriver()
  atEnd(() => second.end())
  await fund(stage, [one], FUNDS)
  await stage.restart({ RATE_LIMIT_CHARGES: String(LIMIT) })
  const watch = (work: () => Promise<LoadResult | null>) => watchOthers(stage, others, work)
  const ofOne = (order: Partial<LoadOrder>) => () => drive(second, stage, { tokens: [one.token], ...order })
  await drive(stage.driver, stage, { tokens: tokensOf(others), ...PACE, ms: WARM_MS })
  const before = await watch(async () => null)
  const flood = await watch(ofOne({ connections: TIMES, perSecond: (LIMIT * TIMES) / 60, ms: MEASURED_MS }))
  const bulks = await watch(ofOne({ post: '/v1/payouts/bulk', connections: BULKS_AT_ONCE, ms: MEASURED_MS }))
  const locked = await whileLocked(stage, one, () =>
    watch(ofOne({ post: '/v1/payouts', connections: BULKS_AT_ONCE, ms: MEASURED_MS })),
  )
  await untilLanded(stage)
  const after = await watch(async () => null)
  await untilLanded(stage)
  const usual = Math.max(before.p99_ms ?? 0, after.p99_ms ?? 0)
  const { scenarios, bars } = await measureWindows(stage)
  return {
    scenarios: {
      overload: {
        before,
        one_at_fifty_times_its_limit: flood,
        thirty_bulks: bulks,
        locked_head: locked,
        after,
      },
      ...scenarios,
    },
    bars: [
      ...barsOf('o4_flood', flood, { usual, within: 1.1 }),
      ...barsOf('c16_bulks', bulks, { usual, within: 1.2 }),
      ...barsOf('f11_locked_head', locked, { usual, within: 1.2 }),
      ...bars,
    ],
  }
}

const tokensOf = (merchants: readonly BenchMerchant[]) => merchants.map(({ token }) => token)

const drive = (driver: Driver, stage: Stage, order: Partial<LoadOrder> & Pick<LoadOrder, 'tokens'>) =>
  driver.run({ port: stage.service.port, connections: 1, ...order })

async function watchOthers(
  stage: Stage,
  others: readonly BenchMerchant[],
  work: () => Promise<LoadResult | null>,
): Promise<Fared> {
  const [load, told] = await Promise.all([
    drive(stage.driver, stage, { tokens: tokensOf(others), ...PACE, ms: MEASURED_MS }),
    work(),
  ])
  const accepted = load.statuses['201'] ?? 0
  const asked = Object.values(load.statuses).reduce((sum, count) => sum + count, 0)
  const fared = {
    accepted,
    refused: asked - accepted,
    p50_ms: rounded(load.p50Ms, 2),
    p99_ms: rounded(load.p99Ms, 2),
    heard: told?.statuses ?? {},
  }
  stage.say(
    `others: p99 ${fared.p99_ms} ms, ${fared.refused} of ${asked} refused; the one: ${JSON.stringify(fared.heard)}`,
  )
  return fared
}

/** Holds the balance rows of one merchant meanwhile. */
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

function barsOf(
  name: string,
  { refused, p99_ms }: Fared,
  { usual, within }: { usual: number; within: number },
): Bar[] {
  const share = p99_ms === null || usual === 0 ? null : rounded(p99_ms / usual, 2)
  return [atMost(`${name}_others_refused`, 0, refused), atMost(`${name}_others_p99_vs_usual`, within, share)]
}
