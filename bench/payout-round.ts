import { BULK_ITEMS } from './bodies.ts'
import { rounded } from './figures.ts'
import { readCpu } from './processes.ts'
import { type Round, untilNone } from './rounds.ts'
import type { BenchMerchant, Stage } from './stage.ts'

/** One round of payouts: from the first request until every accepted payout is paid, posted and told. */
export type PayoutRound = Round & {
  payouts_per_second: number | null
  payouts: number | null
  /** Processor milliseconds for each payout until its answer. If outcomes are delayed, this is the cost of acceptance alone. */
  cpu_ms_to_answer: number | null
}
export type PayoutOrder = {
  post: '/v1/payouts' | '/v1/payouts/bulk'
  merchants: readonly BenchMerchant[]
  connections: number
  ms?: number
  requests?: number
}

// A payout that has landed has all of these rows, so the smallest count is the number of such payouts.
const COMPLETE = `select least(
  (select count(*) from payouts where status = 'succeeded'), (select count(*) from transfers where kind = 'payout_sent'),
  (select count(*) from events where type = 'payout.succeeded'),
  (select count(*) from deliveries where event = 'payout.succeeded'))::int as complete`
// An open payout holds its reservation. There are few heads; the index of followed payouts would be full of entries that have ended.
const OPEN = {
  query: { name: 'open payouts', text: 'select 1 from ledger_heads where in_flight > 0 limit 1' },
  what: 'payouts',
  withinMs: 120_000,
  everyMs: 20,
}

/** Drives payouts of these merchants, waits until all have landed, and says what that took. */
export async function payOutRound(stage: Stage, order: PayoutOrder): Promise<PayoutRound> {
  const { post, merchants, ...rest } = order
  const before = await countComplete(stage)
  const readUsed = readCpu(stage)
  const startedAt = performance.now()
  const tokens = merchants.map((merchant) => merchant.token)
  const load = await stage.driver.run({ port: stage.service.port, tokens, post, ...rest })
  const toAnswer = readUsed()
  await untilPaidOut(stage)
  const seconds = (performance.now() - startedAt) / 1000
  const used = readUsed()
  const payouts = (await countComplete(stage)) - before
  const accepted = post === '/v1/payouts' ? load.statuses['201'] : (load.statuses['200'] ?? 0) * BULK_ITEMS
  if (!accepted) throw new Error(`no payout was accepted: ${load.refusal}`)
  if (payouts !== accepted) throw new Error(`${accepted} payouts were accepted and ${payouts} completed`)
  const each = ({ server, postgres }: typeof used) =>
    server === null || postgres === null ? null : rounded(((server + postgres) * 1000) / payouts, 4)
  return {
    accepted_per_second: rounded(accepted / load.seconds, 0),
    payouts_per_second: rounded(payouts / seconds, 0),
    payouts,
    post_p50_ms: rounded(load.p50Ms, 2),
    post_p99_ms: rounded(load.p99Ms, 2),
    cpu_ms_to_answer: each(toAnswer),
    cpu_ms_server: each({ ...used, postgres: 0 }),
    cpu_ms_postgres: each({ ...used, server: 0 }),
    cpu_ms: each(used),
  }
}

/** Waits until no payout is open any more. */
export const untilPaidOut = (stage: Stage): Promise<void> => untilNone(stage, OPEN)

async function countComplete({ db }: Stage): Promise<number> {
  return (await db.query(COMPLETE)).rows[0].complete
}
