import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import pg, { type PoolClient } from 'pg'
import { assert } from '../assert.ts'
import { crashPoint } from '../crash-point.ts'
import { readExact } from '../exact-json.ts'
import { readSum } from '../sums.ts'
import { CommitUnknown, classify, isRetryable } from './errors.ts'
import type { Statement } from './statement.ts'

const readAnyTime = pg.types.getTypeParser(1184, 'text') as (text: string) => Date
// Only a sum over very many rows is a bigint; arithmetic that expects a number throws on it.
pg.types.setTypeParser(20, readSum)
pg.types.setTypeParser(1700, readSum)
pg.types.setTypeParser(1184, readTime)
// What was given as `json` is kept to the digit: goods of machines have numbers that no number of this language holds.
pg.types.setTypeParser(114, readExact)

/** One statement with its values, ready to be sent. */
export type Call<Row = unknown> = { statement: Statement<Row>; values: unknown[] }
type RowsOf<T> = { [K in keyof T]: T[K] extends Call<infer Row> ? Row[] : never }

/**
 * An open transaction on a pipelined connection. `send` puts several statements on the wire at once and answers with
 * their rows; the first send carries BEGIN.
 */
export type Tx = { send<const T extends readonly Call[]>(...calls: T): Promise<RowsOf<T>> }

/** Connections to one schema (a cell, or the directory). Statements never name a schema: search_path does. */
export type Database = {
  /** Runs one statement outside any transaction. Errors: DatabaseAway, or the server's own. */
  query<Row>(statement: Statement<Row>, values?: unknown[]): Promise<Row[]>
  /** Several of the same kind in one flush on one connection, each on its own. */
  queries<const T extends readonly Call[]>(...calls: T): Promise<RowsOf<T>>
  /**
   * Runs `work` in one READ COMMITTED transaction and commits. What `work` returns in `last` is sent together with
   * COMMIT, in one flush (ledger.md section 7). Repeats the whole transaction up to three times on deadlock,
   * serialization failure and lock time-out. Errors: DatabaseAway, CommitUnknown, or the server's own.
   */
  transaction<T>(work: (tx: Tx) => Promise<{ value: T; last?: readonly Call[] }>): Promise<T>
  /** A connection without pipelining in a REPEATABLE READ, READ ONLY snapshot, for reports and `verify`. */
  snapshot<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
  /** Opens every connection now: a burst after the start must not wait for the server to fork. */
  warm(): Promise<void>
  close(): Promise<void>
  readonly pool: pg.Pool
  /** How many connections it opens at most. */
  readonly mostConnections: number
}

export type DatabaseOptions = {
  connectionString: string
  schema: string
  role: string | null
  /** For transactions. */
  connections: number
  /** For statements on their own, so that reads and money never wait for each other's connections. */
  singleConnections: number
  statementTimeoutMs: number
  applicationName: string
}

// A request would rather hear 503 than wait in a queue that does not move (reliability.md 6.3).
const WAIT_FOR_CONNECTION_MS = 250
// Single statements come in bursts (a start with no key remembered), and a stalled event loop counts as waiting.
const WAIT_FOR_SINGLE_MS = 500
/** Opened when they are needed. Whoever reads a snapshot waits for its turn (`reportTurns`), not for a connection. */
const REPORTS_AT_ONCE = 4
const LOCK_TIMEOUT_MS = 1000
const IDLE_IN_TRANSACTION_MS = 5000
const TRIES = 3
const UTC_TIME = 22 // Characters of `2026-01-01 00:00:00+00`.
const BEGIN = { name: 'begin', text: 'begin' }
const COMMIT = { name: 'commit', text: 'commit' }

const openTransaction = new AsyncLocalStorage<true>()

/** Throws when a transaction is open around the caller: rails, suppliers and receivers are never called inside one. */
export function assertOutsideTransaction(what: string): void {
  assert(openTransaction.getStore() === undefined, `${what} was called inside a transaction`)
}

export const call = <Row>(statement: Statement<Row>, ...values: unknown[]): Call<Row> => ({
  statement,
  values,
})

export function openDatabase(options: DatabaseOptions): Database {
  const pool = makePool(options, true)
  const single = makePool(
    { ...options, connections: options.singleConnections, waitMs: WAIT_FOR_SINGLE_MS },
    true,
  )
  const reports = makePool({ ...options, connections: REPORTS_AT_ONCE, statementTimeoutMs: 60_000 }, false)
  return {
    pool,
    mostConnections: options.connections + options.singleConnections + REPORTS_AT_ONCE,
    warm: async () => {
      await Promise.all([openAll(pool, options.connections), openAll(single, options.singleConnections)])
    },
    query: async (statement, values = []) => {
      const result = await single
        .query({ name: statement.name, text: statement.text, values })
        .catch(throwClassified)
      return result.rows
    },
    queries: (...calls) =>
      withClient(single, async (client) => {
        const results = await settled(together(client, () => calls.map((one) => run(client, one))))
        return results.map((result) => result.rows) as never
      }),
    transaction: (work) => retried(() => withClient(pool, (client) => commitWork(client, work))),
    snapshot: (work) => withClient(reports, (client) => readSnapshot(client, work)),
    close: async () => {
      await Promise.all([pool.end(), single.end(), reports.end()])
    },
  }
}

