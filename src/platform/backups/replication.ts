import type { Socket } from 'node:net'
import pg from 'pg'
import { DatabaseAway } from '../db/errors.ts'
import { newServerClient } from '../db/servers/server-client.ts'
import { parseLsn, parseSize } from './wal-names.ts'

/** What a server says of itself. */
export type ServerIdentity = {
  systemId: string
  timeline: number
  flushed: bigint
  segmentBytes: number
  version: number
}

const MAX_QUEUED_BYTES = 8 * 1024 * 1024
const CONNECT_MS = 15_000
const KEEP_ALIVE_MS = 10_000

/**
 * Connects in replication mode, in which the server gives backups and its WAL to a login with the right REPLICATION. It may run plain
 * statements as well, one at a time and without parameters.
 */
export async function connectForReplication(url: string, name: string): Promise<pg.Client> {
  const client = newServerClient(url, {
    ...{ application_name: name, connectionTimeoutMillis: CONNECT_MS },
    ...{ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS },
    ...({ replication: 'database' } as object),
  })
  await client.connect()
  return client
}

export async function identifyServer(client: pg.Client): Promise<ServerIdentity> {
  const { rows } = await client.query<{ systemid: string; timeline: number; xlogpos: string }>('IDENTIFY_SYSTEM')
  const segment = await client.query<{ wal_segment_size: string }>('SHOW wal_segment_size')
  const version = await client.query<{ server_version_num: string }>('SHOW server_version_num')
  const [system] = rows
  return {
    systemId: system?.systemid ?? '',
    timeline: system?.timeline ?? 0,
    flushed: parseLsn(system?.xlogpos ?? '0/0'),
    segmentBytes: parseSize(segment.rows[0]?.wal_segment_size ?? ''),
    version: Math.floor(Number(version.rows[0]?.server_version_num) / 10_000),
  }
}

/** Takes a lock for as long as the connection lives. Returns false where another connection has it. */
export async function tryLock(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lock}) as taken`)
  return rows[0]?.taken ?? false
}

/** The messages of a command that answers with a copy, and what it answered when that is over. */
export type CopyMessages = {
  /** All messages that have come since the last call; waits for one. Empty when the copy is over. Throws the error of the server. */
  take(): Promise<Buffer[]>
  /** Sends a message the other way. */
  send(message: Buffer): void
  /** The rows of each result; known when the copy is over. */
  results(): readonly Record<string, unknown>[][]
}

/**
 * Sends a command of the replication protocol. While nobody takes messages, the server waits. A server that says nothing for `silentMs` counts as
 * away.
 */
export function copyMessages(client: pg.Client, text: string, silentMs: number): CopyMessages {
  const { connection } = client as unknown as { connection: ReplicationWire }
  let [queue, bytes, ended]: [Buffer[], number, boolean] = [[], 0, false]
  let failure: Error | null = null
  let results: Record<string, unknown>[][] = []
  let wake = () => {}
  const query = new CopyCommand(text, (message) => {
    queue.push(message)
    bytes += message.length
    if (bytes > MAX_QUEUED_BYTES) connection.stream.pause()
    wake()
  })
  const finish = (error: Error | null, answer: pg.QueryResult | pg.QueryResult[]) => {
    failure = error
    if (!error) results = [answer].flat().map(({ rows }) => rows)
    ended = true
    wake()
  }
  client.query(Object.assign(query, { callback: finish }) as object as pg.Submittable)
  return {
    async take() {
      while (queue.length === 0 && !ended)
        await new Promise<void>((resolve, reject) => {
          const silent = setTimeout(() => {
            connection.stream.destroy()
            reject(new DatabaseAway(new Error(`the server has said nothing for ${silentMs / 1000} s`)))
          }, silentMs)
          wake = () => {
            clearTimeout(silent)
            resolve()
          }
        })
      if (queue.length === 0 && failure !== null) throw failure
      const taken = queue
      ;[queue, bytes] = [[], 0]
      connection.stream.resume()
      return taken
    },
    send: (message) => connection.sendCopyFromChunk(message),
    results: () => results,
  }
}

type ReplicationWire = { stream: Socket; sendCopyFromChunk(chunk: Buffer): void }

class CopyCommand extends pg.Query {
  private readonly receive: (message: Buffer) => void

  constructor(text: string, receive: (message: Buffer) => void) {
    super({ text })
    this.receive = receive
  }

  /** The driver uses the memory of a message again, so its bytes are copied. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.receive(Buffer.from(chunk))
  }
}
