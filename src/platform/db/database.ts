import type { Socket } from 'node:net'
import pg, { type PoolClient } from 'pg'
import { assert } from '../assert.ts'
import { crashPoint } from '../crash-point.ts'
import { readExact } from '../exact-json.ts'
import { readSum } from '../sums.ts'
import { CommitUnknown, classify, isLockTimeout, isRetryable } from './errors.ts'
import { type Gate, gate, type Share } from './gate.ts'
import { insideTransaction } from './open-transaction.ts'
import { type DatabaseOptions, makePool, openAll } from './pool.ts'
import { type Statement, statement } from './statement.ts'

const readAnyTime = pg.types.getTypeParser(1184, 'text') as (text: string) => Date
// Only a sum over very many rows is a bigint; arithmetic that expects a number throws on it.
pg.types.setTypeParser(20, readSum)
pg.types.setTypeParser(1700, readSum)
pg.types.setTypeParser(1184, readTime)
// Values of type `json` keep all digits: goods of machines contain numbers that a JavaScript number cannot hold.
pg.types.setTypeParser(114, readExact)

/** One statement with its values, ready to be sent. */
export type Call<Row = unknown> = { statement: Statement<Row>; values: unknown[] }
type RowsOf<T> = { [K in keyof T]: T[K] extends Call<infer Row> ? Row[] : never }

/**
 * An open transaction on a pipelined connection. `send` puts several statements on the wire at once and answers with
 * their rows; the first send carries BEGIN.
 */
export type Tx = { send<const T extends readonly Call[]>(...calls: T): Promise<RowsOf<T>> }

type Work<T> = (tx: Tx) => Promise<{ value: T; last?: readonly Call[] }>

/**
 * `hurry`: the work is for several merchants, and a locked row of one must not delay the others: it waits only briefly for
 * locks and is not repeated after a lock time-out. Without a kind it counts as `out`.
 */
export type Turn = Partial<Share> & { hurry?: boolean }

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
  transaction<T>(work: Work<T>): Promise<T>
  /** The same for this kind of work and merchant. */
  transactionFor<T>(turn: Turn, work: Work<T>): Promise<T>
  /** A connection without pipelining in a REPEATABLE READ, READ ONLY snapshot, for reports and `verify`. */
  snapshot<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
  /** Opens every connection now: a burst after the start must not wait for the server to fork. */
  warm(): Promise<void>
  close(): Promise<void>
  /** How many wait for a connection. */
  waiting(): number
  /** How long a single statement, or a transaction of this kind, would probably wait for a connection now, in ms. */
  expectedMs(kind: 'statement' | Share['kind']): number
  readonly pool: pg.Pool
  /** How many connections it opens at most. */
  readonly mostConnections: number
}

/** Opened when they are needed. Whoever reads a snapshot waits for its turn (`reportTurns`), not for a connection. */
const REPORTS_AT_ONCE = 4
// Longer than a usual commit takes, and far shorter than merchants should wait for the lock of another one.
const HURRIED_LOCK_MS = '200ms'
const HURRY = statement('wait shortly', "select set_config('lock_timeout', $1, true)")
const TRIES = 3
const UTC_TIME = 22 // Characters of `2026-01-01 00:00:00+00`.
const BEGIN = { name: 'begin', text: 'begin' }
const COMMIT = { name: 'commit', text: 'commit' }

export const call = <Row>(statement: Statement<Row>, ...values: unknown[]): Call<Row> => ({
  statement,
  values,
})

export function openDatabase(options: DatabaseOptions): Database {
  const pool = makePool(options, true)
  const single = makePool({ ...options, connections: options.singleConnections }, true)
  const reports = makePool({ ...options, connections: REPORTS_AT_ONCE, statementTimeoutMs: 60_000 }, false)
  const money = gateFor(options, options.connections, Math.floor(options.connections / 4))
  const reads = gateFor(options, options.singleConnections, 0)
  const transactionFor: Database['transactionFor'] = ({ kind = 'out', hurry = false, ...of }, work) =>
    retried(hurry, () =>
      passing(money, { kind, ...of }, () =>
        withClient(pool, (client) => commitWork(client, hurry ? hurried(work) : work)),
      ),
    )
  return {
    pool,
    mostConnections: options.connections + options.singleConnections + REPORTS_AT_ONCE,
    warm: async () => {
      await Promise.all([openAll(pool, options.connections), openAll(single, options.singleConnections)])
    },
    query: (statement, values = []) =>
      passing(reads, READ, async () => {
        const result = await single
          .query({ name: statement.name, text: statement.text, values })
          .catch(throwClassified)
        return result.rows
      }),
    queries: (...calls) =>
      passing(reads, READ, () =>
        withClient(single, async (client) => {
          const results = await settled(together(client, () => calls.map((one) => run(client, one))))
          return results.map((result) => result.rows) as never
        }),
      ),
    transaction: (work) => transactionFor({}, work),
    transactionFor,
    snapshot: (work) => withClient(reports, (client) => readSnapshot(client, work)),
    waiting: () => money.waiting() + reads.waiting(),
    expectedMs: (kind) => (kind === 'statement' ? reads.expectedMs(READ) : money.expectedMs({ kind })),
    close: async () => {
      await Promise.all([pool.end(), single.end(), reports.end()])
    },
  }
}

const READ: Share = { kind: 'in' }

/** `kept`: a quarter of the connections stays free for each kind; the last quarter is for whoever comes first. */
const gateFor = ({ patient = false }: DatabaseOptions, size: number, kept: number): Gate =>
  gate({
    size,
    keptFree: { outcome: kept, in: kept, out: kept },
    patience: patient ? 'patient' : 'service',
  })

async function passing<T>(gate: Gate, share: Share, work: () => Promise<T>): Promise<T> {
  const leave = await gate.enter(share)
  try {
    return await work()
  } finally {
    leave()
  }
}

/** Sends the short lock time-out together with the first statements. */
function hurried<T>(work: Work<T>): Work<T> {
  return (tx) => {
    let told = false
    return work({
      send: async (...calls) => {
        const first = told ? [] : [call(HURRY, HURRIED_LOCK_MS)]
        told = true
        return (await tx.send(...first, ...calls)).slice(first.length) as never
      },
    })
  }
}

async function withClient<T>(pool: pg.Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(throwClassified)
  // An idle connection that is cut reports here; statements under way get the error themselves.
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

async function commitWork<T>(client: PoolClient, work: Work<T>): Promise<T> {
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
    const { value, last = [] } = await insideTransaction(() => work(tx))
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
    // With pipelining COMMIT of a failed transaction answers ROLLBACK and throws nothing: only its tag tells (F8).
    if (committed.value.command === 'COMMIT') return
    throw failed?.reason ?? new Error(`COMMIT was answered with ${committed.value.command}`)
  }
  // If the server refused a statement, the transaction was certainly rolled back.
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

async function retried<T>(hurry: boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error) || attempt === TRIES || (hurry && isLockTimeout(error))) throw error
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
