import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { crc32, deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib'
import { assert } from '../assert.ts'
import { CannotStart } from '../processes/cannot-start.ts'

// A sealed file is a header and frames. Header: the name of the format, 16 random bytes, 8 bytes that tell whether BACKUP_KEY fits. Frame: 41
// bytes of head (length, flags, mark, time, their CRC, tag), then what AES-256-GCM made of the deflated data. Each file has a key of its own (HMAC of BACKUP_KEY over its random bytes) and
// the number of the frame is the nonce, so no frame can be changed, left out, moved or taken from another file without being found; that a
// file is whole is said by the flag of its last frame. What is written is never written anew under the same nonce.
const FORMAT = Buffer.from('GWBACK1\n')
const SALT_BYTES = 16
const CHECK_BYTES = 8
const HEADER_BYTES = FORMAT.length + SALT_BYTES + CHECK_BYTES
const TAG_BYTES = 16
const FRAME_FACTS_BYTES = 21
// A CRC of the facts tells a frame that was cut short from one whose length is damaged.
const FRAME_CRC_BYTES = 4
const FRAME_HEAD_BYTES = FRAME_FACTS_BYTES + FRAME_CRC_BYTES + TAG_BYTES
const LAST = 1
const MAX_FRAME_BYTES = 4 * 1024 * 1024
// Fast, and most of what there is to gain: pages and WAL are full of zeros.
const DEFLATE = { level: 1 }
const SMALL_BYTES = 32 * 1024

/** `mark` and `at` say where in the WAL the data of a frame begins, and when the server sent it; other files leave them at 0. */
type FrameFacts = { mark: bigint; at: number }
export type SealedFrame = FrameFacts & { data: Buffer; last: boolean }
export type SealedWriter = {
  /** Adds a frame. Calls must not overlap. */
  write(data: Buffer, facts?: FrameFacts): Promise<void>
  /** Makes what was written survive a power cut. */
  flush(): Promise<void>
  /** Marks the file as whole, flushes and closes it. */
  end(): Promise<void>
  /** Closes it as it is. */
  abandon(): Promise<void>
  readonly bytes: number
}

const NO_FACTS: FrameFacts = { mark: 0n, at: 0 }
const deflate = promisify(deflateRaw) as (data: Buffer, options: object) => Promise<Buffer>
const inflate = promisify(inflateRaw) as (data: Buffer, options: object) => Promise<Buffer>

/** Begins a sealed file, which must not exist. */
export async function createSealed(path: string, key: Buffer): Promise<SealedWriter> {
  const file = await open(path, 'wx', 0o600)
  const salt = randomBytes(SALT_BYTES)
  const fileKey = deriveFileKey(key, salt)
  const header = Buffer.concat([FORMAT, salt, deriveCheck(key, salt)])
  await file.writeFile(header)
  let [bytes, nth] = [header.length, 0]
  const add = async (data: Buffer, { mark, at }: FrameFacts, flags: number) => {
    assert(data.length <= MAX_FRAME_BYTES, 'a frame is small enough to be held in memory')
    // A commit is a few hundred bytes: to wait for a thread would take longer than to do it.
    const plain = data.length > SMALL_BYTES ? await deflate(data, DEFLATE) : deflateRawSync(data, DEFLATE)
    const facts = writeFacts(plain.length, { flags, mark, at })
    const cipher = createCipheriv('aes-256-gcm', fileKey, nonceOf(nth)).setAAD(facts)
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    const frame = Buffer.concat([facts, crcOf(facts), cipher.getAuthTag(), sealed])
    nth += 1
    await file.writeFile(frame)
    bytes += frame.length
  }
  return {
    write: (data, facts = NO_FACTS) => add(data, facts, 0),
    flush: () => file.datasync(),
    end: async () => {
      await add(Buffer.alloc(0), NO_FACTS, LAST)
      await file.sync()
      await file.close()
    },
    abandon: () => file.close(),
    get bytes() {
      return bytes
    },
  }
}

/**
 * Reads the frames of a sealed file, in order. Throws CannotStart with the name of the file where it is damaged, or BACKUP_KEY does not fit.
 * `unfinished`: a file that is still being written, or was when its writer died: it ends before the first frame that is not whole.
 */
export async function* readSealed(
  path: string,
  key: Buffer,
  { unfinished = false }: { unfinished?: boolean } = {},
): AsyncGenerator<SealedFrame> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new CannotStart(`${path} cannot be read (${error.code}): restore from another copy of the backups`)
  })
  try {
    const { size } = await file.stat()
    const fileKey = await readHeader(file, path, key)
    let at = HEADER_BYTES
    for (let nth = 0; ; nth += 1) {
      const frame = await readFrame(file, { at, nth, fileKey })
      if (frame.opened !== null) yield frame.opened
      else if (unfinished && (frame.end >= size || (await isEmpty(file, at, size)))) return
      else throw new CannotStart(`${path} is damaged at byte ${at}: restore from another copy of the backups`)
      if (frame.opened.last) return
      at = frame.end
    }
  } finally {
    await file.close()
  }
}

