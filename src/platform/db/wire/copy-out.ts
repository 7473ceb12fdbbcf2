import type { Socket } from 'node:net'
import type { PoolClient } from 'pg'
import pg from 'pg'
import type { RestFor } from '../rest.ts'
import { formatSqlTime } from '../sql-time.ts'
import type { Statement } from '../statement.ts'

/** A value that may be written into the text of a COPY. No text from outside is among them. */
export type CopyLiteral = number | readonly number[] | 'test' | 'live' | Date | null

// What comes before the first row: a signature, flags, and the length of an extension that no server sends.
const HEADER_BYTES = 19
// What comes after the last row: -1 where a row has its number of columns.
const TRAILER_BYTES = 2
// One or two hundred rows: the work on a block takes a fraction of a millisecond.
const BLOCK_BYTES = 32 * 1024
// Some hundred rows, which take the server about two milliseconds.
const BYTES_BETWEEN_RESTS = 64 * 1024

/**
 * Reads the rows of a query by COPY in binary: the server writes no text, and this process makes no object of a row. Returns blocks of
 * whole rows (binary-rows.ts), in the `memory` of an earlier call: new memory for each of many calls would keep the collector busy.
 * During a
 * rest nothing is read from the connection, and the server waits too once the socket is full. Errors are the server's own.
 */
export const copyOut = (
  client: PoolClient,
  { text }: Statement,
  { values, memory, restFor }: { values: readonly CopyLiteral[]; memory: Buffer[]; restFor: RestFor },
) =>
  new Promise<Buffer[]>((resolve, reject) => {
    const sql = `copy (${insertLiterals(text, values)}) to stdout (format binary)`
    const copy = new CopyOut(sql, memory, newRests(client, restFor))
    const query: object = Object.assign(copy, {
      callback: (error: Error | null) =>
        error === null || error === undefined ? resolve(copy.blocks()) : reject(error),
    })
    client.query(query as pg.Submittable)
  })

/** Writes the values into the text in place of `$1`, `$2` and so on, because a COPY takes no parameters. */
function insertLiterals(text: string, values: readonly CopyLiteral[]): string {
  return text.replace(/\$([0-9]+)/g, (_, place) => writeLiteral(values[Number(place) - 1]))
}

/**
 * Writes a value as SQL, in quotes, so that it takes the type that its position needs, like a parameter. No other function puts a value
 * into the text of a statement, so it checks the value whatever the types say: digits, lists of them, one of two words, or a time that we
 * print ourselves. None of them can end the quotes.
 */
export function writeLiteral(value: unknown): string {
  if (value === null) return 'null'
  if (Number.isSafeInteger(value)) return `'${value}'`
  if (Array.isArray(value) && value.every(Number.isSafeInteger)) return `'{${value.join()}}'`
  if (value === 'test' || value === 'live') return `'${value}'`
  if (value instanceof Date && !Number.isNaN(value.getTime())) return `'${formatSqlTime(value)}'`
  throw new Error(`a ${typeof value} of this kind may not stand in the text of a statement`)
}

/** Makes a function to be called with the bytes of each row: it pauses reading from the connection whenever a piece is complete. */
function newRests(client: PoolClient, restFor: RestFor): (bytes: number) => void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  let read = 0
  let since = performance.now()
  return (bytes) => {
    read += bytes
    if (read < BYTES_BETWEEN_RESTS) return
    const now = performance.now()
    const ms = restFor(now - since)
    read = 0
    since = now + ms
    if (ms === 0) return
    // At least a millisecond, because no timer is shorter: what the server had ready is read in less.
    stream.pause()
    setTimeout(() => stream.resume(), ms)
  }
}

class CopyOut extends pg.Query {
  private readonly memory: Buffer[]
  private readonly restAfter: (bytes: number) => void
  private readonly full: Buffer[] = []
  private block: Buffer = Buffer.alloc(0)
  private end = 0
  private begun = false

  constructor(text: string, memory: Buffer[], restAfter: (bytes: number) => void) {
    super({ text })
    this.memory = memory
    this.restAfter = restAfter
  }

  /** The server sends one message a row. The driver uses the memory of a message again, so its bytes are copied. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const row = this.begun ? chunk : chunk.subarray(HEADER_BYTES)
    this.begun = true
    if (row.length === TRAILER_BYTES) return
    this.roomFor(row.length)
    this.end += row.copy(this.block, this.end)
    this.restAfter(row.length)
  }

  blocks(): Buffer[] {
    this.keepBlock()
    return this.full
  }

  private keepBlock(): void {
    if (this.end > 0) this.full.push(this.block.subarray(0, this.end))
    this.end = 0
  }

  private roomFor(bytes: number): void {
    if (this.end + bytes <= this.block.length) return
    this.keepBlock()
    const nth = this.full.length
    const before = this.memory[nth]
    this.block = before && before.length >= bytes ? before : Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes))
    this.memory[nth] = this.block
  }
}
