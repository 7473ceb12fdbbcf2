import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type pg from 'pg'
import { sqlState } from '../db/errors.ts'
import { CannotStart } from '../processes/cannot-start.ts'
import {
  type CopyMessages,
  connectForReplication,
  copyMessages,
  identifyServer,
  type ServerIdentity,
  tryLock,
} from './replication.ts'
import { openForWriting, type Repository } from './repository.ts'
import { beginAfterGap, openWalFolder, type WalFolder } from './wal-folder.ts'
import { formatLsn, type Lsn, segmentStart } from './wal-names.ts'
import type { StreamInput, StreamNews } from './wal-stream-thread.ts'

/** The slot that keeps WAL on the server until it has been received, and the name under which the stream is a synchronous standby. */
export const SLOT = 'gateway_backup'

export type WalStreamOptions = {
  /** The address of the server, asked for anew after each interruption: that of the embedded one changes. */
  url(): string
  repository: Repository
  say(line: string): void
  stopping: AbortSignal
}

// One process at a time writes the folder of a server.
const STREAM_LOCK = 7_310_553_002
const RETRY_MS = { first: 200, max: 5000 }
const REPORT_EVERY_MS = 10_000
// It answers each report.
const SILENT_MS = 45_000
const REMOVED = '58P01'
const EPOCH_MS = 946_684_800_000 // PostgreSQL counts from 2000.
const XLOG_HEAD_BYTES = 25

/**
 * Receives the WAL of a server as it is written and stores it, until told to stop. The server hears that WAL is received once it is on the disk
 * here, so a server that waits for this stream (synchronous_standby_names) answers no commit that is not. Comes back by itself after
 * interruptions; throws CannotStart where that would not help.
 */
export async function streamWal(options: WalStreamOptions): Promise<void> {
  let waitMs = RETRY_MS.first
  while (!options.stopping.aborted) {
    const since = performance.now()
    try {
      await streamOnce(options)
    } catch (error) {
      // A folder that is full or away for a while passes too.
      if (error instanceof CannotStart) throw error
      if (!options.stopping.aborted) options.say(`the stream of WAL was interrupted: ${(error as Error).message}`)
    }
    if (performance.now() - since > RETRY_MS.max) waitMs = RETRY_MS.first
    await sleep(waitMs, undefined, { signal: options.stopping }).catch(() => {})
    waitMs = Math.min(waitMs * 2, RETRY_MS.max)
  }
}

async function streamOnce({ url, repository, say, stopping }: WalStreamOptions): Promise<void> {
  const client = await connectForReplication(url(), SLOT)
  const end = () => void client.end().catch(() => {})
  stopping.addEventListener('abort', end, { once: true })
  let folder: WalFolder | null = null
  let server: ServerIdentity | null = null
  try {
    // Another process streams: it is looked again whether it still does.
    if (!(await tryLock(client, STREAM_LOCK))) return
    server = await identifyServer(client)
    openForWriting(repository, server.systemId)
    await ensureSlot(client)
    folder = await openWalFolder({ repository, ...server })
    const begin = folder.next ?? segmentStart(server.flushed, server.segmentBytes)
    if (folder.next === null) folder.beginAt(begin)
    if (begin > server.flushed)
      throw new CannotStart(
        `${repository.folder} has WAL up to ${formatLsn(begin)} and the server has written only ${formatLsn(server.flushed)}: it was put back to an earlier state. Give BACKUP_DIR an empty folder and take a full backup`,
      )
    say(`WAL is streamed to ${repository.folder} from ${formatLsn(begin)} on (timeline ${server.timeline})`)
    const command = `START_REPLICATION SLOT ${SLOT} PHYSICAL ${formatLsn(begin)} TIMELINE ${server.timeline}`
    await receive(copyMessages(client, command, SILENT_MS), folder)
  } catch (error) {
    if (stopping.aborted) return
    if (sqlState(error) !== REMOVED || server === null) throw error
    await skipGap(server, { repository, say })
  } finally {
    stopping.removeEventListener('abort', end)
    await folder?.close()
    await client.end().catch(() => {})
  }
}

async function ensureSlot(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ lost: boolean }>(
    `select wal_status = 'lost' as lost from pg_replication_slots where slot_name = '${SLOT}'`,
  )
  if (rows[0]?.lost) await client.query(`select pg_drop_replication_slot('${SLOT}')`)
  if (rows.length === 0 || rows[0]?.lost) await client.query(`CREATE_REPLICATION_SLOT ${SLOT} PHYSICAL RESERVE_WAL`)
}

/** Goes on behind WAL that the server has removed before it was received. Only a new full backup makes up for it. */
async function skipGap(server: ServerIdentity, { repository, say }: Pick<WalStreamOptions, 'repository' | 'say'>) {
  const from = segmentStart(server.flushed, server.segmentBytes)
  await beginAfterGap({ repository, ...server }, from)
  say(
    `the server has removed WAL before it was received: there is a gap before ${formatLsn(from)}, which nothing can be restored across. Take a full backup now`,
  )
}

async function receive(stream: CopyMessages, folder: WalFolder): Promise<void> {
  const report = (asks: boolean) => stream.send(statusOf(folder.next ?? 0n, asks))
  const timer = setInterval(() => report(true), REPORT_EVERY_MS)
  try {
    for (;;) {
      const messages = await stream.take()
      if (messages.length === 0) return
      await store(folder, messages)
      await folder.flush()
      report(false)
    }
  } finally {
    clearInterval(timer)
  }
}

/**
 * Stores messages. `w`: where it begins, where the WAL of the server ends, when it was sent, and the bytes. `k`: where the WAL ends, and when; the
 * answer to a report. What came together becomes one frame: a busy server sends a message for each commit.
 */
async function store(folder: WalFolder, messages: readonly Buffer[]): Promise<void> {
  const data = messages.filter((message) => kindOf(message) === 'w')
  const [first, last] = [data[0], data.at(-1)]
  if (first !== undefined && last !== undefined) {
    const bytes = Buffer.concat(data.map((message) => message.subarray(XLOG_HEAD_BYTES)))
    await folder.add(first.readBigUInt64BE(1), bytes, readTime(last, 17))
  }
  const answer = messages.findLast((message) => kindOf(message) === 'k')
  if (answer !== undefined) await folder.note(answer.readBigUInt64BE(1), readTime(answer, 9))
}

const kindOf = (message: Buffer) => String.fromCharCode(message[0] ?? 0)
const readTime = (message: Buffer, at: number) => EPOCH_MS + Number(message.readBigInt64BE(at) / 1000n)

/** `r`: all up to here is written, flushed and applied. Its time is not used. `asks`: the server is to answer where its WAL ends. */
function statusOf(lsn: Lsn, asks: boolean): Buffer {
  const message = Buffer.alloc(34)
  message[33] = asks ? 1 : 0
  message.write('r', 0, 'latin1')
  for (const place of [1, 9, 17]) message.writeBigUInt64BE(lsn, place)
  return message
}

type WalThread = { url: string; repository: Repository; tell(news: StreamNews): void }

/** Streams WAL in a thread of its own. Returns the function that stops it. What happens is told; it never throws. */
export function startWalThread({ url, repository, tell }: WalThread): () => Promise<void> {
  const workerData: StreamInput = { url, ...repository }
  const thread = new Worker(new URL('./wal-stream-thread.js', import.meta.url), { workerData, env: {} })
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  thread.on('message', tell)
  thread.on('error', (error: Error) => tell({ says: error.message, ended: true }))
  return async () => {
    thread.postMessage('stop')
    await ended
  }
}
