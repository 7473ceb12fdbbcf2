import { assert } from '../../platform/assert.ts'
import type { Literal } from '../../platform/db/copy-out.ts'
import { RowsAsJson } from '../../platform/db/rows-as-json.ts'
import { sqlTime } from '../../platform/db/sql-time.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { letOthersRun } from '../../platform/let-others-run.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { Sum } from '../../platform/sums.ts'
import { ADJUSTMENTS } from './adjustments.ts'
import { withCovered } from './covered.ts'
import type { Figures } from './figures.ts'
import { inAdvance, windowsOf } from './in-advance.ts'
import { GIFT_CARD, MONEY_IN, MONEY_IN_KINDS } from './money-in.ts'
import { MONEY_OUT, MONEY_OUT_KINDS } from './money-out.ts'
import type { Period } from './period.ts'
import type { SeqRange } from './range.ts'
import {
  ADJUSTING,
  bothOf,
  type Chosen,
  RESERVING,
  readSeqs,
  type Seqs,
  type Slice,
  slicesOf,
} from './seqs.ts'
import type { Copied, Doubled, Snapshot } from './snapshot.ts'
import { windowOf } from './window.ts'

/** The three lists of a statement. */
export type Section = 'money_in' | 'money_out' | 'adjustments'
export const SECTIONS: readonly Section[] = ['money_in', 'money_out', 'adjustments']

/**
 * Lines as JSON objects separated by commas; the bytes are valid until the next lines are asked for. `giftCards` is 0 except in money_in.
 */
export type Lines = { lines: Buffer; count: number; giftCards: Sum }

/** The month whose lines are asked for. */
export type Month = {
  ledger: MerchantMode
  period: Period
  complete: boolean
  figures: Figures
  /** The largest number of transfers of a list whose numbers may be held in memory. */
  heldSeqs: number
}

// The size of a window in transfers: small where lines are dense, larger where they are sparse. Even if every transfer were
// a line, a window would be a few megabytes.
const WINDOW = { least: 16_000, most: 32_000, lines: 8000 }
// Transfers whose numbers are known are looked up in pieces. Payouts are read by time as well, hence the span.
const ADJUSTMENTS_AT_ONCE = { most: 2000, span: Number.POSITIVE_INFINITY }
const PAYOUTS_AT_ONCE = { most: 4000, span: 64_000 }
// Writing so many takes a fraction of a millisecond; then other work gets its turn.
const LINES_AT_ONCE = 100

/**
 * Reads the lines of one section in the order of posting, some hundred at a time; the next few thousand are read while the last ones are
 * used. No more of the month is ever in memory.
 */
export async function* linesOf(snapshot: Snapshot, month: Month, section: Section): AsyncGenerator<Lines> {
  const expected = expectedOf(month, section)
  if (expected === 0) return
  let count = 0
  for await (const lines of piecesOf(snapshot, month, section)) {
    count += lines.count
    if (lines.count > 0) yield lines
  }
  assert(count === expected, `${section} has as many lines as were counted before`)
}

function expectedOf({ figures }: Month, section: Section): number {
  switch (section) {
    case 'money_in':
      return figures.countIn
    case 'money_out':
      return figures.countOut
    case 'adjustments':
      return figures.countAdjustments
  }
}

function piecesOf(snapshot: Snapshot, month: Month, section: Section): AsyncGenerator<Lines> {
  switch (section) {
    case 'money_in':
      return moneyInOf(snapshot, month)
    case 'money_out':
      return moneyOutOf(snapshot, month)
    case 'adjustments':
      return adjustmentsOf(snapshot, month)
  }
}

function moneyInOf(snapshot: Snapshot, month: Month): AsyncGenerator<Lines> {
  const { countIn, covered } = month.figures
  const windows = windowsFor(month, countIn - covered)
  const posted = rowsOf(snapshot, windows, (window) => ({
    statement: MONEY_IN,
    values: windowOf(month, window),
  }))
  const rows = covered > 0 ? withCovered(snapshot, month, posted) : posted
  return written(rows, new RowsAsJson(MONEY_IN_KINDS, GIFT_CARD))
}