async function readHeader(file: FileHandle, path: string, key: Buffer): Promise<Buffer> {
  const header = await readBytes(file, 0, HEADER_BYTES)
  if (header === null || !header.subarray(0, FORMAT.length).equals(FORMAT))
    throw new CannotStart(`${path} is damaged: it does not begin like a file of a backup`)
  const salt = header.subarray(FORMAT.length, FORMAT.length + SALT_BYTES)
  if (!header.subarray(-CHECK_BYTES).equals(deriveCheck(key, salt)))
    throw new CannotStart(`${path} was sealed with another BACKUP_KEY than the one at hand`)
  return deriveFileKey(key, salt)
}

type FramePlace = { at: number; nth: number; fileKey: Buffer }

/** `opened` is null where the frame is not as it was written; `end` is beyond the file where it was cut short. */
async function readFrame(
  file: FileHandle,
  { at, nth, fileKey }: FramePlace,
): Promise<{ end: number; opened: SealedFrame | null }> {
  const head = await readBytes(file, at, FRAME_HEAD_BYTES)
  if (head === null) return { end: Number.POSITIVE_INFINITY, opened: null }
  const facts = head.subarray(0, FRAME_FACTS_BYTES)
  const crcEnd = FRAME_FACTS_BYTES + FRAME_CRC_BYTES
  if (!crcOf(facts).equals(head.subarray(FRAME_FACTS_BYTES, crcEnd))) return { end: at, opened: null }
  const length = facts.readUInt32BE(0)
  const end = at + FRAME_HEAD_BYTES + length
  const sealed = await readBytes(file, at + FRAME_HEAD_BYTES, length)
  if (sealed === null) return { end, opened: null }
  const decipher = createDecipheriv('aes-256-gcm', fileKey, nonceOf(nth)).setAAD(facts)
  decipher.setAuthTag(head.subarray(crcEnd))
  try {
    const plain = Buffer.concat([decipher.update(sealed), decipher.final()])
    const data = await inflate(plain, { maxOutputLength: MAX_FRAME_BYTES })
    const last = (facts.readUInt8(4) & LAST) !== 0
    return { end, opened: { data, last, mark: facts.readBigUInt64BE(5), at: Number(facts.readBigInt64BE(13)) } }
  } catch {
    return { end, opened: null }
  }
}

/** After a power cut the end of a file may be as long as it was to be, and without what was written. */
async function isEmpty(file: FileHandle, from: number, size: number): Promise<boolean> {
  const rest = await readBytes(file, from, size - from)
  return rest?.every((byte) => byte === 0) ?? false
}

async function readBytes(file: FileHandle, at: number, length: number): Promise<Buffer | null> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, at)
  return bytesRead === length ? bytes : null
}

function writeFacts(length: number, { flags, mark, at }: FrameFacts & { flags: number }): Buffer {
  const facts = Buffer.alloc(FRAME_FACTS_BYTES)
  facts.writeUInt32BE(length, 0)
  facts.writeUInt8(flags, 4)
  facts.writeBigUInt64BE(mark, 5)
  facts.writeBigInt64BE(BigInt(at), 13)
  return facts
}

function crcOf(facts: Buffer): Buffer {
  const crc = Buffer.alloc(FRAME_CRC_BYTES)
  crc.writeUInt32BE(crc32(facts))
  return crc
}

function nonceOf(nth: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(nth), 4)
  return nonce
}

const deriveFileKey = (key: Buffer, salt: Buffer) =>
  createHmac('sha256', key).update('backup file').update(salt).digest()
const deriveCheck = (key: Buffer, salt: Buffer) =>
  createHmac('sha256', key).update('backup key check').update(salt).digest().subarray(0, CHECK_BYTES)
