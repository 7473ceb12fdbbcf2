import { formatSqlTime } from '../../platform/db/sql-time.ts'
import { statement } from '../../platform/db/statement.ts'
import { endOfRow, rowTimeAt } from '../../platform/db/wire/binary-rows.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { LedgerMonth } from './lines.ts'
import { COVERED_COLUMNS } from './money-in.ts'
import type { StatementPeriod } from './period.ts'
import type { SnapshotCopies, SnapshotQueries } from './snapshot.ts'

// Charges that a gift card covers in full have no transfer. They have their own index, which is empty for most merchants.
const COVERED = `merchant_id = $1 and mode = $2 and amount = gift_card_amount and completed_at >= $3 and completed_at < $4`

const COUNT = statement<{ count: number }>(
  'covered charges of a statement',
  `select count(*) as count from charges where ${COVERED}`,
)

// The next page: from the last time on, skipping the rows of that time that earlier pages had.
const PAGE = statement(
  'lines of covered charges of a statement',
  `select completed_at, ${COVERED_COLUMNS} from charges where ${COVERED} order by completed_at, id offset $5 limit $6`,
)
// The rows of a page are written as lines at once.
const PAGE_ROWS = 1000

/** Counts the charges of the month that gift cards covered in full. */
export async function countCovered(
  snapshot: SnapshotQueries,
  { merchantId, mode }: MerchantMode,
  { start, end }: StatementPeriod,
): Promise<number> {
  const [row] = await snapshot.ask(COUNT, [merchantId, mode, formatSqlTime(start), formatSqlTime(end)])
  return row?.count ?? 0
}

/**
 * Merges the covered charges of the month into the posted ones: each stands before the first posted charge, in the order of numbers, that
 * has a later time. Numbers are nearly in the order of time, so the latest time so far decides. Yields pieces of whole rows.
 */
export async function* withCovered(
  snapshot: SnapshotCopies,
  month: Pick<LedgerMonth, 'ledger' | 'period'>,
  posted: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const covered = await openCovered(snapshot, month)
  let latest = Number.NEGATIVE_INFINITY
  for await (const rows of posted) {
    let begun = 0
    for (let at = 0; at < rows.length; at = endOfRow(rows, at)) {
      latest = Math.max(latest, rowTimeAt(rows, at))
      if (covered.next() >= latest) continue
      yield rows.subarray(begun, at)
      yield* covered.before(latest)
      begun = at
    }
    yield rows.subarray(begun)
  }
  yield* covered.before(Number.POSITIVE_INFINITY)
}

/** Reads the covered charges of the month in the order of time and id, one page at a time. */
async function openCovered({ copy }: SnapshotCopies, { ledger, period }: Pick<LedgerMonth, 'ledger' | 'period'>) {
  const since = { time: period.start, skipped: 0 }
  let rows: Buffer = Buffer.alloc(0)
  let at = 0
  const next = () => (at < rows.length ? rowTimeAt(rows, at) : Number.POSITIVE_INFINITY)

  async function turn(): Promise<void> {
    const { merchantId, mode } = ledger
    const page = [merchantId, mode, since.time, period.end, since.skipped, PAGE_ROWS] as const
    rows = Buffer.concat(await copy(PAGE, page))
    for (at = 0; at < rows.length; at = endOfRow(rows, at)) {
      // A value of a COPY is no finer than a millisecond, so `skipped` counts all rows of that millisecond.
      const time = new Date(Math.floor(rowTimeAt(rows, at)))
      since.skipped = time.getTime() === since.time.getTime() ? since.skipped + 1 : 1
      since.time = time
    }
    at = 0
  }
  async function* before(time: number): AsyncGenerator<Buffer> {
    while (next() < time) {
      const begun = at
      while (next() < time) at = endOfRow(rows, at)
      yield rows.subarray(begun, at)
      if (at === rows.length) await turn()
    }
  }
  await turn()
  return { next, before }
}
