import { rounded } from './figures.ts'
import { readCpu } from './processes.ts'
import { type Round, untilNone } from './rounds.ts'
import type { BenchMerchant, Stage } from './stage.ts'

/** One round of payments: from the first request until every accepted charge is paid and posted. */
export type PaymentRound = Round & {
  payments_per_second: number | null
  payments: number | null
  seconds: number | null
  refused: number | null
}

const CONNECTIONS = 256

// A complete payment has all of these rows, so the smallest count is the number of complete payments.
const COMPLETE = `select least(
  (select count(*) from charges where status = 'succeeded'),
  (select count(*) from transfers where kind = 'charge_net'),
  (select count(*) from events where type = 'charge.succeeded'),
  (select count(*) from deliveries where event = 'charge.succeeded'))::int as complete`
// The open charges of a written history are due a day after it was written.
const OPEN = {
  query: `select 1 from charges where follow_at < now() + interval '12 hours' limit 1`,
  what: 'charges',
  withinMs: 60_000,
  everyMs: 10,
}
// The net amount and the fee of each. The heads are few rows, so that asking disturbs nothing.
const TRANSFERS_OF_PAYMENT = 2
const POSTED = {
  name: 'posted',
  text: 'select coalesce(sum(seq), 0)::float8 as seq from ledger_heads where merchant_id = any($1)',
}
const LANDED_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 10

/** Drives charges of these merchants for `ms`, waits until all are paid and posted, and says what that took. */
export async function payRound(
  stage: Stage,
  merchants: readonly BenchMerchant[],
  ms: number,
  connections = CONNECTIONS,
): Promise<PaymentRound> {
  const before = await countPosted(stage, merchants)
  const cpu = readCpu(stage)
  const startedAt = performance.now()
  const tokens = merchants.map((merchant) => merchant.token)
  const load = await stage.driver.run({ port: stage.service.port, connections, tokens, ms })
  const accepted = load.statuses['201'] ?? 0
  if (accepted === 0) throw new Error(`no charge was accepted: ${load.refusal}`)
  await untilPosted(stage, merchants, before + accepted)
  const seconds = (performance.now() - startedAt) / 1000
  const used = cpu()
  const each = (value: number | null) => (value === null ? null : (value * 1000) / accepted)
  const server = each(used.server)
  const postgres = each(used.postgres)
  return {
    accepted_per_second: rounded(accepted / load.seconds, 0),
    payments_per_second: rounded(accepted / seconds, 0),
    payments: accepted,
    seconds: rounded(seconds),
    refused: Object.values(load.statuses).reduce((sum, count) => sum + count, 0) - accepted,
    post_p50_ms: rounded(load.p50Ms, 2),
    post_p99_ms: rounded(load.p99Ms, 2),
    cpu_ms_server: rounded(server, 4),
    cpu_ms_postgres: rounded(postgres, 4),
    cpu_ms: rounded(server === null || postgres === null ? null : server + postgres, 4),
  }
}

/** How many payments have all of their rows so far. */
export async function countComplete({ db }: Stage): Promise<number> {
  return (await db.query(COMPLETE)).rows[0].complete
}

/** Waits until no charge is open any more. */
export const untilLanded = (stage: Stage): Promise<void> => untilNone(stage, OPEN)

/** Waits until no test charge is open any more. */
export const untilTestLanded = (stage: Stage): Promise<void> =>
  untilNone(stage, {
    ...OPEN,
    query: `select 1 from charges where follow_at < now() + interval '12 hours' and mode = 'test' limit 1`,
  })

/** How many payments of these merchants are in the ledger; nothing but payments may be posted for them meanwhile. */
async function countPosted({ db }: Stage, merchants: readonly BenchMerchant[]): Promise<number> {
  const { rows } = await db.query({ ...POSTED, values: [merchants.map(({ id }) => id)] })
  return rows[0].seq / TRANSFERS_OF_PAYMENT
}

async function untilPosted(stage: Stage, merchants: readonly BenchMerchant[], wanted: number): Promise<void> {
  const giveUpAt = performance.now() + LANDED_WITHIN_MS
  for (;;) {
    const posted = await countPosted(stage, merchants)
    if (posted === wanted) return
    if (posted > wanted || performance.now() > giveUpAt)
      throw new Error(`${wanted} payments were to be in the ledger, and ${posted} are`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