async function* moneyOutOf(snapshot: Snapshot, month: Month): AsyncGenerator<Lines> {
  const { complete, period, figures } = month
  const reserving = await readReserving(snapshot, month)
  const windows = chosenOf(month, reserving, { slice: PAYOUTS_AT_ONCE, lines: figures.countOut })
  const rows = rowsOf(snapshot, windows, (window) => ({
    statement: MONEY_OUT,
    values: [...windowOf(month, window), complete ? period.end : null, window.among],
  }))
  yield* written(rows, new RowsAsJson(MONEY_OUT_KINDS, null))
}

async function* adjustmentsOf(snapshot: Snapshot, month: Month): AsyncGenerator<Lines> {
  const { withheld, countAdjustments } = month.figures
  const adjusting = await readSeqs(snapshot, ADJUSTING, {
    count: countAdjustments - withheld,
    most: month.heldSeqs,
    values: askedOf(month, month.figures.range),
  })
  // A reservation that never became a payout is among those that reserved money.
  const seqs = withheld > 0 ? bothOf(adjusting, await readReserving(snapshot, month)) : adjusting
  const windows = chosenOf(month, seqs, { slice: ADJUSTMENTS_AT_ONCE, lines: countAdjustments })
  const askFor = ({ among, ...window }: Chosen) =>
    snapshot.ask(ADJUSTMENTS, [...askedOf(month, window), withheld > 0, among])
  for await (const [written] of inAdvance(snapshot, windows, askFor)) {
    assert(written, 'an aggregate is one row')
    yield { lines: Buffer.from(written.lines ?? ''), count: written.count, giftCards: 0 }
  }
}

function readReserving(snapshot: Snapshot, month: Month): Promise<Seqs> {
  const { range, countOut, withheld } = month.figures
  const count = countOut + withheld
  return readSeqs(snapshot, RESERVING, { count, most: month.heldSeqs, values: askedOf(month, range) })
}

/** The values of `WITHIN` for an ordinary query; a COPY takes dates. */
const askedOf = (month: Month, range: SeqRange) =>
  windowOf(month, range).map((value) => (value instanceof Date ? sqlTime(value) : value))

/** Writes rows as lines, few enough at a time that other work waits only for a moment. */
async function* written(rows: AsyncIterable<Buffer>, json: RowsAsJson): AsyncGenerator<Lines> {
  const takeLines = () => {
    const { lines, count, sum } = json.taken()
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

type Question = { statement: Statement; values: readonly Literal[] }

/** Reads the rows of each of these windows, in blocks. */
async function* rowsOf<Window>(
  snapshot: Copied & Doubled,
  windows: Generator<Window, void>,
  questionOf: (window: Window) => Question,
): AsyncGenerator<Buffer> {
  // Buffers of windows that have been used, for the next ones.
  const memories: Buffer[][] = []
  const read = async (window: Window) => {
    const memory = memories.pop() ?? []
    const { statement, values } = questionOf(window)
    return { memory, blocks: await snapshot.copy(statement, values, memory) }
  }
  for await (const { blocks, memory } of inAdvance(snapshot, windows, read)) {
    yield* blocks
    memories.push(memory)
  }
}

/** These transfers of the month in pieces; where `seqs` is null, windows of all transfers. */
function* chosenOf(
  month: Month,
  seqs: Seqs,
  { slice, lines }: { slice: Slice; lines: number },
): Generator<Chosen, void> {
  if (seqs !== null) yield* slicesOf(seqs, slice)
  else for (const window of windowsFor(month, lines)) yield { ...window, among: null }
}

/** Splits the month into windows, sized by how many lines the section has. */
function windowsFor({ figures: { range } }: Month, lines: number): Generator<SeqRange> {
  const sparseSize = Math.ceil(((range.end - range.first) * WINDOW.lines) / lines)
  const size = Math.min(Math.max(sparseSize, WINDOW.least), WINDOW.most)
  return windowsOf(range, () => size)
}
