import type pg from 'pg'
import type { PoolClient } from 'pg'
import { assert } from '../assert.ts'
import { type DatabaseOptions, makePool, withClient } from './pool.ts'

/** Opens a second connection to the same snapshot, until the work ends; null when none is free now. Call it at most once. */
type OpenSecond = () => Promise<PoolClient | null>
export type SnapshotWork<T> = (client: PoolClient, openSecond: OpenSecond) => Promise<T>

export type Snapshots = {
  read<T>(work: SnapshotWork<T>): Promise<T>
  close(): Promise<void>
  /** The largest number of connections that it opens. */
  readonly maxConnections: number
}

/** Connections are opened when they are needed. A reader of a snapshot waits for its turn (`reportTurns`), not for a connection. */
const MAX_SNAPSHOTS = 4
// No reader waits for a second connection, so it is not one of those above.
const MAX_SECOND_CONNECTIONS = 1
const STATEMENT_MS = 60_000
// While payments run the second connection is idle. Longer than any report may take (api/http/bodies/stream-sender.ts).
const SECOND_IDLE = '6min'
const BEGIN = 'begin isolation level repeatable read read only'
const SNAPSHOT_ID = /^[0-9A-F-]+$/

/** Makes read-only snapshots of one schema, on connections of their own. */
export function openSnapshots(options: DatabaseOptions): Snapshots {
  const pool = (connections: number) => makePool({ ...options, connections, statementTimeoutMs: STATEMENT_MS }, false)
  const firsts = pool(MAX_SNAPSHOTS)
  const seconds = pool(MAX_SECOND_CONNECTIONS)
  const readWith = async <T>(client: PoolClient, work: SnapshotWork<T>): Promise<T> => {
    let second: PoolClient | null = null
    const openSecond = async () => {
      if (!hasFreeConnection(seconds)) return null
      // One connection is enough; the second only makes it faster.
      second = await seconds.connect().catch(() => null)
      if (second === null) return null
      second.on('error', ignore)
      await second.query(BEGIN)
      await second.query(`set transaction snapshot '${await exportSnapshot(client)}'`)
      await second.query(`set local idle_in_transaction_session_timeout = '${SECOND_IDLE}'`)
      return second
    }
    try {
      return await work(client, openSecond)
    } finally {
      if (second !== null) await releaseSecond(second)
    }
  }
  return {
    read: (work) => withClient(firsts, (client) => inTransaction(client, () => readWith(client, work))),
    close: async () => {
      await Promise.all([firsts.end(), seconds.end()])
    },
    maxConnections: MAX_SNAPSHOTS + MAX_SECOND_CONNECTIONS,
  }
}

const hasFreeConnection = ({ totalCount, idleCount, waitingCount }: pg.Pool) =>
  waitingCount === 0 && totalCount - idleCount < MAX_SECOND_CONNECTIONS

async function exportSnapshot(client: PoolClient): Promise<string> {
  const [snapshot] = (await client.query<{ id: string }>('select pg_export_snapshot() as id')).rows
  assert(snapshot && SNAPSHOT_ID.test(snapshot.id), 'the id of a snapshot stands in a statement')
  return snapshot.id
}

async function inTransaction<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query(BEGIN)
  try {
    return await work()
  } finally {
    await client.query('rollback').catch(() => {})
  }
}

/** Gives the connection back to its pool, or closes it when it does not answer. */
async function releaseSecond(second: PoolClient): Promise<void> {
  const answers = await second.query('rollback').then(
    () => true,
    () => false,
  )
  second.off('error', ignore)
  second.release(!answers)
}

function ignore(): void {}
