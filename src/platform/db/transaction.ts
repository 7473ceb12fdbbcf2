import type { Socket } from 'node:net'
import type pg from 'pg'
import type { PoolClient } from 'pg'
import { assert } from '../assert.ts'
import { count } from '../log/measures.ts'
import { tracePart } from '../log/tracing.ts'
import { crashPoint } from '../processes/crash-point.ts'
import type { Call, TransactionWork, Tx } from './database.ts'
import { CommitUnknown, classifyDatabaseError } from './errors.ts'
import { insideTransaction } from './open-transaction.ts'
import { type PreparedStatement, queryPrepared } from './prepared-query.ts'
import { statement } from './statement.ts'
import { runCopy } from './wire/copy.ts'

// Longer than a usual commit takes, and far shorter than merchants should wait for the lock of another one.
const HURRIED_LOCK_TIMEOUT = '200ms'
const SET_LOCK_TIMEOUT = statement('wait shortly', "select set_config('lock_timeout', $1, true)")
const BEGIN = { name: 'begin', text: 'begin', values: [] }
const COMMIT = { name: 'commit', text: 'commit', values: [] }
const PLAN_ONCE = { name: 'plan once', text: 'set plan_cache_mode = force_generic_plan', values: [] }
const PLAN_AS_BEFORE = { name: 'plan as before', text: 'reset plan_cache_mode', values: [] }

/** Gives the work a short lock time-out, sent together with its first statements. */
export function withShortLockTimeout<T>(work: TransactionWork<T>): TransactionWork<T> {
  return async (tx) => {
    let isSet = false
    const setting = () => {
      const calls = isSet ? [] : [{ statement: SET_LOCK_TIMEOUT, values: [HURRIED_LOCK_TIMEOUT] }]
      isSet = true
      return calls
    }
    const { value, last = [] } = await work({
      send: async (...calls) => {
        const first = setting()
        return (await tx.send(...first, ...calls)).slice(first.length) as never
      },
    })
    return { value, last: last.length === 0 ? last : [...setting(), ...last] }
  }
}

/** Runs the work on this connection in a transaction and commits it; rolls back when the work throws. */
export async function commitWork<T>(client: PoolClient, work: TransactionWork<T>): Promise<T> {
  let begun = false
  const tx: Tx = {
    send: async (...calls) => {
      const sent = sendTogether(client, () => [
        ...(begun ? [] : [queryPrepared(client, BEGIN)]),
        ...calls.map((call) => runCall(client, call)),
      ])
      begun = true
      const results = await traceStatements(calls, () => awaitAll(sent))
      return results.slice(sent.length - calls.length).map((result) => result.rows) as never
    },
  }
  try {
    const { value, last = [] } = await insideTransaction(() => work(tx))
    const first = begun ? [] : [BEGIN]
    begun ||= last.length > 0
    if (begun) await commit(client, first, last)
    return value
  } catch (error) {
    if (begun && !(error instanceof CommitUnknown)) await client.query('rollback').catch(() => {})
    throw error
  }
}

async function commit(client: PoolClient, first: readonly PreparedStatement[], last: readonly Call[]): Promise<void> {
  const queries = sendTogether(client, () => [
    ...first.map((begin) => queryPrepared(client, begin)),
    ...last.map((call) => runCall(client, call)),
    queryPrepared(client, COMMIT),
  ])
  crashPoint('batch.sent')
  const outcomes = await traceStatements(last, () => Promise.allSettled(queries), 'commit')
  crashPoint('batch.committed')
  const failed = outcomes.slice(0, -1).find((outcome) => outcome.status === 'rejected')
  const committed = outcomes.at(-1)
  assert(committed !== undefined, 'a commit was sent')
  if (committed.status === 'fulfilled') {
    // With pipelining, COMMIT of a failed transaction is answered with ROLLBACK and no error: only the tag shows it (F8).
    if (committed.value.command === 'COMMIT') return
    throw failed?.reason ?? new Error(`COMMIT was answered with ${committed.value.command}`)
  }
  // If the server refused a statement, the transaction was certainly rolled back.
  if (failed && classifyDatabaseError(failed.reason) === failed.reason) throw failed.reason
  count('commit_unknown_total')
  throw new CommitUnknown(committed.reason)
}

/** Traces statements that go out together, by their names. */
export const traceStatements = <T>(calls: readonly Call[], work: () => Promise<T>, ...others: string[]): Promise<T> =>
  tracePart(
    'statements',
    () => ({
      'db.system.name': 'postgresql',
      'gateway.statements': [...calls.map(({ statement }) => statement.name), ...others].join(', '),
    }),
    work,
  )

/** Puts everything that `send` sends on the wire in one write. */
export function sendTogether<T>(client: PoolClient, send: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

export function runCall(client: PoolClient, { statement, values }: Call): Promise<pg.QueryResult> {
  if (statement.copies !== undefined) return runCopy(client, statement.text, values[0] as Buffer)
  const { name, text } = statement
  if (statement.plannedOnce) return runPlannedOnce(client, { name, text, values })
  return queryPrepared(client, { name, text, values })
}

/** Sends three statements in one write, each on its own: so the connection plans as before again even after a statement that failed. */
async function runPlannedOnce(client: PoolClient, query: PreparedStatement): Promise<pg.QueryResult> {
  const sent = sendTogether(client, () => [
    queryPrepared(client, PLAN_ONCE),
    queryPrepared(client, query),
    queryPrepared(client, PLAN_AS_BEFORE),
  ])
  const [, result] = await awaitAll(sent)
  return result as pg.QueryResult // Three were sent.
}

/** Waits for all, then throws the first error: the ones after it only say that the transaction is aborted. */
export async function awaitAll(queries: Promise<pg.QueryResult>[]): Promise<pg.QueryResult[]> {
  const outcomes = await Promise.allSettled(queries)
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}
