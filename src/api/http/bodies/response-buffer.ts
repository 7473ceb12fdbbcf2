import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unavailable } from '../../../platform/refusal.ts'

/** Holds a document that is written in full before any of it is sent: in memory, or on disk when it is long. */
export type ResponseBuffer = {
  readonly bytes: number
  /** Copies the piece, so that its memory can be used again. */
  add(piece: string | Uint8Array): Promise<void>
  /** Yields the document from its beginning, in pieces. The bytes of a piece are valid until the next one is asked for. */
  pieces(): AsyncGenerator<Uint8Array>
  /** Frees the memory or the file. */
  close(): Promise<void>
}

const MAX_MEMORY_BYTES = 512 * 1024
// Each piece read from disk is a round trip to a thread.
const PIECE_BYTES = 256 * 1024
// On the disk, of all documents of this process together.
const MAX_DISK_BYTES = 2 * 1024 * 1024 * 1024
const FULL_DISK = ['ENOSPC', 'EDQUOT', 'EROFS']
const RETRY_AFTER_S = 30
let diskBytes = 0

/** Opens an empty buffer. `add` throws 503 when there is no room left on disk. */
export function openResponseBuffer(): ResponseBuffer {
  // Written to the file and filled again: new memory for every piece of a long document would keep the collector busy.
  let memory: Buffer = Buffer.alloc(0)
  let memoryBytes = 0
  let file: FileHandle | null = null
  let fileBytes = 0

  async function flush(): Promise<void> {
    if (diskBytes + memoryBytes > MAX_DISK_BYTES) throw unavailable(RETRY_AFTER_S)
    const bytes = memory.subarray(0, memoryBytes)
    memoryBytes = 0
    diskBytes += bytes.length
    fileBytes += bytes.length
    file ??= await openUnnamed()
    await writeFully(file, bytes, fileBytes - bytes.length)
  }
  function grow(needed: number): void {
    if (needed <= memory.length || memory.length === MAX_MEMORY_BYTES) return
    const larger = Buffer.allocUnsafeSlow(Math.min(MAX_MEMORY_BYTES, Math.max(needed, 2 * memory.length)))
    memory.copy(larger, 0, 0, memoryBytes)
    memory = larger
  }
  return {
    get bytes() {
      return fileBytes + memoryBytes
    },
    async add(piece) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
      grow(memoryBytes + bytes.length)
      for (let at = 0; at < bytes.length; ) {
        if (memoryBytes === MAX_MEMORY_BYTES) await flush().catch(asUnavailable)
        const part = bytes.subarray(at, at + MAX_MEMORY_BYTES - memoryBytes)
        memory.set(part, memoryBytes)
        memoryBytes += part.length
        at += part.length
      }
    },
    async *pieces() {
      if (file !== null) yield* readFilePieces(file, fileBytes)
      if (memoryBytes > 0) yield memory.subarray(0, memoryBytes)
    },
    async close() {
      diskBytes -= fileBytes
      fileBytes = 0
      memory = Buffer.alloc(0)
      memoryBytes = 0
      await file?.close()
      file = null
    },
  }
}

/** Opens a file and removes its name: no other process can open it, and it disappears with this one. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `gateway-report-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

async function writeFully(file: FileHandle, bytes: Buffer, from: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written, from + written)).bytesWritten
}

async function* readFilePieces(file: FileHandle, length: number): AsyncGenerator<Uint8Array> {
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
  throw Object.assign(unavailable(RETRY_AFTER_S), { cause: error })
}
