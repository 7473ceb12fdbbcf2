import assert from 'node:assert/strict'
import type { Call } from '../../../src/platform/db/database.ts'

const HEAD_BYTES = 5 + 19

/** The rows in the data of a COPY, each as the bytes of its columns; null where a column has no value. */
export function copiedRows({ statement, values: [data] }: Call): (Buffer | null)[][] {
  assert.ok(statement.copies, `${statement.name} is a COPY`)
  assert.ok(Buffer.isBuffer(data))
  const rows: (Buffer | null)[][] = []
  let at = HEAD_BYTES
  const next = (length: number) => {
    at += length
    return data.subarray(at - length, at)
  }
  for (let columns = next(2).readInt16BE(); columns >= 0; columns = next(2).readInt16BE()) {
    const row: (Buffer | null)[] = []
    while (row.length < columns) {
      const length = next(4).readInt32BE()
      row.push(length < 0 ? null : next(length))
    }
    rows.push(row)
  }
  return rows
}
