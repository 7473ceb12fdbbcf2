import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { CannotStart } from '../processes/cannot-start.ts'
import type { Clock } from '../time/clock.ts'
import { type CopyMessages, connectForReplication, copyMessages, identifyServer, tryLock } from './replication.ts'
import {
  BASE_FILE,
  type FullBackup,
  finishFull,
  openForWriting,
  type Repository,
  removeUnfinished,
  unfinishedFolder,
} from './repository.ts'
import { createSealed, type SealedWriter } from './sealed-file.ts'

export type FullBackupOptions = {
  url: string
  repository: Repository
  masterKeyChecks: string[]
  clock: Clock
}

const BACKUP_LOCK = 7_310_553_003
const NAME = 'gateway_full_backup'
const FRAME_BYTES = 1024 * 1024
// What is written goes to the disk as it comes. A file system puts it there with the next flush of any file otherwise, and the stream of WAL
// would wait for hundreds of megabytes with it.
const FLUSH_BYTES = 8 * FRAME_BYTES
// Before the first byte the server makes a checkpoint.
const SILENT_MS = 15 * 60_000
// The server sends the manifest as an archive of its own, which nothing reads here: each frame is authenticated.
const OPTIONS = `CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'no'`

/**
 * Takes a full backup of a running server: a tar of its data folder with the WAL that this needs, from the server itself (BASE_BACKUP of the
 * replication protocol, which checks the sum of each page). Payments go on meanwhile. Throws CannotStart; an unfinished backup leaves nothing.
 */
export async function takeFullBackup({
  url,
  repository,
  masterKeyChecks,
  clock,
}: FullBackupOptions): Promise<FullBackup> {
  const client = await connectForReplication(url, NAME)
  try {
    if (!(await tryLock(client, BACKUP_LOCK)))
      throw new CannotStart('another backup of this server is running: wait until it has ended')
    const server = await identifyServer(client)
    openForWriting(repository, server.systemId)
    removeUnfinished(repository)
    const begunAt = clock.now().toISOString()
    const label = `full-${begunAt.replace(/[-:]|\.\d+/g, '')}`
    const databaseBytes = await readDatabaseBytes(client)
    const folder = unfinishedFolder(repository, label)
    mkdirSync(folder, { mode: 0o700 })
    const writer = await createSealed(join(folder, BASE_FILE), repository.key)
    try {
      const stream = copyMessages(client, `BASE_BACKUP (LABEL 'gateway ${label}', ${OPTIONS})`, SILENT_MS)
      await storeArchive(stream, writer)
      await writer.end()
      const places = stream.results().flatMap((rows) => rows.filter((row) => 'recptr' in row))
      const [start, stop] = [places[0], places.at(-1)] as { recptr: string; tli: number }[]
      const full: FullBackup = {
        ...{ label, begunAt, endedAt: clock.now().toISOString() },
        ...{ systemId: server.systemId, version: server.version, segmentBytes: server.segmentBytes },
        ...{ timeline: Number(stop?.tli), startLsn: start?.recptr ?? '', stopLsn: stop?.recptr ?? '' },
        ...{ bytes: writer.bytes, databaseBytes, masterKeyChecks },
      }
      await finishFull(repository, full)
      return full
    } catch (error) {
      await writer.abandon().catch(() => {})
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  } finally {
    await client.end().catch(() => {})
  }
}

async function readDatabaseBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes')
  return Number(rows[0]?.bytes ?? 0)
}

/** `n` begins an archive, `d` is data of it, `p` says how far it is. */
async function storeArchive(stream: CopyMessages, writer: SealedWriter): Promise<void> {
  let [archives, waiting, bytes]: [number, Buffer[], number] = [0, [], 0]
  let flushedAt = 0
  const writeOut = async () => {
    const data = Buffer.concat(waiting)
    ;[waiting, bytes] = [[], 0]
    await writer.write(data)
    if (writer.bytes - flushedAt < FLUSH_BYTES) return
    await writer.flush()
    flushedAt = writer.bytes
  }
  for (let messages = await stream.take(); messages.length > 0; messages = await stream.take())
    for (const message of messages) {
      const kind = String.fromCharCode(message[0] ?? 0)
      if (kind === 'n') archives += 1
      if (archives > 1)
        throw new CannotStart(
          'the server has tablespaces of its own, which this way of backups does not restore: use pgBackRest (BACKUP_PGBACKREST)',
        )
      if (kind !== 'd') continue
      waiting.push(message.subarray(1))
      bytes += message.length - 1
      if (bytes >= FRAME_BYTES) await writeOut()
    }
  if (bytes > 0) await writeOut()
}
