import { median, medians, ratio, rounded } from './figures.ts'
import { countComplete, type PaymentRound, payRound } from './payments.ts'
import { atLeast, atMost } from './report.ts'
import type { Stage } from './stage.ts'
import { findPgbench, prepareTpcb, type TpcbRound, tpcbRound } from './tpcb.ts'

/** How often and how long. */
export type Lengths = {
  /** The starts of the service in their order, each with its rate limits on, far above the load, or off. */
  starts: readonly Limits[]
  /** The first payments after a start, which are reported as cold. */
  coldMs: number
  /** Payments without a pause after that: reported apart from the rounds, and none may be refused. */
  warmMs: Readonly<Record<Limits, number>>
  rounds: number
  paymentsMs: number
  hotMs: number
  tpcbSeconds: number
}
type Limits = 'on' | 'off'

// A service costs twice as much in its first seconds. After 30,000 payments it costs what it will cost.
export const QUICK: Lengths = {
  ...{ starts: ['on', 'off', 'on', 'on'], coldMs: 1200, warmMs: { on: 5500, off: 4500 } },
  ...{ rounds: 2, paymentsMs: 1400, hotMs: 800, tpcbSeconds: 1 },
}
// A window of a minute is full after a minute.
export const FULL: Lengths = {
  ...{ starts: ['on', 'off', 'on', 'off', 'on', 'off'], coldMs: 2000, warmMs: { on: 60_000, off: 12_000 } },
  ...{ rounds: 5, paymentsMs: 2000, hotMs: 1500, tpcbSeconds: 2 },
}
const SETTINGS: Record<Limits, Record<string, string>> = {
  on: {},
  off: { RATE_LIMIT_CHARGES: '0', RATE_LIMIT_ALL: '0' },
}

type Round = { payments: PaymentRound; hot: PaymentRound; tpcb: TpcbRound | null }
type Start = { limits: Limits; cold: PaymentRound; warm: PaymentRound; rounds: Round[] }

/**
 * Payments of 1,000 merchants, payments of one, and TPC-B, in turns: the machine's speed drifts, so what is compared is
 * measured side by side. Each ratio is the median of a start's rounds, and of those the median of the starts, because two
 * starts of one build differ too.
 */
export async function measureMoney(stage: Stage, lengths: Lengths) {
  const pgbench = findPgbench()
  if (pgbench !== null) {
    await prepareTpcb(stage, pgbench)
    await tpcbRound(stage, pgbench, 1)
  }
  stage.say(pgbench === null ? 'pgbench is missing: no TPC-B' : 'TPC-B is filled')
  const starts: Start[] = []
  for (const limits of lengths.starts) starts.push(await playStart(stage, lengths, { limits, pgbench }))
  const on = starts.filter(({ limits }) => limits === 'on')
  const off = starts.filter(({ limits }) => limits === 'off')
  const payments = medians(on.map((start) => medians(start.rounds.map((round) => round.payments))))
  const ratios = {
    ...ratiosOf(on),
    cpu_per_payment_vs_tpcb_limits_off: ratiosOf(off).cpu_per_payment_vs_tpcb,
  }
  const refused = starts.flatMap(({ cold, warm, rounds }) => [cold, warm, ...rounds.map((round) => round.payments)])
  return {
    starts,
    scenarios: {
      payments: { ...payments, rss_mb: stage.peakMemoryMb() },
      payments_limits_off: medians(off.map((start) => medians(start.rounds.map((round) => round.payments)))),
      payments_without_pause: medians(on.map((start) => start.warm)),
      payments_cold: medians(on.map((start) => start.cold)),
      hot_merchant: medians(on.map((start) => medians(start.rounds.map((round) => round.hot)))),
      tpcb: pgbench === null ? { missing: 'pgbench was not found' } : medians(starts.flatMap(tpcbOf)),
    },
    ratios,
    bars: [
      atMost('cpu_per_payment_vs_tpcb', 0.68, ratios.cpu_per_payment_vs_tpcb),
      atLeast('hot_merchant_vs_uniform', 0.9, ratios.hot_merchant_vs_uniform),
      atMost('post_p99_ms', 120, payments.post_p99_ms),
      atMost(
        'refused_at_full_load',
        0,
        refused.reduce((sum, round) => sum + (round.refused ?? 0), 0),
      ),
      atMost('rss_mb', 200, stage.peakMemoryMb()),
    ],
  }
}

async function playStart(
  stage: Stage,
  lengths: Lengths,
  { limits, pgbench }: { limits: Limits; pgbench: string | null },
): Promise<Start> {
  await stage.restart(SETTINGS[limits])
  const before = await countComplete(stage)
  const cold = await payRound(stage, stage.merchants, lengths.coldMs)
  const warm = await payRound(stage, stage.merchants, lengths.warmMs[limits])
  const rounds: Round[] = []
  while (rounds.length < lengths.rounds) rounds.push(await playRound(stage, lengths, pgbench))
  const all = [cold, warm, ...rounds.flatMap(({ payments, hot }) => [payments, hot])]
  const accepted = all.reduce((sum, one) => sum + (one.payments ?? 0), 0)
  const complete = (await countComplete(stage)) - before
  if (complete !== accepted) throw new Error(`${accepted} charges were accepted and ${complete} completed`)
  const { payments, hot, tpcb } = mediansOf(rounds)
  stage.say(
    `limits ${limits}: ${payments.payments_per_second} payments/s at ${payments.cpu_ms} ms CPU each, cold ${cold.cpu_ms}; ` +
      `one merchant ${hot.payments_per_second}/s; TPC-B ${tpcb?.cpu_ms ?? '-'} ms`,
  )
  return { limits, cold, warm, rounds }
}

async function playRound(stage: Stage, lengths: Lengths, pgbench: string | null): Promise<Round> {
  const payments = await payRound(stage, stage.merchants, lengths.paymentsMs)
  const tpcb = pgbench === null ? null : await tpcbRound(stage, pgbench, lengths.tpcbSeconds)
  const hot = await payRound(stage, stage.merchants.slice(0, 1), lengths.hotMs)
  return { payments, hot, tpcb }
}

const tpcbOf = ({ rounds }: Start) => rounds.flatMap((round) => round.tpcb ?? [])

const mediansOf = (rounds: readonly Round[]) => ({
  payments: medians(rounds.map((round) => round.payments)),
  hot: medians(rounds.map((round) => round.hot)),
  tpcb: rounds.some((round) => round.tpcb === null) ? null : medians(rounds.flatMap((round) => round.tpcb ?? [])),
})

function ratiosOf(starts: readonly Start[]) {
  const over = (of: (round: Round) => number | null) =>
    rounded(median(starts.map(({ rounds }) => median(rounds.map(of)))))
  return {
    cpu_per_payment_vs_tpcb: over((round) => ratio(round.payments.cpu_ms, round.tpcb?.cpu_ms ?? null)),
    cpu_per_payment_vs_tpcb_server_only: over((round) =>
      ratio(round.payments.cpu_ms, round.tpcb?.cpu_ms_postgres ?? null),
    ),
    hot_merchant_vs_uniform: over((round) => ratio(round.hot.payments_per_second, round.payments.payments_per_second)),
  }
}
