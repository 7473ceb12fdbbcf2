import type pg from 'pg'
import { count, timed } from '../measures.ts'
import { spentNow } from '../spent.ts'
import { isLockTimeout, isRetryable, sqlState } from './errors.ts'
import { type Gate, gate, type Share } from './gate.ts'
import { type DatabaseOptions, makePool, openAll, withClient } from './pool.ts'
import { provenWork } from './proven-work.ts'
import { type SnapshotWork, snapshotsOf } from './snapshots.ts'
import { type Statement, statement } from './statement.ts'
import { commitWork, hurried, run, settled, together } from './transaction.ts'
import { setValueTypes } from './value-types.ts'

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
export type Work<T> = (tx: Tx) => Promise<{ value: T; last?: readonly Call[] }>

/**
 * What a transaction is for. `hurry`: the work is for several merchants, and a locked row of one must not delay the others, so it waits
 * only
 * briefly for locks and is not repeated after a lock time-out. Without a `kind` it counts as `out`.
 */
export type Turn = Partial<Share> & { hurry?: boolean }

/** Connections to one schema (a cell, or the directory). Statements never name a schema: search_path does. */
export type Database = {
  /** Runs one statement outside any transaction. Throws DatabaseAway, or the server's own error. */
  query<Row>(statement: Statement<Row>, values?: unknown[]): Promise<Row[]>
  /** Runs several such statements in one flush on one connection, each on its own. */
  queries<const T extends readonly Call[]>(...calls: T): Promise<RowsOf<T>>
  /**
   * Runs `work` in one READ COMMITTED transaction and commits. What `work` returns in `last` is sent together with COMMIT, in one flush
   * (ledger.md section 7). Tries the whole transaction up to three times on deadlock, serialization failure and lock time-out. Throws
   * DatabaseAway, CommitUnknown, or the server's own error.
   */
  transaction<T>(work: Work<T>): Promise<T>
  /** Runs a transaction for this kind of work and merchant. */
  transactionFor<T>(turn: Turn, work: Work<T>): Promise<T>
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
  inWork(): Readonly<Record<Share['kind'], number>>
  /** How long no transaction has been under way, in ms; 0 while one is. */
  quietMs(): number
  /** How many pieces of work wait for a connection. */
  waiting(): number
  /** How long a single statement, or a transaction of this kind, would probably wait for a connection now, in ms. */
  expectedMs(kind: 'statement' | Share['kind']): number
  readonly pool: pg.Pool
  /** The largest number of connections that it opens. */
  readonly mostConnections: number
}

const TRIES = 3
const PING = statement('ping', 'select 1')
export const call = <Row>(statement: Statement<Row>, ...values: unknown[]): Call<Row> => ({
  statement,
  values,
})

const pinging: Work<null> = async (tx) => {
  await tx.send(call(PING))
  return { value: null }
}

export function openDatabase(options: DatabaseOptions): Database {
  const pool = makePool(options, true)
  const single = makePool({ ...options, connections: options.singleConnections }, true)
  const reports = snapshotsOf(options)
  const money = gateFor(options, options.connections, Math.floor(options.connections / 4))
  const reads = gateFor(options, options.singleConnections, 0)
  const { proving, isProven } = provenWork()
  const transactionFor: Database['transactionFor'] = ({ kind = 'out', hurry = false, ...of }, work) =>
    retried(hurry, () =>
      passing(money, { kind, ...of }, () =>
        proving('transactions', () =>
          withClient(pool, (client) => commitWork(client, hurry ? hurried(work) : work)),
        ),
      ),
    )
  const queries: Database['queries'] = (...calls) =>
    passing(reads, READ, () =>
      proving('statements', () =>
        withClient(single, async (client) => {
          const results = await settled(together(client, () => calls.map((call) => run(client, call))))
          return results.map((result) => result.rows) as never
        }),
      ),
    )
  const works = async () => {
    const pings = [
      ...(isProven('statements') ? [] : [queries(call(PING))]),
      ...(isProven('transactions') ? [] : [transactionFor({ kind: 'in' }, pinging)]),
    ]
    return (await Promise.allSettled(pings)).every(({ status }) => status === 'fulfilled')
  }
  return {
    pool,
    works,
    mostConnections: options.connections + options.singleConnections + reports.mostConnections,
    warm: async () => {
      await Promise.all([openAll(pool, options.connections), openAll(single, options.singleConnections)])
    },
    query: (statement, values = []) =>
      passing(reads, READ, () =>
        proving('statements', () =>
          withClient(single, async (client) => (await run(client, { statement, values })).rows as never),
        ),
      ),
    queries,
    transaction: (work) => transactionFor({}, work),
    transactionFor,
    snapshot: reports.read,
    inWork: () => money.inWork(),
    quietMs: () => money.quietMs(),
    waiting: () => money.waiting() + reads.waiting(),
    expectedMs: (kind) => (kind === 'statement' ? reads.expectedMs(READ) : money.expectedMs({ kind })),
    close: async () => {
      await Promise.all([pool.end(), single.end(), reports.close()])
    },
  }
}

const READ: Share = { kind: 'in' }

/** `keptFree`: how many connections stay free for each kind: a quarter for each of three, so any kind may use the last quarter. */
const gateFor = ({ patient = false, schema }: DatabaseOptions, size: number, keptFree: number): Gate =>
  gate({
    name: schema,
    size,
    keptFree: { outcome: keptFree, in: keptFree, out: keptFree },
    patience: patient ? 'patient' : 'service',
  })

async function passing<T>(gate: Gate, request: Share, work: () => Promise<T>): Promise<T> {
  const since = performance.now()
  const leave = await gate.enter(request)
  const entered = performance.now()
  timed('db_pool_wait_seconds', (entered - since) / 1000, gate.name)
  try {
    return await work()
  } finally {
    leave()
    const spent = spentNow()
    if (spent !== null) {
      spent.queueMs += entered - since
      spent.dbMs += performance.now() - entered
    }
  }
}

async function retried<T>(hurry: boolean, work: () => Promise<T>): Promise<T> {
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
