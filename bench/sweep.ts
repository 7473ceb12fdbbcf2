import { ratio, rounded } from './figures.ts'
import { writeHeld } from './held.ts'
import type { LoadResult } from './load.ts'
import { untilLanded } from './payments.ts'
import type { BenchMerchant, Stage } from './stage.ts'

/** How many held charges, and how long charges are measured beside them. */
export type SweepSizes = { held: number; warmMs: number; loadMs: number }
export const FULL_SWEEP: SweepSizes = { held: 1_000_000, warmMs: 3000, loadMs: 12_000 }
/** In the second run the held charges are divided among this many merchants. */
export const HOLDERS = 10

const CHARGES_A_SECOND = 200
const CONNECTIONS = 32
const RELEASED_WITHIN_MS = 300_000
const LOOK_EVERY_MS = 100
const STILL_HELD = `select count(*)::int as ledgers from ledger_heads where pending > 0`
const FIRST_RELEASE = `select extract(epoch from min(created_at))::float8 * 1000 as at, count(*)::int as releases
  from settlements where merchant_id = any($1) and kind = 'sweep'`

/**
 * The sweep over held charges: of one merchant, alone; of several, beside charges of others. It begins with the service,
 * so charges are measured after a restart with and without it, with the same warming and on tables of the same size.
 */
export async function measureSweep(stage: Stage, holders: readonly BenchMerchant[], sizes: SweepSizes) {
  const [one, ...several] = holders as [BenchMerchant]
  await writeHeld(stage, [{ merchant: one, charges: sizes.held }])
  await stage.restart()
  const alone = await untilReleased(stage, [one])
  stage.say(`${sizes.held} charges of one merchant released in ${alone.seconds} s`)
  await writeHeld(
    stage,
    several.map((merchant) => ({ merchant, charges: sizes.held / several.length })),
  )
  await stage.restart()
  const [beside, released] = await Promise.all([chargesAfterStart(stage, sizes), untilReleased(stage, several)])
  await untilLanded(stage)
  await stage.db.query('checkpoint')
  await stage.restart()
  const without = await chargesAfterStart(stage, sizes)
  await untilLanded(stage)
  const figures = {
    held: sizes.held,
    one_merchant_seconds: alone.seconds,
    one_merchant_releases: alone.releases,
    [`${several.length}_merchants_beside_charges_seconds`]: released.seconds,
    /** False if the sweep ended before the measurement did. The ratio is too low then. */
    swept_all_the_while: released.endedAt > beside.endedAt,
    charges_without: p(without),
    charges_beside: p(beside),
    p99_beside_vs_without: rounded(ratio(beside.p99Ms, without.p99Ms), 2),
  }
  stage.say(
    `${CHARGES_A_SECOND} charges/s: p99 ${rounded(without.p99Ms, 1)} ms, beside the sweep ${rounded(beside.p99Ms, 1)} ms ` +
      `(released in ${released.seconds} s)`,
  )
  return figures
}

const p = ({ p50Ms, p99Ms }: LoadResult) => ({ p50_ms: rounded(p50Ms, 2), p99_ms: rounded(p99Ms, 2) })

async function chargesAfterStart(stage: Stage, { warmMs, loadMs }: SweepSizes) {
  const tokens = stage.merchants.map((merchant) => merchant.token)
  const order = {
    port: stage.service.port,
    connections: CONNECTIONS,
    tokens,
    perSecond: CHARGES_A_SECOND,
  }
  await stage.driver.run({ ...order, ms: warmMs })
  const load = await stage.driver.run({ ...order, ms: loadMs })
  if (load.refusal !== null) throw new Error(`a charge was refused: ${load.refusal}`)
  return { ...load, endedAt: performance.now() }
}

/** From just before the first release until nothing is held. */
async function untilReleased(stage: Stage, holders: readonly BenchMerchant[]) {
  const giveUpAt = performance.now() + RELEASED_WITHIN_MS
  while ((await ledgersHeld(stage)) > 0) {
    if (performance.now() > giveUpAt) throw new Error('held charges were not released')
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  const endedAt = performance.now()
  const { rows } = await stage.db.query(FIRST_RELEASE, [holders.map(({ id }) => id)])
  const seconds = rounded((performance.timeOrigin + endedAt - rows[0].at) / 1000, 1)
  return { endedAt, seconds, releases: rows[0].releases as number }
}

async function ledgersHeld({ db }: Stage): Promise<number> {
  return (await db.query(STILL_HELD)).rows[0].ledgers
}
