import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { assert } from '../assert.ts'
import { CannotStart } from '../processes/cannot-start.ts'
import {
  finishSegment,
  flushFolder,
  listSegments,
  partPath,
  type Repository,
  type StoredSegment,
} from './repository.ts'
import { createSealed, readSealed, type SealedWriter } from './sealed-file.ts'
import { type Lsn, segmentName, segmentStart } from './wal-names.ts'

type WalPlace = { repository: Repository; timeline: number; segmentBytes: number }
/** The WAL of one timeline that is written into the folder, segment by segment. */
export type WalFolder = {
  /** Where the next bytes must begin. Null where the folder has nothing of this timeline yet. */
  readonly next: Lsn | null
  /** Says where the first bytes will begin, after which there is a gap before them. It must be the beginning of a segment. */
  beginAt(lsn: Lsn): void
  /** Adds bytes that continue what is there. `at`: when the server sent them. */
  add(lsn: Lsn, bytes: Buffer, at: number): Promise<void>
  /** Notes that the server had written nothing beyond this place at that time, so that what is there reaches until then. */
  note(lsn: Lsn, at: number): Promise<void>
  /** Makes all that was added survive a power cut. */
  flush(): Promise<void>
  close(): Promise<void>
}

const MAX_PIECE = 1024 * 1024

/**
 * Opens the WAL of a timeline to go on where it ended. A segment that was being written is written anew into another file first, because what
 * comes now must not be sealed under a nonce that its dead writer may have used. Only one process may do this at a time.
 */
export async function openWalFolder(place: WalPlace): Promise<WalFolder> {
  const { repository, timeline, segmentBytes } = place
  const newest = listSegments(repository, timeline, segmentBytes).at(-1)
  let writer: SealedWriter | null = null
  let next: Lsn | null = null
  if (newest?.whole) next = newest.start + BigInt(segmentBytes)
  if (newest?.whole === false) {
    const resumed = await resumeSegment(repository, newest)
    writer = resumed.writer
    next = resumed.next
  }
  const nameOf = (lsn: Lsn) => segmentName(timeline, lsn, segmentBytes)
  async function addPiece(lsn: Lsn, piece: Buffer, at: number): Promise<void> {
    writer ??= await createSealed(partPath(repository, nameOf(lsn)), repository.key)
    await writer.write(piece, { mark: lsn, at })
    next = lsn + BigInt(piece.length)
    if (next % BigInt(segmentBytes) !== 0n) return
    await writer.end()
    await finishSegment(repository, nameOf(lsn))
    writer = null
  }
  return {
    get next() {
      return next
    },
    beginAt(lsn) {
      assert(segmentStart(lsn, segmentBytes) === lsn && writer === null, 'WAL begins with a whole segment')
      next = lsn
    },
    async add(lsn, bytes, at) {
      if (lsn !== next)
        throw new CannotStart('the server sent WAL that does not continue what BACKUP_DIR holds: start again')
      for (let [from, done] = [lsn, 0]; done < bytes.length; ) {
        const left = Number(segmentStart(from, segmentBytes) + BigInt(segmentBytes) - from)
        const piece = bytes.subarray(done, done + Math.min(left, MAX_PIECE))
        await addPiece(from, piece, at)
        from += BigInt(piece.length)
        done += piece.length
      }
    },
    note: async (lsn, at) => {
      if (lsn === next) await writer?.write(Buffer.alloc(0), { mark: lsn, at })
    },
    flush: async () => writer?.flush(),
    close: async () => writer?.abandon(),
  }
}

/** Begins a segment behind WAL that is missing, so that the next opening goes on there. What was unfinished before it stays so. */
export async function beginAfterGap({ repository, timeline, segmentBytes }: WalPlace, lsn: Lsn): Promise<void> {
  const path = partPath(repository, segmentName(timeline, lsn, segmentBytes))
  rmSync(path, { force: true })
  const writer = await createSealed(path, repository.key)
  await writer.flush()
  await writer.abandon()
}

/** Copies what is whole of an unfinished segment into a new file, and goes on with that. */
async function resumeSegment(
  repository: Repository,
  segment: StoredSegment,
): Promise<{ writer: SealedWriter; next: Lsn }> {
  const copy = `${segment.path}.new`
  rmSync(copy, { force: true })
  const writer = await createSealed(copy, repository.key)
  let next = segment.start
  for await (const { data, mark, at, last } of readSealed(segment.path, repository.key, { unfinished: true })) {
    if (last) continue
    await writer.write(data, { mark, at })
    next = mark + BigInt(data.length)
  }
  await writer.flush()
  renameSync(copy, segment.path)
  await flushFolder(dirname(segment.path))
  return { writer, next }
}
