import type { PoolClient } from 'pg'
import type { Database } from '../../platform/db/database.ts'
import { queryPrepared } from '../../platform/db/prepared-query.ts'
import { type RestFor, restBesideMoney } from '../../platform/db/rest.ts'
import { type Statement, statement } from '../../platform/db/statement.ts'
import { type CopyLiteral, copyOut } from '../../platform/db/wire/copy-out.ts'

/** One consistent state of the database, of which all questions of a report are asked. */
export type Snapshot = SnapshotQueries & SnapshotLoad & SnapshotCopies & SnapshotParallelism
export type SnapshotQueries = {
  ask<Row>(question: Statement<Row>, values: readonly unknown[]): Promise<Row[]>
}
/** Whether payments are being made, so that long questions should be asked in smaller pieces. */
export type SnapshotLoad = { moneyMoves(): boolean }
/** The rows of an answer in binary, for questions with very many (db/copy-out.ts). */
export type SnapshotCopies = {
  copy(question: Statement, values: readonly CopyLiteral[], memory?: Buffer[]): Promise<Buffer[]>
}

/** How many questions the snapshot answers at once. */
export type SnapshotParallelism = {
  answersAtOnce(): number
  /** Opens a second connection to the snapshot, if one is free. It is used only while no payments are made. */
  double(): Promise<void>
}

// The two halves of a window are hashed against each other and everything else is found by its index; estimates for a month
// that no statistics know yet must not turn that into a loop over both halves.
const STATEMENT_PLANS = statement(
  'plans of statements',
  `select set_config(name, value, true) from (values ('enable_seqscan', 'off'), ('enable_mergejoin', 'off'),
     ('enable_nestloop', 'off'), ('jit', 'off'), ('plan_cache_mode', 'force_custom_plan')) s (name, value)`,
)
// Several processors for one question would leave none to payments meanwhile.
const NO_PARALLEL_WORKERS = statement(
  'plans beside money',
  `select set_config('max_parallel_workers_per_gather', '0', true)`,
)

// No timer is shorter: resting after every small question would cost a millisecond each.
const SHORTEST_REST_MS = 1

/**
 * Opens a read-only snapshot for as long as `work` takes; `plans`: which plans the server may make in it. While payments are
 * made it rests after each question (decision 33).
 */
export function withSnapshot<T>(
  db: Database,
  work: (snapshot: Snapshot) => Promise<T>,
  plans: Statement = STATEMENT_PLANS,
): Promise<T> {
  return db.snapshot(async (first, openSecond) => {
    const restFor = restBesideMoney(db)
    const connections = [newConnection(first)]
    const moneyMoves = () => restFor(1) > 0
    // Beside payments one question at a time: the other processor is theirs.
    const usable = () => (moneyMoves() ? connections.slice(0, 1) : connections)
    const snapshot: Snapshot = {
      ask: (question, values) => onLeastBusy(usable(), (client) => queryOn(client, { question, values, restFor })),
      copy: (question, values, memory = []) =>
        onLeastBusy(usable(), (client) => copyOut(client, question, { values, memory, restFor })),
      moneyMoves,
      answersAtOnce: () => usable().length,
      double: async () => {
        const second = await openSecond()
        if (second === null) return
        await queryOn(second, { question: plans, values: [], restFor })
        connections.push(newConnection(second))
      },
    }
    await snapshot.ask(plans, [])
    if (snapshot.moneyMoves()) await snapshot.ask(NO_PARALLEL_WORKERS, [])
    return work(snapshot)
  })
}

type BusyConnection = { client: PoolClient; busyWith: number }
const newConnection = (client: PoolClient): BusyConnection => ({ client, busyWith: 0 })

async function onLeastBusy<T>(
  connections: readonly BusyConnection[],
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const connection = connections.reduce((least, next) => (next.busyWith < least.busyWith ? next : least))
  connection.busyWith += 1
  try {
    return await work(connection.client)
  } finally {
    connection.busyWith -= 1
  }
}

async function queryOn<Row>(
  client: PoolClient,
  { question: { name, text }, values, restFor }: SnapshotQuestion<Row>,
): Promise<Row[]> {
  const askedAt = performance.now()
  const { rows } = await queryPrepared(client, { name, text, values })
  const ms = restFor(performance.now() - askedAt)
  if (ms >= SHORTEST_REST_MS) await new Promise((resolve) => setTimeout(resolve, ms))
  return rows
}

type SnapshotQuestion<Row> = { question: Statement<Row>; values: readonly unknown[]; restFor: RestFor }
