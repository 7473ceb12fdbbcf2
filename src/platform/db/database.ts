import type pg from 'pg'
import { count, recordTime } from '../log/measures.ts'
import { currentTimeSpent } from '../log/spent.ts'
import { isLockTimeout, isRetryable, sqlState } from './errors.ts'
import { type ConnectionRequest, type Gate, newGate } from './gate.ts'
import { type DatabaseOptions, makePool, openConnections, withClient } from './pool.ts'
import { provenWork } from './silence-watch.ts'
import { openSnapshots, type SnapshotWork } from './snapshots.ts'
import { type Statement, statement } from './statement.ts'
import { awaitAll, commitWork, runCall, sendTogether, traceStatements, withShortLockTimeout } from './transaction.ts'
import { type CopyLiteral, copyOut } from './wire/copy-out.ts'
import { setValueTypes } from './wire/value-types.ts'

setValueTypes()

/** One statement with its values, ready to be sent. */
export type Call<Row = unknown> = { statement: Statement<Row>; values: unknown[] }
/** The rows that several calls return, in the order of the calls. */
export type RowsOf<T> = { [K in keyof T]: T[K] extends Call<infer Row> ? Row[] : never }

/**
 * An open transaction on a pipelined connection. `send` puts several statements on the wire at once and returns their rows; the first send
 * carries BEGIN.
 */
export type Tx = { send<const T extends readonly Call[]>(...calls: T): Promise<RowsOf<T>> }

/** The work of a transaction. Returns its value, and in `last` the statements that are sent together with COMMIT. */
export type TransactionWork<T> = (tx: Tx) => Promise<{ value: T; last?: readonly Call[] }>

/**
 * What a transaction is for. `hurry`: the work is for several merchants, and a locked row of one must not delay the others, so it waits
 * only briefly for locks and is not repeated after a lock time-out. Without a `kind` it counts as `out`.
 */
type TransactionTurn = Partial<ConnectionRequest> & { hurry?: boolean }

/** Connections to one schema (a cell, or the directory). Statements never name a schema: search_path does. */
export type Database = {
  /** Runs one statement outside any transaction. Throws DatabaseAway, or the server's own error. */
  query<Row>(statement: Statement<Row>, values?: unknown[]): Promise<Row[]>
  /** Runs several such statements in one flush on one connection, each on its own. */
  queries<const T extends readonly Call[]>(...calls: T): Promise<RowsOf<T>>
  /**
   * Reads the rows of one statement in binary, as blocks of whole rows (wire/copy-out.ts). Half the work where rows have many bytes, but it
   * is planned at each use. Same errors as `query`.
   */
  copy(statement: Statement, values: readonly CopyLiteral[]): Promise<Buffer[]>
  /**
   * Runs `work` in one READ COMMITTED transaction and commits. What `work` returns in `last` is sent together with COMMIT, in one flush
   * (ledger.md section 7). Tries the whole transaction up to three times on deadlock, serialization failure and lock time-out. Throws
   * DatabaseAway, CommitUnknown, or the server's own error.
   */
  transaction<T>(work: TransactionWork<T>): Promise<T>
  /** Runs a transaction for this kind of work and merchant. */
  transactionFor<T>(turn: TransactionTurn, work: TransactionWork<T>): Promise<T>
  /** Runs `work` on a connection without pipelining in a REPEATABLE READ, READ ONLY snapshot, for reports and `verify`. */
  snapshot<T>(work: SnapshotWork<T>): Promise<T>
  /**
   * Whether the database serves: each kind of connection has done work within a second, or does a ping now. While payments keep it busy no
   * ping is sent. Never throws.
   */
  works(): Promise<boolean>
  /** Opens every connection now: a burst after the start must not wait for the server to fork. */
  warm(): Promise<void>
  close(): Promise<void>
  /** How many transactions are under way, by kind of work. */
  inWork(): Readonly<Record<ConnectionRequest['kind'], number>>
  /** How long no transaction has been under way, in ms; 0 while one is. */
  quietMs(): number
  /** How many pieces of work wait for a connection. */
  waiting(): number
  /** How long a single statement, or a transaction of this kind, would probably wait for a connection now, in ms. */
  expectedMs(kind: 'statement' | ConnectionRequest['kind']): number
  readonly pool: pg.Pool
  /** The largest number of connections that it opens. */
  readonly maxConnections: number
}