// Every statement of these connections finds its rows by an index, in a loop over a few keys. A plan made while a table was
// still small (a scan, a hash of all of it) would stay in use when it has grown, and cost a thousand times as much.
const INDEX_PLANS = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off', 'jit=off']

function makePool(options: DatabaseOptions & { waitMs?: number }, pipeline: boolean): pg.Pool {
  const settings = [
    `search_path=${options.schema}`,
    ...(options.role === null ? [] : [`role=${options.role}`]),
    `lock_timeout=${LOCK_TIMEOUT_MS}`,
    `statement_timeout=${options.statementTimeoutMs}`,
    `idle_in_transaction_session_timeout=${pipeline ? IDLE_IN_TRANSACTION_MS : 60_000}`,
    'timezone=UTC',
    ...(pipeline ? INDEX_PLANS : []),
  ]
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.connections,
    connectionTimeoutMillis: options.waitMs ?? WAIT_FOR_CONNECTION_MS,
    idleTimeoutMillis: pipeline ? 0 : 60_000,
    keepAlive: true,
    application_name: options.applicationName,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
    ...({ pipeline } as object),
  })
  // An idle connection that dies is replaced by the next request; the error must not end the process.
  pool.on('error', () => {})
  return pool
}

async function openAll(pool: pg.Pool, count: number): Promise<void> {
  const clients = await Promise.allSettled(Array.from({ length: count }, () => pool.connect()))
  for (const client of clients) if (client.status === 'fulfilled') client.value.release()
}

async function withClient<T>(pool: pg.Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(throwClassified)
  // A connection cut while nobody reads from it reports here; the statements in flight report for themselves.
  const ignore = () => {}
  client.on('error', ignore)
  let broken = true
  try {
    const value = await work(client)
    broken = false
    return value
  } catch (error) {
    const classified = classify(error)
    broken = classified !== error || error instanceof CommitUnknown
    throw classified
  } finally {
    client.off('error', ignore)
    client.release(broken)
  }
}

async function commitWork<T>(
  client: PoolClient,
  work: (tx: Tx) => Promise<{ value: T; last?: readonly Call[] }>,
): Promise<T> {
  let begun = false
  const tx: Tx = {
    send: async (...calls) => {
      const sent = together(client, () => [
        ...(begun ? [] : [client.query(BEGIN)]),
        ...calls.map((one) => run(client, one)),
      ])
      begun = true
      const results = await settled(sent)
      return results.slice(sent.length - calls.length).map((result) => result.rows) as never
    },
  }
  try {
    const { value, last = [] } = await openTransaction.run(true, () => work(tx))
    assert(begun || last.length === 0, 'a transaction that writes has sent something before')
    if (begun) await commit(client, last)
    return value
  } catch (error) {
    if (begun && !(error instanceof CommitUnknown)) await client.query('rollback').catch(() => {})
    throw error
  }
}

async function commit(client: PoolClient, last: readonly Call[]): Promise<void> {
  const queries = together(client, () => [...last.map((one) => run(client, one)), client.query(COMMIT)])
  crashPoint('batch.sent')
  const outcomes = await Promise.allSettled(queries)
  crashPoint('batch.committed')
  const failed = outcomes.slice(0, -1).find((outcome) => outcome.status === 'rejected')
  const committed = outcomes.at(-1)
  assert(committed !== undefined, 'a commit was sent')
  if (committed.status === 'fulfilled') {
    // With pipelining COMMIT of a failed transaction answers ROLLBACK and no error (dependencies.md, warning 2).
    if (committed.value.command === 'COMMIT') return
    throw failed?.reason ?? new Error(`COMMIT was answered with ${committed.value.command}`)
  }
  // A statement that the server itself refused settles it: the transaction is gone.
  if (failed && classify(failed.reason) === failed.reason) throw failed.reason
  throw new CommitUnknown(committed.reason)
}

/** Puts everything that `send` sends on the wire in one write. */
function together<T>(client: PoolClient, send: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

function run(client: PoolClient, { statement, values }: Call): Promise<pg.QueryResult> {
  return client.query({ name: statement.name, text: statement.text, values })
}

/** Waits for all, then throws the first error: the ones after it only say that the transaction is aborted. */
async function settled(queries: Promise<pg.QueryResult>[]): Promise<pg.QueryResult[]> {
  const outcomes = await Promise.allSettled(queries)
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error) || attempt === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 45))
    }
  }
}

async function readSnapshot<T>(client: PoolClient, work: (client: PoolClient) => Promise<T>): Promise<T> {
  await client.query('begin isolation level repeatable read read only')
  try {
    return await work(client)
  } finally {
    await client.query('rollback').catch(() => {})
  }
}

function throwClassified(error: unknown): never {
  throw classify(error)
}

/** A timestamptz as the server writes it in UTC; the driver's own parser is several times slower and reads all else. */
function readTime(text: string): Date {
  if (text.length < UTC_TIME || text.charCodeAt(4) !== 45 || !text.endsWith('+00')) return readAnyTime(text)
  const part = (from: number, to: number) => Number(text.slice(from, to))
  const ms = text.charCodeAt(19) === 46 ? Math.floor(Number(`0${text.slice(19, -3)}`) * 1000 + 1e-6) : 0
  return new Date(
    Date.UTC(part(0, 4), part(5, 7) - 1, part(8, 10), part(11, 13), part(14, 16), part(17, 19), ms),
  )
}
