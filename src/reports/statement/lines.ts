import { assert } from '../../platform/assert.ts'
import { letOthersRun } from '../../platform/batches/let-others-run.ts'
import { formatSqlTime } from '../../platform/db/sql-time.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { CopyLiteral } from '../../platform/db/wire/copy-out.ts'
import { RowsAsJson } from '../../platform/db/wire/rows-as-json.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { ExactSum } from '../../platform/sums.ts'
import { ADJUSTMENTS } from './adjustments.ts'
import { withCovered } from './covered.ts'
import type { StatementFigures } from './figures.ts'
import { GIFT_CARD_COLUMN, MONEY_IN, MONEY_IN_KINDS } from './money-in.ts'
import { MONEY_OUT, MONEY_OUT_KINDS } from './money-out.ts'
import type { StatementPeriod } from './period.ts'
import type { SeqRange } from './range.ts'
import { readAhead, splitRange } from './read-ahead.ts'
import {
  ADJUSTING_SEQS,
  mergeSeqs,
  RESERVING_SEQS,
  readSeqs,
  type Seqs,
  type SeqWindow,
  type SliceSize,
  sliceSeqs,
} from './seqs.ts'
import type { Snapshot, SnapshotCopies, SnapshotParallelism } from './snapshot.ts'
import { windowValues } from './window.ts'

/** The three lists of a statement. */
export type StatementSection = 'money_in' | 'money_out' | 'adjustments'
export const SECTIONS: readonly StatementSection[] = ['money_in', 'money_out', 'adjustments']

/**
 * Lines as JSON objects separated by commas; the bytes are valid until the next lines are asked for. `giftCards` is 0 except in money_in.
 */
export type StatementLines = { lines: Buffer; count: number; giftCards: ExactSum }

/** The month whose lines are asked for. */
export type LedgerMonth = {
  ledger: MerchantMode
  period: StatementPeriod
  complete: boolean
  figures: StatementFigures
  /** The largest number of transfers of a list whose numbers may be held in memory. */
  heldSeqs: number
}

// The size of a window in transfers: small where lines are dense, larger where they are sparse. Even if every transfer were
// a line, a window would be a few megabytes.
const WINDOW_SIZE = { least: 16_000, most: 32_000, lines: 8000 }
// Transfers whose numbers are known are looked up in pieces. Payouts are read by time as well, hence the span.
const ADJUSTMENTS_AT_ONCE = { most: 2000, span: Number.POSITIVE_INFINITY }
const PAYOUTS_AT_ONCE = { most: 4000, span: 64_000 }
// Writing so many takes a fraction of a millisecond; then other work gets its turn.
const LINES_AT_ONCE = 100

/**
 * Reads the lines of one section in the order of posting, some hundred at a time; the next few thousand are read while the last ones are
 * used. No more of the month is ever in memory.
 */
export async function* readSectionLines(
  snapshot: Snapshot,
  month: LedgerMonth,
  section: StatementSection,
): AsyncGenerator<StatementLines> {
  const expected = expectedCount(month, section)
  if (expected === 0) return
  let count = 0
  for await (const lines of readPieces(snapshot, month, section)) {
    count += lines.count
    if (lines.count > 0) yield lines
  }
  assert(count === expected, `${section} has as many lines as were counted before`)
}

function expectedCount({ figures }: LedgerMonth, section: StatementSection): number {
  switch (section) {
    case 'money_in':
      return figures.countIn
    case 'money_out':
      return figures.countOut
    case 'adjustments':
      return figures.countAdjustments
  }
}

function readPieces(snapshot: Snapshot, month: LedgerMonth, section: StatementSection): AsyncGenerator<StatementLines> {
  switch (section) {
    case 'money_in':
      return readMoneyIn(snapshot, month)
    case 'money_out':
      return readMoneyOut(snapshot, month)
    case 'adjustments':
      return readAdjustments(snapshot, month)
  }
}

function readMoneyIn(snapshot: Snapshot, month: LedgerMonth): AsyncGenerator<StatementLines> {
  const { countIn, covered } = month.figures
  const windows = windowsForLines(month, countIn - covered)
  const posted = readWindowRows(snapshot, windows, (window) => ({
    statement: MONEY_IN,
    values: windowValues(month, window),
  }))
  const rows = covered > 0 ? withCovered(snapshot, month, posted) : posted
  return writeLines(rows, new RowsAsJson(MONEY_IN_KINDS, GIFT_CARD_COLUMN))
}