const TRIES = 3
const PING = statement('ping', 'select 1')
export const call = <Row>(statement: Statement<Row>, ...values: unknown[]): Call<Row> => ({
  statement,
  values,
})

const pingDatabase: TransactionWork<null> = async (tx) => {
  await tx.send(call(PING))
  return { value: null }
}

export function openDatabase(options: DatabaseOptions): Database {
  const pool = makePool(options, true)
  const single = makePool({ ...options, connections: options.singleConnections }, true)
  const reports = openSnapshots(options)
  const money = newGateFor(options, options.connections, Math.floor(options.connections / 4))
  const reads = newGateFor(options, options.singleConnections, 0)
  const { proving, isProven } = provenWork()
  const transactionFor: Database['transactionFor'] = ({ kind = 'out', hurry = false, ...of }, work) =>
    withRetries(hurry, () =>
      passGate(money, { kind, ...of }, () =>
        proving('transactions', () =>
          withClient(pool, (client) => commitWork(client, hurry ? withShortLockTimeout(work) : work)),
        ),
      ),
    )
  const onSingle = <T>(work: (client: pg.PoolClient) => Promise<T>) =>
    passGate(reads, READ_REQUEST, () => proving('statements', () => withClient(single, work)))
  const queries: Database['queries'] = (...calls) =>
    onSingle(async (client) => {
      const sent = sendTogether(client, () => calls.map((call) => runCall(client, call)))
      const results = await traceStatements(calls, () => awaitAll(sent))
      return results.map((result) => result.rows) as never
    })
  const works = async () => {
    const pings = [
      ...(isProven('statements') ? [] : [queries(call(PING))]),
      ...(isProven('transactions') ? [] : [transactionFor({ kind: 'in' }, pingDatabase)]),
    ]
    return (await Promise.allSettled(pings)).every(({ status }) => status === 'fulfilled')
  }
  return {
    pool,
    works,
    maxConnections: options.connections + options.singleConnections + reports.maxConnections,
    warm: async () => {
      await Promise.all([
        openConnections(pool, options.connections),
        openConnections(single, options.singleConnections),
      ])
    },
    query: (statement, values = []) =>
      onSingle(async (client) => {
        const sent = { statement, values }
        return (await traceStatements([sent], () => runCall(client, sent))).rows as never
      }),
    queries,
    copy: (statement, values) =>
      onSingle((client) => copyOut(client, statement, { values, memory: [], restFor: WITHOUT_RESTS })),
    transaction: (work) => transactionFor({}, work),
    transactionFor,
    snapshot: reports.read,
    inWork: () => money.inWork(),
    quietMs: () => money.quietMs(),
    waiting: () => money.waiting() + reads.waiting(),
    expectedMs: (kind) => (kind === 'statement' ? reads.expectedMs(READ_REQUEST) : money.expectedMs({ kind })),
    close: async () => {
      await Promise.all([pool.end(), single.end(), reports.close()])
    },
  }
}

const WITHOUT_RESTS = () => 0
const READ_REQUEST: ConnectionRequest = { kind: 'in' }

/** `keptFree`: how many connections stay free for each kind: a quarter for each of three, so any kind may use the last quarter. */
const newGateFor = ({ patient = false, schema }: DatabaseOptions, size: number, keptFree: number): Gate =>
  newGate({
    name: schema,
    size,
    keptFree: { outcome: keptFree, in: keptFree, out: keptFree },
    patience: patient ? 'patient' : 'service',
  })

async function passGate<T>(gate: Gate, request: ConnectionRequest, work: () => Promise<T>): Promise<T> {
  const since = performance.now()
  const leave = await gate.enter(request)
  const entered = performance.now()
  recordTime('db_pool_wait_seconds', (entered - since) / 1000, gate.name)
  try {
    return await work()
  } finally {
    leave()
    const spent = currentTimeSpent()
    if (spent !== null) {
      spent.queueMs += entered - since
      spent.dbMs += performance.now() - entered
    }
  }
}

async function withRetries<T>(hurry: boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error) || attempt === TRIES || (hurry && isLockTimeout(error))) throw error
      count('db_retries_total', sqlState(error) ?? 'none')
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 45))
    }
  }
}
