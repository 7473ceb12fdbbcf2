import type { Socket } from 'node:net'
import type pg from 'pg'
import { count } from '../measures.ts'

/** What the driver knows of a connection, beyond its types: whether everything that was sent has been answered. */
type Watchable = { readyForQuery: boolean; connection: { stream: Socket }; host: string; port: number }
/** `heardMs`: when bytes of the server came last. */
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
 * Destroys connections of this pool that owe an answer and are silent for longer than a statement may take and a second: the host of
 * the server stands still, or a standby answers at its address and the old connection leads nowhere. Nothing else ends such a
 * connection for minutes. Whoever waits hears DatabaseAway, or CommitUnknown, and the next statement opens a new one. Connections that wait
 * for nothing and have heard nothing since are ended with it: they lead to the same place, and each would cost the next one its patience.
 */
export function watchSilence(pool: pg.Pool, statementTimeoutMs: number): void {
  const own = new Map<pg.PoolClient, Watched>()
  pool.on('connect', (client) => {
    const one = {
      ...{ client: client as never, limitMs: statementTimeoutMs + GRACE_MS },
      ...{ sinceMs: 0, moved: -1, read: 0, heardMs: performance.now() },
    }
    own.set(client, one)
    watched.add(one)
    begin()
  })
  pool.on('remove', (client) => {
    const one = own.get(client)
    own.delete(client)
    if (one !== undefined) watched.delete(one)
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
  // A process that stood still itself has not heard what was said meanwhile: nobody was silent.
  const slept = nowMs - lookedMs > 2 * LOOK_EVERY_MS
  lookedMs = nowMs
  for (const one of watched) judge(one, { nowMs, slept })
}

function judge(one: Watched, { nowMs, slept }: { nowMs: number; slept: boolean }): void {
  const { stream } = one.client.connection
  if (stream.bytesRead !== one.read) {
    one.read = stream.bytesRead
    one.heardMs = nowMs
  }
  const moved = (stream.bytesRead ?? 0) + (stream.bytesWritten ?? 0)
  if (one.client.readyForQuery || moved !== one.moved || slept) {
    one.moved = moved
    one.sinceMs = nowMs
    return
  }
  if (nowMs - one.sinceMs <= one.limitMs) return
  endSilent(one)
  for (const other of watched)
    if (isOfSameServer(one, other) && other.client.readyForQuery && other.heardMs < one.sinceMs)
      endSilent(other)
}

function endSilent({ client }: Watched): void {
  count('db_silent_connections_total')
  client.connection.stream.destroy(new Error('Connection terminated: the server is silent'))
}

const isOfSameServer = ({ client: one }: Watched, { client: other }: Watched) =>
  one.host === other.host && one.port === other.port
