import type { Socket } from 'node:net'
import type pg from 'pg'
import { count } from '../log/measures.ts'
import { DatabaseAway } from './errors.ts'

/** What the driver has beyond its types. `readyForQuery`: everything that was sent has been answered. */
type DriverClient = { readyForQuery: boolean; connection: { stream: Socket }; host: string; port: number }
/** `heardMs`: when the last bytes came from the server. */
type WatchedConnection = {
  client: DriverClient
  limitMs: number
  sinceMs: number
  moved: number
  read: number
  heardMs: number
}

const CHECK_EVERY_MS = 1000
const GRACE_MS = 1000
const watchedConnections = new Set<WatchedConnection>()
let checkedMs = 0
let checkTimer: NodeJS.Timeout | null = null

/**
 * Destroys connections of this pool that owe an answer and are silent for longer than a statement may take, plus a second: the host of
 * the server stands still, or a standby answers at its address and the old connection leads nowhere. Nothing else would end such a
 * connection for minutes. Waiting work gets DatabaseAway or CommitUnknown, and the next statement opens a new connection. Idle
 * connections to the same server that have received nothing since then are destroyed too: they lead to the same dead end, and each
 * would make the next statement wait as long.
 */
export function watchSilence(pool: pg.Pool, statementTimeoutMs: number): void {
  const own = new Map<pg.PoolClient, WatchedConnection>()
  pool.on('connect', (client) => {
    const connection = {
      ...{ client: client as never, limitMs: statementTimeoutMs + GRACE_MS },
      ...{ sinceMs: 0, moved: -1, read: 0, heardMs: performance.now() },
    }
    own.set(client, connection)
    watchedConnections.add(connection)
    startChecking()
  })
  pool.on('remove', (client) => {
    const connection = own.get(client)
    own.delete(client)
    if (connection !== undefined) watchedConnections.delete(connection)
    if (watchedConnections.size === 0) stopChecking()
  })
}

function startChecking(): void {
  if (checkTimer !== null) return
  checkedMs = performance.now()
  checkTimer = setInterval(checkConnections, CHECK_EVERY_MS)
  checkTimer.unref()
}

function stopChecking(): void {
  if (checkTimer !== null) clearInterval(checkTimer)
  checkTimer = null
}

function checkConnections(): void {
  const nowMs = performance.now()
  // A process that stood still itself has not read what the server sent meanwhile, so no server counts as silent.
  const slept = nowMs - checkedMs > 2 * CHECK_EVERY_MS
  checkedMs = nowMs
  for (const connection of watchedConnections) checkConnection(connection, { nowMs, slept })
}

function checkConnection(silent: WatchedConnection, { nowMs, slept }: { nowMs: number; slept: boolean }): void {
  const { stream } = silent.client.connection
  if (stream.bytesRead !== silent.read) {
    silent.read = stream.bytesRead
    silent.heardMs = nowMs
  }
  const moved = (stream.bytesRead ?? 0) + (stream.bytesWritten ?? 0)
  if (silent.client.readyForQuery || moved !== silent.moved || slept) {
    silent.moved = moved
    silent.sinceMs = nowMs
    return
  }
  if (nowMs - silent.sinceMs <= silent.limitMs) return
  destroySilent(silent)
  for (const idle of watchedConnections)
    if (isSameServer(silent, idle) && idle.client.readyForQuery && idle.heardMs < silent.sinceMs) destroySilent(idle)
}

function destroySilent({ client }: WatchedConnection): void {
  count('db_silent_connections_total')
  client.connection.stream.destroy(new Error('Connection terminated: the server is silent'))
}

const isSameServer = ({ client: a }: WatchedConnection, { client: b }: WatchedConnection) =>
  a.host === b.host && a.port === b.port

/** The two uses of connections, each with connections of its own: transactions, and single statements. */
type ConnectionUse = 'transactions' | 'statements'

// Readiness is checked about every half second; while payments run, no ping is needed.
const PROVEN_MS = 1000

/** Remembers when work of each kind was last done, and forgets it as soon as the database is away for work of that kind. */
export function provenWork(): {
  proving<T>(kind: ConnectionUse, work: () => Promise<T>): Promise<T>
  /** Whether work of this kind was done within the last second. */
  isProven(kind: ConnectionUse): boolean
} {
  const doneMs = { transactions: Number.NEGATIVE_INFINITY, statements: Number.NEGATIVE_INFINITY }
  return {
    isProven: (kind) => performance.now() - doneMs[kind] < PROVEN_MS,
    async proving(kind, work) {
      try {
        const value = await work()
        doneMs[kind] = performance.now()
        return value
      } catch (error) {
        if (error instanceof DatabaseAway) doneMs[kind] = Number.NEGATIVE_INFINITY
        throw error
      }
    },
  }
}
