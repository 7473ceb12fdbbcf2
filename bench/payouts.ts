import { median, medians, ratio, rounded } from './figures.ts'
import { fund } from './funds.ts'
import { type PayoutRound, payOutRound, untilPaidOut } from './payout-round.ts'
import { atLeast, atMost } from './report.ts'
import type { BenchMerchant, Stage } from './stage.ts'
import { unbatchedRate } from './unbatched.ts'

/** How often and how long: `acceptMs` is shorter than outcomes are made to wait. */
export type PayoutLengths = { rounds: number; bulkCalls: number; acceptMs: number; landedMs: number }
export const FULL_PAYOUTS: PayoutLengths = { rounds: 3, bulkCalls: 3, acceptMs: 4000, landedMs: 6000 }

const SINGLES = 1000
const CONNECTIONS = 256
// If only the acceptance is measured, outcomes are delayed by this: the largest value of the setting.
const OUTCOME_SECONDS = 5
// Few enough to be answered before the first outcome, even if each call waits for the previous one.
const ACCEPTED = { rounds: 1, bulkCalls: 2 }
// A million payouts of the largest amount that is sent.
const FUNDS = 20

/** Bulk beside single calls, and one merchant beside many and beside a transaction for each payout. */
export async function measurePayouts(stage: Stage, lengths: PayoutLengths) {
  const [payer] = stage.merchants as [BenchMerchant]
  await fund(stage, [payer], FUNDS)
  await fund(stage, stage.merchants)
  const landing = await compareBulk(stage, payer, lengths)
  const uniform = await payOutRound(stage, many(stage.merchants, lengths.landedMs))
  const hot = await payOutRound(stage, many([payer], lengths.landedMs))
  await stage.restart({ SANDBOX_OUTCOME_SECONDS: String(OUTCOME_SECONDS) })
  const accepting = await compareBulk(stage, payer, ACCEPTED)
  const batching = await compareTransactions(stage, payer, lengths)
  await stage.restart()
  return {
    scenarios: {
      bulk: { ...landing, cpu_to_answer_vs_singles: accepting.cpu_to_answer_vs_singles },
      payouts: { thousand_merchants: uniform, one_merchant: hot, accepting_only: batching },
    },
    ratios: {
      bulk_cpu_vs_singles: landing.cpu_vs_singles,
      bulk_cpu_vs_singles_one_by_one: landing.cpu_vs_singles_one_by_one,
      payouts_batched_vs_transactions: batching.batched_vs_transactions,
    },
    bars: [
      atMost('bulk_1000_ms', 1000, landing.bulk.post_p50_ms),
      atMost('bulk_cpu_vs_singles_one_by_one', 0.2, landing.cpu_vs_singles_one_by_one),
      atMost('singles_of_256_at_once_cpu_vs_bulk', 3, rounded(ratio(1, landing.cpu_vs_singles))),
      atLeast('payouts_batched_vs_transactions', 3, batching.batched_vs_transactions),
    ],
  }
}

const many = (merchants: readonly BenchMerchant[], ms: number) => ({
  post: '/v1/payouts' as const,
  merchants,
  connections: CONNECTIONS,
  ms,
})

/** The same number of payouts in calls of 1,000 and in single calls, in turns, each until all have landed. */
async function compareBulk(
  stage: Stage,
  payer: BenchMerchant,
  { rounds: count, bulkCalls }: Pick<PayoutLengths, 'rounds' | 'bulkCalls'>,
) {
  const merchants = [payer]
  const inBulk = (requests: number) =>
    payOutRound(stage, { post: '/v1/payouts/bulk', merchants, connections: 1, requests })
  const single = (connections: number) =>
    payOutRound(stage, {
      post: '/v1/payouts',
      merchants,
      connections,
      requests: bulkCalls * SINGLES,
    })
  await inBulk(1)
  await single(CONNECTIONS)
  const rounds: { bulk: PayoutRound; singles: PayoutRound; oneByOne: PayoutRound }[] = []
  while (rounds.length < count)
    rounds.push({
      bulk: await inBulk(bulkCalls),
      singles: await single(CONNECTIONS),
      oneByOne: await single(1),
    })
  const over = (of: keyof PayoutRound, beside: 'singles' | 'oneByOne') =>
    rounded(median(rounds.map((round) => ratio(round.bulk[of], round[beside][of]))))
  const figures = {
    bulk: medians(rounds.map((round) => round.bulk)),
    singles: medians(rounds.map((round) => round.singles)),
    singles_one_by_one: medians(rounds.map((round) => round.oneByOne)),
    cpu_vs_singles: over('cpu_ms', 'singles'),
    cpu_vs_singles_one_by_one: over('cpu_ms', 'oneByOne'),
    cpu_to_answer_vs_singles: over('cpu_ms_to_answer', 'singles'),
    cpu_to_answer_vs_singles_one_by_one: over('cpu_ms_to_answer', 'oneByOne'),
  }
  const { bulk, singles, singles_one_by_one: oneByOne } = figures
  stage.say(
    `1,000 in bulk in ${bulk.post_p50_ms} ms; CPU each ${bulk.cpu_ms} ms, single ${singles.cpu_ms} ms, one by one ${oneByOne.cpu_ms} ms; ` +
      `to the answer ${bulk.cpu_ms_to_answer}, ${singles.cpu_ms_to_answer} and ${oneByOne.cpu_ms_to_answer} ms`,
  )
  return figures
}

/** Accepted payouts of one merchant a second: over HTTP in batches, and with a transaction for each; outcomes wait. */
async function compareTransactions(stage: Stage, payer: BenchMerchant, { rounds: count, acceptMs }: PayoutLengths) {
  const rounds: { batched: number | null; transactions: number }[] = []
  await payOutRound(stage, many([payer], acceptMs / 2))
  while (rounds.length < count) {
    const { accepted_per_second: batched } = await payOutRound(stage, many([payer], acceptMs))
    const transactions = await unbatchedRate(stage, payer, { ms: acceptMs, outcomeSeconds: OUTCOME_SECONDS })
    await untilPaidOut(stage)
    stage.say(`one merchant: ${batched} payouts/s in batches, ${Math.round(transactions)}/s one by one`)
    rounds.push({ batched, transactions })
  }
  const { accepted_per_second: uniform } = await payOutRound(stage, many(stage.merchants, acceptMs))
  return {
    one_merchant_per_second: rounded(median(rounds.map((round) => round.batched)), 0),
    transactions_per_second: rounded(median(rounds.map((round) => round.transactions)), 0),
    thousand_merchants_per_second: uniform,
    batched_vs_transactions: rounded(median(rounds.map((round) => ratio(round.batched, round.transactions))), 2),
  }
}