async function* readMoneyOut(snapshot: Snapshot, month: LedgerMonth): AsyncGenerator<StatementLines> {
  const { complete, period, figures } = month
  const reserving = await readReservingSeqs(snapshot, month)
  const windows = chooseWindows(month, reserving, { slice: PAYOUTS_AT_ONCE, lines: figures.countOut })
  const rows = readWindowRows(snapshot, windows, (window) => ({
    statement: MONEY_OUT,
    values: [...windowValues(month, window), complete ? period.end : null, window.among],
  }))
  yield* writeLines(rows, new RowsAsJson(MONEY_OUT_KINDS, null))
}

async function* readAdjustments(snapshot: Snapshot, month: LedgerMonth): AsyncGenerator<StatementLines> {
  const { withheld, countAdjustments } = month.figures
  const adjusting = await readSeqs(snapshot, ADJUSTING_SEQS, {
    count: countAdjustments - withheld,
    most: month.heldSeqs,
    values: queryValues(month, month.figures.range),
  })
  // A reservation that never became a payout is among those that reserved money.
  const seqs = withheld > 0 ? mergeSeqs(adjusting, await readReservingSeqs(snapshot, month)) : adjusting
  const windows = chooseWindows(month, seqs, { slice: ADJUSTMENTS_AT_ONCE, lines: countAdjustments })
  const askFor = ({ among, ...window }: SeqWindow) =>
    snapshot.ask(ADJUSTMENTS, [...queryValues(month, window), withheld > 0, among])
  for await (const [written] of readAhead(snapshot, windows, askFor)) {
    assert(written, 'an aggregate is one row')
    yield { lines: Buffer.from(written.lines ?? ''), count: written.count, giftCards: 0 }
  }
}

function readReservingSeqs(snapshot: Snapshot, month: LedgerMonth): Promise<Seqs> {
  const { range, countOut, withheld } = month.figures
  const count = countOut + withheld
  return readSeqs(snapshot, RESERVING_SEQS, {
    count,
    most: month.heldSeqs,
    values: queryValues(month, range),
  })
}

/** The values of `WITHIN` for an ordinary query; a COPY takes dates. */
const queryValues = (month: LedgerMonth, range: SeqRange) =>
  windowValues(month, range).map((value) => (value instanceof Date ? formatSqlTime(value) : value))

/** Writes rows as lines, few enough at a time that other work waits only for a moment. */
async function* writeLines(rows: AsyncIterable<Buffer>, json: RowsAsJson): AsyncGenerator<StatementLines> {
  const takeLines = () => {
    const { lines, count, sum } = json.take()
    return { lines, count, giftCards: sum }
  }
  for await (const block of rows) {
    json.add(block)
    if (json.waiting < LINES_AT_ONCE) continue
    yield takeLines()
    await letOthersRun()
  }
  yield takeLines()
}

type WindowQuery = { statement: Statement; values: readonly CopyLiteral[] }

/** Reads the rows of each of these windows, in blocks. */
async function* readWindowRows<Window>(
  snapshot: SnapshotCopies & SnapshotParallelism,
  windows: Generator<Window, void>,
  questionOf: (window: Window) => WindowQuery,
): AsyncGenerator<Buffer> {
  // Buffers of windows that have been used, for the next ones.
  const memories: Buffer[][] = []
  const read = async (window: Window) => {
    const memory = memories.pop() ?? []
    const { statement, values } = questionOf(window)
    return { memory, blocks: await snapshot.copy(statement, values, memory) }
  }
  for await (const { blocks, memory } of readAhead(snapshot, windows, read)) {
    yield* blocks
    memories.push(memory)
  }
}

/** These transfers of the month in pieces; where `seqs` is null, windows of all transfers. */
function* chooseWindows(
  month: LedgerMonth,
  seqs: Seqs,
  { slice, lines }: { slice: SliceSize; lines: number },
): Generator<SeqWindow, void> {
  if (seqs !== null) yield* sliceSeqs(seqs, slice)
  else for (const window of windowsForLines(month, lines)) yield { ...window, among: null }
}

/** Splits the month into windows, sized by how many lines the section has. */
function windowsForLines({ figures: { range } }: LedgerMonth, lines: number): Generator<SeqRange> {
  const sparseSize = Math.ceil(((range.end - range.first) * WINDOW_SIZE.lines) / lines)
  const size = Math.min(Math.max(sparseSize, WINDOW_SIZE.least), WINDOW_SIZE.most)
  return splitRange(range, () => size)
}
