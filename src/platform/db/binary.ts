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
const MOST_BYTES_A_CHARACTER = 3

const USUAL_BYTES = 64 * 1024
// A buffer that has grown beyond this is not kept for the calls that follow.
const MOST_KEPT_BYTES = 1024 * 1024

let bytes = Buffer.allocUnsafeSlow(USUAL_BYTES)
let end = 0

/** Begins the data of a table, after room for the head of the message. */
export function beginData(): void {
  bytes[0] = COPY_DATA
  end = 5
  room(HEADER.length)
  end += HEADER.copy(bytes, end)
}

/** Begins a row with this many columns. */
export function beginRow(columns: number): void {
  room(2)
  end = bytes.writeInt16BE(columns, end)
}

/** Returns a copy of the messages CopyData and CopyDone with all rows since `beginData`. */
export function endData(): Buffer {
  room(2)
  end = bytes.writeInt16BE(NO_MORE_ROWS, end)
  bytes.writeInt32BE(end - 1, 1)
  return taken(COPY_DONE)
}

/** Encodes an array of these values as the bytes of a parameter. `oid`: the type of its elements. */
export function arrayOf<Value>(values: readonly Value[], oid: number, put: (value: Value) => void): Buffer {
  end = 0
  room(20)
  end = bytes.writeInt32BE(1, end) // dimensions
  end = bytes.writeInt32BE(1, end) // some may be null
  end = bytes.writeInt32BE(oid, end)
  end = bytes.writeInt32BE(values.length, end)
  end = bytes.writeInt32BE(1, end) // the first has the number 1
  for (const value of values) put(value)
  return taken()
}

/** Writes a whole number of 2, 4 or 8 bytes. */
export function putWhole(value: number | null, size: 2 | 4 | 8): void {
  if (value === null) {
    putNull()
    return
  }
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number that a column can hold`)
  room(4 + size)
  end = bytes.writeInt32BE(size, end)
  if (size === 2) end = bytes.writeInt16BE(value, end)
  else if (size === 4) end = bytes.writeInt32BE(value, end)
  else putEight(value)
}

export function putLarge(value: bigint): void {
  room(12)
  end = bytes.writeInt32BE(8, end)
  end = bytes.writeBigInt64BE(value, end)
}

/** Writes a time, in microseconds since 2000. */
export function putTime(value: Date | null): void {
  if (value === null) {
    putNull()
    return
  }
  const ms = value.getTime()
  if (Number.isNaN(ms)) throw new Error('an invalid date is no time')
  room(12)
  end = bytes.writeInt32BE(8, end)
  const microseconds = (ms - MS_TO_2000) * 1000
  // From the year 2285 on a number does not hold the microseconds exactly.
  if (Number.isSafeInteger(microseconds)) putEight(microseconds)
  else end = bytes.writeBigInt64BE(BigInt(ms - MS_TO_2000) * 1000n, end)
}

export function putTruth(value: boolean | null): void {
  if (value === null) {
    putNull()
    return
  }
  room(5)
  end = bytes.writeInt32BE(1, end)
  bytes[end] = value ? 1 : 0
  end += 1
}

export function putReal(value: number | null): void {
  if (value === null) {
    putNull()
    return
  }
  room(8)
  end = bytes.writeInt32BE(4, end)
  end = bytes.writeFloatBE(value, end)
}

export function putBytes(value: Uint8Array | null): void {
  if (value === null) {
    putNull()
    return
  }
  room(4 + value.length)
  end = bytes.writeInt32BE(value.length, end)
  bytes.set(value, end)
  end += value.length
}

/** Writes the text of JSON, after the number of its format. */
export function putJson(value: string | null): void {
  if (value === null) {
    putNull()
    return
  }
  room(5 + value.length * MOST_BYTES_A_CHARACTER)
  bytes[end + 4] = JSON_FORMAT
  const length = 1 + bytes.write(value, end + 5, 'utf8')
  bytes.writeInt32BE(length, end)
  end += 4 + length
}

/** Writes a text in UTF-8; the label of an enum is written the same way. */
export function putText(value: string | null): void {
  if (value === null) {
    putNull()
    return
  }
  room(4 + value.length * MOST_BYTES_A_CHARACTER)
  const length = putShort(value) ?? bytes.write(value, end + 4, 'utf8')
  bytes.writeInt32BE(length, end)
  end += 4 + length
}

/** Writes a short text of ASCII characters and returns its length; null for any other text. */
function putShort(value: string): number | null {
  if (value.length > SHORT) return null
  let at = end + 4
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charCodeAt(index)
    if (unit > 127) return null
    bytes[at] = unit
    at += 1
  }
  return value.length
}

function putNull(): void {
  room(4)
  end = bytes.writeInt32BE(NO_VALUE, end)
}

function putEight(value: number): void {
  const high = Math.floor(value / TWO_TO_32)
  end = bytes.writeInt32BE(high, end)
  end = bytes.writeUInt32BE(value - high * TWO_TO_32, end)
}

/** Returns a copy of what was written, followed by `after`. */
function taken(...after: readonly Buffer[]): Buffer {
  const copy = Buffer.concat([bytes.subarray(0, end), ...after])
  if (bytes.length > MOST_KEPT_BYTES) bytes = Buffer.allocUnsafeSlow(USUAL_BYTES)
  return copy
}

function room(more: number): void {
  if (end + more <= bytes.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, end + more))
  bytes.copy(larger, 0, 0, end)
  bytes = larger
}
