import type pg from 'pg'
import { median, percentile, rounded } from './figures.ts'
import { untilLanded } from './payments.ts'
import { connect, type Stage } from './stage.ts'

const ROUNDS = 3
const EACH = 300

// A row of the size of a charge, in a table with a simple key.
const TABLE = `create table if not exists plain_rows (merchant_id bigint not null, id text not null, status text not null,
  amount bigint not null, fee bigint not null, phone text, reference text, rail_reference text, body text,
  created_at timestamptz not null, primary key (merchant_id, id))`
const INSERT = {
  name: 'plain row',
  text: `insert into plain_rows values ($1, $2, 'authorized', $3, 200, '256772000000', 'INV-0', $4, $5, $6)`,
}

/** One client alone: the median POST /v1/charges beside the median plain transaction (insert and commit, one round trip). */
export async function measureIdle(stage: Stage) {
  const plain = await connect(stage.plainUrl)
  await plain.query(TABLE)
  const rounds: { post: number; plain: number }[] = []
  while (rounds.length < ROUNDS) {
    rounds.push({ plain: await plainTransactions(plain, rounds.length), post: await posts(stage) })
    await untilLanded(stage)
  }
  await plain.end()
  const post = rounded(median(rounds.map((round) => round.post)), 2)
  const single = rounded(median(rounds.map((round) => round.plain)), 2)
  const overhead = rounded(median(rounds.map((round) => round.post - round.plain)), 2)
  stage.say(`alone: POST ${post} ms, plain transaction ${single} ms`)
  return { post_p50_ms: post, plain_transaction_p50_ms: single, overhead_ms: overhead }
}

async function plainTransactions(client: pg.Client, round: number): Promise<number> {
  const times: number[] = []
  while (times.length < EACH) {
    const startedAt = performance.now()
    const values = [round, `row_${times.length}`, 5000, 'f'.repeat(36), 'b'.repeat(600), '2026-01-01T00:00:00Z']
    await client.query({ ...INSERT, values })
    times.push(performance.now() - startedAt)
  }
  return percentile(
    times.sort((a, b) => a - b),
    0.5,
  )
}

async function posts({ driver, service, merchants }: Stage): Promise<number> {
  const tokens = merchants.map((merchant) => merchant.token)
  const load = await driver.run({ port: service.port, connections: 1, tokens, requests: EACH })
  return load.p50Ms
}
