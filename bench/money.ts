import { median, medians, ratio, rounded } from './figures.ts'
import { type PaymentRound, payRound } from './payments.ts'
import type { Stage } from './stage.ts'
import { findPgbench, prepareTpcb, type TpcbRound, tpcbRound } from './tpcb.ts'

/** How long each part of a round lasts. */
export type Lengths = { warmMs: number; paymentsMs: number; hotMs: number; tpcbSeconds: number }
export const QUICK: Lengths = { warmMs: 2000, paymentsMs: 3500, hotMs: 2500, tpcbSeconds: 3 }
export const FULL: Lengths = { warmMs: 4000, paymentsMs: 10_000, hotMs: 8000, tpcbSeconds: 8 }

const ROUNDS = 3
type Round = { payments: PaymentRound; hot: PaymentRound; tpcb: TpcbRound | null }

/**
 * Payments of 1,000 merchants, payments of one, and TPC-B, in turns: the machine's speed drifts, so what is compared is
 * measured side by side, and each ratio is the median of the rounds' own ratios.
 */
export async function measureMoney(stage: Stage, lengths: Lengths) {
  const pgbench = findPgbench()
  if (pgbench !== null) await prepareTpcb(stage, pgbench)
  stage.say(pgbench === null ? 'pgbench is missing: no TPC-B' : 'TPC-B is filled')
  await payRound(stage, stage.merchants, lengths.warmMs)
  if (pgbench !== null) await tpcbRound(stage, pgbench, 1)
  const rounds: Round[] = []
  while (rounds.length < ROUNDS) rounds.push(await playRound(stage, lengths, pgbench))
  return {
    rounds,
    scenarios: {
      payments: { ...medians(rounds.map((one) => one.payments)), rss_mb: stage.peakMemoryMb() },
      hot_merchant: medians(rounds.map((one) => one.hot)),
      tpcb: pgbench === null ? { missing: 'pgbench was not found' } : medians(tpcbOf(rounds)),
    },
    ratios: ratiosOf(rounds),
  }
}

async function playRound(stage: Stage, lengths: Lengths, pgbench: string | null): Promise<Round> {
  const payments = await payRound(stage, stage.merchants, lengths.paymentsMs)
  const hot = await payRound(stage, stage.merchants.slice(0, 1), lengths.hotMs)
  const tpcb = pgbench === null ? null : await tpcbRound(stage, pgbench, lengths.tpcbSeconds)
  stage.say(
    `${payments.payments_per_second} payments/s at ${payments.cpu_ms} ms CPU each; one merchant ${hot.payments_per_second}/s; ` +
      `TPC-B ${tpcb?.transactions_per_second ?? '-'}/s at ${tpcb?.cpu_ms ?? '-'} ms`,
  )
  return { payments, hot, tpcb }
}

const tpcbOf = (rounds: readonly Round[]) => rounds.flatMap((one) => one.tpcb ?? [])

function ratiosOf(rounds: readonly Round[]) {
  const over = (of: (round: Round) => number | null) => rounded(median(rounds.map(of)))
  return {
    cpu_per_payment_vs_tpcb: over((one) => ratio(one.payments.cpu_ms, one.tpcb?.cpu_ms ?? null)),
    cpu_per_payment_vs_tpcb_server_only: over((one) =>
      ratio(one.payments.cpu_ms, one.tpcb?.cpu_ms_postgres ?? null),
    ),
    hot_merchant_vs_uniform: over((one) =>
      ratio(one.hot.payments_per_second, one.payments.payments_per_second),
    ),
  }
}
