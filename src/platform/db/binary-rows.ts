import { MS_TO_2000, TWO_TO_32 } from './binary.ts'

// Rows in PostgreSQL's binary format, one after another as `copyOut` hands them over: the number of columns in two bytes, then
// each value after its length in four. They are read where they lie.

/** Where the first value of a row begins. */
export const COLUMNS_BYTES = 2
/** Where a value begins, after its length. */
export const LENGTH_BYTES = 4

/** The length of the value at this place; -1 for null. */
export const lengthAt = (rows: Buffer, at: number): number => rows.readInt32BE(at)

/** A whole number of eight bytes, a bigint where a number does not hold it exactly. */
export function wholeAt(rows: Buffer, at: number): number | bigint {
  const value = rows.readInt32BE(at) * TWO_TO_32 + rows.readUInt32BE(at + 4)
  return Number.isSafeInteger(value) ? value : rows.readBigInt64BE(at)
}

/** A time in milliseconds since 1970, with the microseconds as a fraction. */
export const timeAt = (rows: Buffer, at: number): number => Number(wholeAt(rows, at)) / 1000 + MS_TO_2000

/** Where the row that begins here ends. */
export function endOfRow(rows: Buffer, from: number): number {
  let at = from + COLUMNS_BYTES
  for (let left = rows.readInt16BE(from); left > 0; left -= 1)
    at += LENGTH_BYTES + Math.max(0, lengthAt(rows, at))
  return at
}

/** The first column of the row that begins here, which is a time. */
export const timeOf = (rows: Buffer, from: number): number =>
  timeAt(rows, from + COLUMNS_BYTES + LENGTH_BYTES)
