import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unavailable } from '../platform/refusal.ts'

/** A document that is written in full before any of it is sent: in memory, or on disk when it is long. */
export type Spool = {
  readonly bytes: number
  add(piece: string | Uint8Array): Promise<void>
  /** The document from its beginning, in pieces. */
  pieces(): AsyncGenerator<Uint8Array>
  /** Frees the memory or the file. */
  close(): Promise<void>
}

const HELD_BYTES = 512 * 1024
const PIECE_BYTES = 64 * 1024
// On the disk, of all documents of this process together.
const MOST_BYTES = 2 * 1024 * 1024 * 1024
const FULL_DISK = ['ENOSPC', 'EDQUOT', 'EROFS']
const FREED_WITHIN_S = 30
let spooledBytes = 0

/** Errors of `add`: 503 when there is no room for it. */
export function openSpool(): Spool {
  let held: Buffer[] = []
  let heldBytes = 0
  let file: FileHandle | null = null
  let fileBytes = 0

  async function flush(): Promise<void> {
    if (spooledBytes + heldBytes > MOST_BYTES) throw unavailable(FREED_WITHIN_S)
    const bytes = Buffer.concat(held)
    held = []
    heldBytes = 0
    spooledBytes += bytes.length
    fileBytes += bytes.length
    file ??= await openUnnamed()
    await writeAll(file, bytes, fileBytes - bytes.length)
  }
  return {
    get bytes() {
      return fileBytes + heldBytes
    },
    async add(piece) {
      const bytes = Buffer.from(piece as string)
      held.push(bytes)
      heldBytes += bytes.length
      if (heldBytes > HELD_BYTES) await flush().catch(asUnavailable)
    },
    async *pieces() {
      if (file !== null) yield* piecesOf(file, fileBytes)
      yield* held
    },
    async close() {
      spooledBytes -= fileBytes
      fileBytes = 0
      held = []
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
  for (let at = 0; at < length; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, at)
    if (bytesRead === 0) throw new Error('a spooled document is shorter than it was written')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

function asUnavailable(error: unknown): never {
  if (!FULL_DISK.includes((error as { code?: string }).code ?? '')) throw error
  throw Object.assign(unavailable(FREED_WITHIN_S), { cause: error })
}
