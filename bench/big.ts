import { inTurns, type Pair, paymentCpu, readCpuOf, sweepCpu } from './big-figures.ts'
import { type Cast, type Fill, fill, MIDDLING } from './big-fill.ts'
import { proveLedger } from './prove.ts'
import { atMost, describeMachine } from './report.ts'
import { type BenchMerchant, buildStage, type Stage } from './stage.ts'

const SMALL = 10_000
const MOST = 1.2
const MERCHANTS = 3000
const MONTH_ITEMS = 5000
const PAYING = 300
const PAYMENTS_MS = 4000
const READS = 800
const STATEMENTS = 8
const PROVED_WITHIN_MS = 360_000
const SWEEPS = 3
const ALL_TALLIED = `select count(*)::int as left from ledger_heads h
  where not exists (select from tally_marks m where (m.merchant_id, m.mode) = (h.merchant_id, h.mode))`
const TALLIED_WITHIN_MS = 900_000
const LOOK_EVERY_MS = 500
const PERIOD = `select to_char(month, 'YYYY-MM') as name, month at time zone 'Africa/Kampala' as start,
    (month + interval '1 month') at time zone 'Africa/Kampala' as end
  from (select date_trunc('month', now() at time zone 'Africa/Kampala') - interval '3 months' as month) m`

type Side = { stage: Stage; cast: Cast; holders: readonly BenchMerchant[] }

/**
 * Two databases beside each other, one with 10,000 charges and one with very many, each with a server and a service of its own and
 * the same merchants: what each piece of work costs in the one and in the other, in turns in the same minutes.
 */
export async function measureBig(say: (line: string) => void, charges: number) {
  const small = await open(say, SMALL)
  const big = await open(say, charges)
  const described = await describeMachine(big.stage)
  const sides = [small, big] as const
  const month = (await big.stage.db.query(PERIOD)).rows[0].name as string
  const pairs: Record<string, Pair> = {}
  const turns = async (name: string, of: (side: Side, round: number) => Promise<number | null>, rounds?: number) => {
    const pair = await inTurns(
      (round) => of(small, round),
      (round) => of(big, round),
      rounds,
    )
    pairs[name] = pair
    say(`${name}: ${pair.small} ms CPU at 10,000, ${pair.big} ms at ${charges}: ${pair.ratio}`)
  }
  await turns('payment', ({ stage, cast }) => paymentCpu(stage, cast.many.slice(0, PAYING), PAYMENTS_MS))
  // Otherwise autovacuum does it within a minute, and its processor time counts as that of the list which is read then.
  for (const { stage } of sides) await stage.db.query('vacuum analyze')
  const read = (merchantOf: (cast: Cast) => BenchMerchant, path: string, requests = READS) =>
    turns(path, ({ stage, cast }) => readCpuOf(stage, merchantOf(cast), { path, requests }))
  await read(({ large }) => large, '/v1/balance')
  for (const query of CHARGE_LISTS) await read(({ large }) => large, `/v1/charges?${query}`)
  for (const query of PAYOUT_LISTS) await read(({ payer }) => payer, `/v1/payouts?${query}`)
  await read(({ monthly }) => monthly, `/v1/statements/${month}`, STATEMENTS)
  await turns(
    'release of a charge',
    ({ stage, holders }, round) => sweepCpu(stage, holders[round] as BenchMerchant),
    SWEEPS,
  )
  const proof = await proveLedger(big.stage, PROVED_WITHIN_MS)
  for (const { stage } of sides) await stage.service.stop()
  return {
    ...described,
    charges,
    cpu_ms: pairs,
    bars: Object.entries(pairs).map(([name, pair]) => atMost(`${name}_big_vs_small`, MOST, pair.ratio)),
    proof,
  }
}

const DATES = `created_after=${ago(200)}&created_before=${ago(150)}`
const PAYOUT_DATES = `created_after=${ago(200)}`
// Each finds a page of ten in a history of 1,000 charges already, or exactly as many as in a long one.
const CHARGE_LISTS = [
  ...['limit=10', 'limit=1&status=pending', 'limit=10&status=authorized', 'limit=10&status=succeeded'],
  ...['limit=10&status=failed', 'limit=10&status=refunded', 'limit=10&reference=INV-777'],
  ...['limit=10&phone=0700000011', 'limit=10&email=Customer11@example.com'],
  ...[`limit=10&${DATES}`, `limit=10&${DATES}&status=failed`],
]
const PAYOUT_LISTS = [
  ...['limit=10', 'limit=10&status=pending', 'limit=10&status=authorized', 'limit=10&status=succeeded'],
  ...['limit=10&status=failed', 'limit=10&reference=SALARY-97', 'limit=10&phone=0700000097'],
  ...[`limit=10&${PAYOUT_DATES}`, `limit=10&${PAYOUT_DATES}&status=succeeded`],
]

function ago(days: number): string {
  return new Date(performance.timeOrigin + performance.now() - days * 86_400_000).toISOString()
}

async function open(say: (line: string) => void, charges: number): Promise<Side> {
  const stage = await buildStage({ say, merchants: MERCHANTS + MIDDLING + 3, others: SWEEPS + 1 })
  const [large, payer, monthly, ...rest] = stage.merchants as [BenchMerchant, BenchMerchant, BenchMerchant]
  const cast = { large, payer, monthly, middling: rest.slice(0, MIDDLING), many: rest.slice(MIDDLING) }
  await stage.service.stop()
  const { start, end } = (await stage.db.query(PERIOD)).rows[0] as Fill
  await fill(stage, cast, { charges, monthItems: MONTH_ITEMS, start, end })
  await stage.restart()
  await untilTallied(stage)
  return { stage, cast, holders: stage.others }
}

/** A service counts the past month of every merchant once, soon after it has seen it. */
async function untilTallied({ db, say }: Stage): Promise<void> {
  const giveUpAt = performance.now() + TALLIED_WITHIN_MS
  while ((await db.query(ALL_TALLIED)).rows[0].left > 0) {
    if (performance.now() > giveUpAt)
      return say('not all days were counted in time: they are counted beside the measurements')
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
