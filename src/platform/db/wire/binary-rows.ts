import { MS_TO_2000, TWO_TO_32 } from './binary.ts'

// Reads rows in PostgreSQL's binary format, one after another as `copyOut` returns them: the number of columns in two bytes, then each
// value after its length in four bytes. Nothing is copied.

/** The offset of the first value in a row. */
export const COLUMNS_BYTES = 2
/** The offset of a value after the beginning of its length. */
export const LENGTH_BYTES = 4

/** The length of the value whose length field is at this position; -1 for null. */
export const lengthAt = (rows: Buffer, at: number): number => rows.readInt32BE(at)

/** The whole number of eight bytes at this position; a bigint where a number does not hold it exactly. */
export function wholeAt(rows: Buffer, at: number): number | bigint {
  const value = rows.readInt32BE(at) * TWO_TO_32 + rows.readUInt32BE(at + 4)
  return Number.isSafeInteger(value) ? value : rows.readBigInt64BE(at)
}

/** The time at this position in milliseconds since 1970, with the microseconds as a fraction. */
export const timeAt = (rows: Buffer, at: number): number => Number(wholeAt(rows, at)) / 1000 + MS_TO_2000

/** The position after the row that begins at `from`. */
export function endOfRow(rows: Buffer, from: number): number {
  let at = from + COLUMNS_BYTES
  for (let left = rows.readInt16BE(from); left > 0; left -= 1) at += LENGTH_BYTES + Math.max(0, lengthAt(rows, at))
  return at
}

/** The first column of the row that begins at `from`, which must be a time; in ms since 1970. */
export const rowTimeAt = (rows: Buffer, from: number): number => timeAt(rows, from + COLUMNS_BYTES + LENGTH_BYTES)
