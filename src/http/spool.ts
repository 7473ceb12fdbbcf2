import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unavailable } from '../platform/refusal.ts'

/** A document that is written in full before any of it is sent: in memory, or on disk when it is long. */
export type Spool = {
  readonly bytes: number
  /** Copies the piece, so that its memory can be used again. */
  add(piece: string | Uint8Array): Promise<void>
  /** The document from its beginning, in pieces. The bytes of one are valid until the next one is asked for. */
  pieces(): AsyncGenerator<Uint8Array>
  /** Frees the memory or the file. */
  close(): Promise<void>
}

const HELD_BYTES = 512 * 1024
// Each is a round trip to a thread.
const PIECE_BYTES = 256 * 1024
// On the disk, of all documents of this process together.
const MOST_BYTES = 2 * 1024 * 1024 * 1024
const FULL_DISK = ['ENOSPC', 'EDQUOT', 'EROFS']
const FREED_WITHIN_S = 30
let spooledBytes = 0

/** Errors of `add`: 503 when there is no room for it. */
export function openSpool(): Spool {
  // Written to the file and filled again: new memory for every piece of a long document would keep the collector busy.
  let held: Buffer = Buffer.alloc(0)
  let heldBytes = 0
  let file: FileHandle | null = null
  let fileBytes = 0

  async function flush(): Promise<void> {
    if (spooledBytes + heldBytes > MOST_BYTES) throw unavailable(FREED_WITHIN_S)
    const bytes = held.subarray(0, heldBytes)
    heldBytes = 0
    spooledBytes += bytes.length
    fileBytes += bytes.length
    file ??= await openUnnamed()
    await writeAll(file, bytes, fileBytes - bytes.length)
  }
  function grow(wanted: number): void {
    if (wanted <= held.length || held.length === HELD_BYTES) return
    const larger = Buffer.allocUnsafeSlow(Math.min(HELD_BYTES, Math.max(wanted, 2 * held.length)))
    held.copy(larger, 0, 0, heldBytes)
    held = larger
  }
  return {
    get bytes() {
      return fileBytes + heldBytes
    },
    async add(piece) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
      grow(heldBytes + bytes.length)
      for (let at = 0; at < bytes.length; ) {
        if (heldBytes === HELD_BYTES) await flush().catch(asUnavailable)
        const some = bytes.subarray(at, at + HELD_BYTES - heldBytes)
        held.set(some, heldBytes)
        heldBytes += some.length
        at += some.length
      }
    },
    async *pieces() {
      if (file !== null) yield* piecesOf(file, fileBytes)
      if (heldBytes > 0) yield held.subarray(0, heldBytes)
    },
    async close() {
      spooledBytes -= fileBytes
      fileBytes = 0
      held = Buffer.alloc(0)
      heldBytes = 0
      await file?.close()
      file = null
    },
  }
}

/** A file without a name: nobody else can open it, and it disappears with this process. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `gateway-report-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

async function writeAll(file: FileHandle, bytes: Buffer, from: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written, from + written)).bytesWritten
}

async function* piecesOf(file: FileHandle, length: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES)
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, at)
    if (bytesRead === 0) throw new Error('a spooled document is shorter than it was written')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

function asUnavailable(error: unknown): never {
  if (!FULL_DISK.includes((error as { code?: string }).code ?? '')) throw error
  throw Object.assign(unavailable(FREED_WITHIN_S), { cause: error })
}
