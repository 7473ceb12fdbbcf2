// Writes values in PostgreSQL's binary format, one after another into one buffer that every call uses again: rows of a COPY, and arrays.

const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const COPY_DATA = 100 // 'd'
const COPY_DONE = Buffer.from([99, 0, 0, 0, 4]) // 'c'
const NO_MORE_ROWS = -1
const NO_VALUE = -1
export const TWO_TO_32 = 2 ** 32
const JSON_FORMAT = 1
/** The server counts times from 2000-01-01 UTC; this is that moment in ms since 1970. */
export const MS_TO_2000 = Date.UTC(2000, 0, 1)
// Up to this length a loop over the characters is faster than a call out of JavaScript.
const SHORT = 64
const MAX_BYTES_PER_CHARACTER = 3

const USUAL_BYTES = 64 * 1024
// A buffer that has grown beyond this is not kept for the calls that follow.
const MAX_KEPT_BYTES = 1024 * 1024

let bytes = Buffer.allocUnsafeSlow(USUAL_BYTES)
let position = 0

/** Begins the data of a table, after room for the head of the message. */
export function beginData(): void {
  bytes[0] = COPY_DATA
  position = 5
  ensureRoom(HEADER.length)
  position += HEADER.copy(bytes, position)
}

/** Begins a row with this many columns. */
export function beginRow(columns: number): void {
  ensureRoom(2)
  position = bytes.writeInt16BE(columns, position)
}

/** Returns a copy of the messages CopyData and CopyDone with all rows since `beginData`. */
export function endData(): Buffer {
  ensureRoom(2)
  position = bytes.writeInt16BE(NO_MORE_ROWS, position)
  bytes.writeInt32BE(position - 1, 1)
  return copyWritten(COPY_DONE)
}

/** Encodes an array of these values as the bytes of a parameter. `oid`: the type of its elements. */
export function encodeArray<Value>(values: readonly Value[], oid: number, put: (value: Value) => void): Buffer {
  position = 0
  ensureRoom(20)
  position = bytes.writeInt32BE(1, position) // dimensions
  position = bytes.writeInt32BE(1, position) // some may be null
  position = bytes.writeInt32BE(oid, position)
  position = bytes.writeInt32BE(values.length, position)
  position = bytes.writeInt32BE(1, position) // the first has the number 1
  for (const value of values) put(value)
  return copyWritten()
}

/** Writes a whole number of 2, 4 or 8 bytes. */
export function putWhole(value: number | null, size: 2 | 4 | 8): void {
  if (value === null) {
    putNull()
    return
  }
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number that a column can hold`)
  ensureRoom(4 + size)
  position = bytes.writeInt32BE(size, position)
  if (size === 2) position = bytes.writeInt16BE(value, position)
  else if (size === 4) position = bytes.writeInt32BE(value, position)
  else putInt64(value)
}

export function putLarge(value: bigint): void {
  ensureRoom(12)
  position = bytes.writeInt32BE(8, position)
  position = bytes.writeBigInt64BE(value, position)
}

/** Writes a time, in microseconds since 2000. */
export function putTime(value: Date | null): void {
  if (value === null) {
    putNull()
    return
  }
  const ms = value.getTime()
  if (Number.isNaN(ms)) throw new Error('an invalid date is no time')
  ensureRoom(12)
  position = bytes.writeInt32BE(8, position)
  const microseconds = (ms - MS_TO_2000) * 1000
  // From the year 2285 on a number does not hold the microseconds exactly.
  if (Number.isSafeInteger(microseconds)) putInt64(microseconds)
  else position = bytes.writeBigInt64BE(BigInt(ms - MS_TO_2000) * 1000n, position)
}

export function putBoolean(value: boolean | null): void {
  if (value === null) {
    putNull()
    return
  }
  ensureRoom(5)
  position = bytes.writeInt32BE(1, position)
  bytes[position] = value ? 1 : 0
  position += 1
}

export function putReal(value: number | null): void {
  if (value === null) {
    putNull()
    return
  }
  ensureRoom(8)
  position = bytes.writeInt32BE(4, position)
  position = bytes.writeFloatBE(value, position)
}

export function putBytes(value: Uint8Array | null): void {
  if (value === null) {
    putNull()
    return
  }
  ensureRoom(4 + value.length)
  position = bytes.writeInt32BE(value.length, position)
  bytes.set(value, position)
  position += value.length
}

/** Writes the text of JSON, after the number of its format. */
export function putJson(value: string | null): void {
  if (value === null) {
    putNull()
    return
  }
  ensureRoom(5 + value.length * MAX_BYTES_PER_CHARACTER)
  bytes[position + 4] = JSON_FORMAT
  const length = 1 + bytes.write(value, position + 5, 'utf8')
  bytes.writeInt32BE(length, position)
  position += 4 + length
}

/** Writes a text in UTF-8; the label of an enum is written the same way. */
export function putText(value: string | null): void {
  if (value === null) {
    putNull()
    return
  }
  ensureRoom(4 + value.length * MAX_BYTES_PER_CHARACTER)
  const length = putShort(value) ?? bytes.write(value, position + 4, 'utf8')
  bytes.writeInt32BE(length, position)
  position += 4 + length
}

/** Writes a short text of ASCII characters and returns its length; null for any other text. */
function putShort(value: string): number | null {
  if (value.length > SHORT) return null
  let at = position + 4
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charCodeAt(index)
    if (unit > 127) return null
    bytes[at] = unit
    at += 1
  }
  return value.length
}

function putNull(): void {
  ensureRoom(4)
  position = bytes.writeInt32BE(NO_VALUE, position)
}

function putInt64(value: number): void {
  const high = Math.floor(value / TWO_TO_32)
  position = bytes.writeInt32BE(high, position)
  position = bytes.writeUInt32BE(value - high * TWO_TO_32, position)
}

/** Returns a copy of what was written, followed by `after`. */
function copyWritten(...after: readonly Buffer[]): Buffer {
  const copy = Buffer.concat([bytes.subarray(0, position), ...after])
  if (bytes.length > MAX_KEPT_BYTES) bytes = Buffer.allocUnsafeSlow(USUAL_BYTES)
  return copy
}

function ensureRoom(more: number): void {
  if (position + more <= bytes.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, position + more))
  bytes.copy(larger, 0, 0, position)
  bytes = larger
}
