import { assert } from '../../assert.ts'
import { addSums, type ExactSum } from '../../sums.ts'
import { JsonBytes } from '../../text/json-bytes.ts'
import { COLUMNS_BYTES, LENGTH_BYTES, lengthAt, timeAt, wholeAt } from './binary-rows.ts'

/** How the value of a column is written; each may be null. A time is written in Kampala's time. */
export type JsonColumnKind = 'time' | 'text' | 'whole'
/** JSON objects with commas between them, how many they are, and the sum of one of their members. */
type JsonLines = { lines: Buffer; count: number; sum: ExactSum }
type JsonMember = { before: Buffer; kind: JsonColumnKind; summed: boolean }

const COMMA = Buffer.from(',')
const CLOSE = Buffer.from('}')
const NULL = Buffer.from('null')

/**
 * Writes rows in binary as JSON objects. `columns` names the members in the order of the rows' columns; `summed` is one of the `whole`
 * ones. The bytes of a text go from the row into the line unchanged, and no object is made on the way.
 */
export class RowsAsJson {
  private readonly json = new JsonBytes()
  private readonly members: readonly JsonMember[]
  private count = 0
  private sum: ExactSum = 0

  constructor(columns: Readonly<Record<string, JsonColumnKind>>, summed: string | null) {
    this.members = Object.entries(columns).map(([name, kind], nth) => ({
      before: Buffer.from(`${nth === 0 ? '{' : ','}${JSON.stringify(name)}:`),
      kind,
      summed: name === summed,
    }))
  }

  /** How many rows were added since the last `take`. */
  get waiting(): number {
    return this.count
  }

  add(rows: Buffer): void {
    for (let at = 0; at < rows.length; ) {
      assert(rows.readInt16BE(at) === this.members.length, 'a row has a column for each member')
      if (this.count > 0) this.json.raw(COMMA)
      at += COLUMNS_BYTES
      for (const member of this.members) {
        this.json.raw(member.before)
        at = this.value(member, rows, at)
      }
      this.json.raw(CLOSE)
      this.count += 1
    }
  }

  /** Returns what was added since the last call. The bytes are valid until something is added again. */
  take(): JsonLines {
    const added = { lines: this.json.take(), count: this.count, sum: this.sum }
    this.count = 0
    this.sum = 0
    return added
  }

  /** Writes the value at this position and returns the position of the next one. */
  private value({ kind, summed }: JsonMember, rows: Buffer, at: number): number {
    const length = lengthAt(rows, at)
    const from = at + LENGTH_BYTES
    if (length < 0) {
      this.json.raw(NULL)
      return from
    }
    switch (kind) {
      case 'time':
        this.json.kampalaTime(timeAt(rows, from))
        break
      case 'text':
        this.json.text(rows, from, from + length)
        break
      case 'whole': {
        const whole = wholeAt(rows, from)
        this.json.whole(whole)
        if (summed) this.sum = addSums(this.sum, whole)
      }
    }
    return from + length
  }
}
