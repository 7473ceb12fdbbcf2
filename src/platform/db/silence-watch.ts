import type { Socket } from 'node:net'
import type pg from 'pg'
import { count } from '../measures.ts'

/** What the driver has beyond its types. `readyForQuery`: everything that was sent has been answered. */
type Watchable = { readyForQuery: boolean; connection: { stream: Socket }; host: string; port: number }
/** `heardMs`: when the last bytes came from the server. */
type Watched = {
  client: Watchable
  limitMs: number
  sinceMs: number
  moved: number
  read: number
  heardMs: number
}

const LOOK_EVERY_MS = 1000
const GRACE_MS = 1000
const watched = new Set<Watched>()
let lookedMs = 0
let looking: NodeJS.Timeout | null = null

/**
 * Destroys connections of this pool that owe an answer and are silent for longer than a statement may take, plus a second: the host of the
 * server stands still, or a standby answers at its address and the old connection leads nowhere. Nothing else would end such a connection
 * for
 * minutes. Waiting work gets DatabaseAway or CommitUnknown, and the next statement opens a new connection. Idle connections to the same
 * server
 * that have received nothing since then are destroyed too: they lead to the same dead end, and each would make the next statement wait as
 * long.
 */
export function watchSilence(pool: pg.Pool, statementTimeoutMs: number): void {
  const own = new Map<pg.PoolClient, Watched>()
  pool.on('connect', (client) => {
    const connection = {
      ...{ client: client as never, limitMs: statementTimeoutMs + GRACE_MS },
      ...{ sinceMs: 0, moved: -1, read: 0, heardMs: performance.now() },
    }
    own.set(client, connection)
    watched.add(connection)
    begin()
  })
  pool.on('remove', (client) => {
    const connection = own.get(client)
    own.delete(client)
    if (connection !== undefined) watched.delete(connection)
    if (watched.size === 0) end()
  })
}

function begin(): void {
  if (looking !== null) return
  lookedMs = performance.now()
  looking = setInterval(look, LOOK_EVERY_MS)
  looking.unref()
}

function end(): void {
  if (looking !== null) clearInterval(looking)
  looking = null
}

function look(): void {
  const nowMs = performance.now()
  // A process that stood still itself has not read what the server sent meanwhile, so no server counts as silent.
  const slept = nowMs - lookedMs > 2 * LOOK_EVERY_MS
  lookedMs = nowMs
  for (const connection of watched) judge(connection, { nowMs, slept })
}

function judge(silent: Watched, { nowMs, slept }: { nowMs: number; slept: boolean }): void {
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
  endSilent(silent)
  for (const idle of watched)
    if (isOfSameServer(silent, idle) && idle.client.readyForQuery && idle.heardMs < silent.sinceMs)
      endSilent(idle)
}

function endSilent({ client }: Watched): void {
  count('db_silent_connections_total')
  client.connection.stream.destroy(new Error('Connection terminated: the server is silent'))
}

const isOfSameServer = ({ client: a }: Watched, { client: b }: Watched) =>
  a.host === b.host && a.port === b.port
