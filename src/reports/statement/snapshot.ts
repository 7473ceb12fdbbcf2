import type { PoolClient } from 'pg'
import { copyOut, type Literal } from '../../platform/db/copy-out.ts'
import type { Database } from '../../platform/db/database.ts'
import { restBesideMoney } from '../../platform/db/rest.ts'
import { type Statement, statement } from '../../platform/db/statement.ts'

/** Whose money, in which mode. */
export type Ledger = { merchantId: number; mode: 'test' | 'live' }

/** One state of the database that all questions are asked of. */
export type Snapshot = Asked & Paced & Copied
export type Asked = { ask<Row>(question: Statement<Row>, values: readonly unknown[]): Promise<Row[]> }
/** Whether payments are being made, so that long questions should be asked in smaller pieces. */
export type Paced = { moneyMoves(): boolean }
/** The rows of an answer in binary, for questions with very many (db/copy-out.ts). */
export type Copied = {
  copy(question: Statement, values: readonly Literal[], memory?: Buffer[]): Promise<Buffer[]>
}

// The two halves of a window are hashed against each other and everything else is found by its index; estimates for a month
// that no statistics know yet must not turn that into a loop over both halves.
const SETTINGS = statement(
  'plans of statements',
  `select set_config(name, value, true) from (values ('enable_seqscan', 'off'), ('enable_mergejoin', 'off'),
     ('enable_nestloop', 'off'), ('jit', 'off'), ('plan_cache_mode', 'force_custom_plan')) s (name, value)`,
)
// Several processors for one question would leave none to payments for as long as it takes.
const ALONE = statement(
  'plans beside money',
  `select set_config('max_parallel_workers_per_gather', '0', true)`,
)

// No timer is shorter, so every small question would take a millisecond longer.
const SHORTEST_REST_MS = 1

/**
 * Opens a read-only snapshot for as long as `work` takes; `plans`: which plans the server may make in it. While payments are
 * made it rests after each question (decision 33).
 */
export function inSnapshot<T>(
  db: Database,
  work: (snapshot: Snapshot) => Promise<T>,
  plans: Statement = SETTINGS,
): Promise<T> {
  return db.snapshot(async (client: PoolClient) => {
    const restFor = restBesideMoney(db)
    const snapshot: Snapshot = {
      ask: async ({ name, text }, values) => {
        const askedAt = performance.now()
        const { rows } = await client.query({ name, text, values: [...values] })
        const ms = restFor(performance.now() - askedAt)
        if (ms >= SHORTEST_REST_MS) await new Promise((resolve) => setTimeout(resolve, ms))
        return rows
      },
      moneyMoves: () => restFor(1) > 0,
      copy: (question, values, memory = []) => copyOut(client, question, { values, memory, restFor }),
    }
    await snapshot.ask(plans, [])
    if (snapshot.moneyMoves()) await snapshot.ask(ALONE, [])
    return work(snapshot)
  })
}
