import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import { type ListSelection, readInPieces } from '../../api/http/lists/list-pieces.ts'
import { countRows } from '../../api/http/lists/list-totals.ts'
import type { ListedRow } from '../../api/http/lists/lists.ts'
import { type ReportTurn, reportTurns } from '../../platform/batches/report-turns.ts'
import { statement } from '../../platform/db/statement.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import { CSV_BOM, formatCsvLines } from '../../platform/text/csv-text.ts'
import { kampalaIso } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { withSnapshot } from '../statement/snapshot.ts'

/** For whom a file is: people read our words and Kampala's clock, programs the names and states of the API. */
export type FileReader = 'people' | 'programs'
/** What a list is filtered by, and for whom its file is. */
export type ExportRequest<Filter> = { filter: Filter; reader: FileReader }

/** One column of a file: its name in the first line, and its value for a row. Times are written in Kampala's time. */
export type CsvColumn<Row> = { name: string; cell(row: Row): string | number | boolean | Date | null }

/** The list to export: its name, its columns, and how its rows are read. */
type ExportInput<Row> = {
  list: string
  columns: readonly CsvColumn<Row>[]
  reading: ListSelection<Row>
}

const ROWS_A_PIECE = 1000

// A keyset is read in the order of its index; each piece is planned with its own bounds, so that a bound is never a guess.
const PLANS = statement(
  'plans of exports',
  `select set_config(name, value, true) from (values ('enable_seqscan', 'off'), ('enable_bitmapscan', 'off'), ('jit', 'off'),
     ('plan_cache_mode', 'force_custom_plan')) s (name, value)`,
)

/**
 * Exports a filtered list as a CSV file, in the turn of its merchant: the rows of one snapshot, in pieces, so that its length costs no
 * memory. The audit row is written before the first row is read.
 */
export async function exportRows<Row extends ListedRow>(
  app: App,
  caller: Caller,
  exported: ExportInput<Row>,
): Promise<DocumentStream> {
  allow(caller, 'export')
  const { merchantId, mode } = caller
  const { list, columns, reading } = exported
  const at = app.clock.now()
  await writeInTransaction(app.db, [
    auditRow({
      actor: caller,
      action: 'export',
      at,
      merchantId,
      mode,
      subject: list,
      after: presentFilters(reading),
    }),
  ])
  let turn: ReportTurn | null = null
  return {
    headers: { 'Content-Type': 'text/csv; charset=utf-8' },
    async write(reader) {
      // A file of few rows never waits behind one of many.
      const { more } = await countRows(app, caller, reading)
      turn = await reportTurns(app).enter({
        merchantId,
        size: more ? 'large' : 'small',
        isGone: reader.isGone,
      })
      const writing = withSnapshot(
        app.db,
        async ({ ask }) => {
          await reader.write(headerLine(columns))
          const pieces = readInPieces(ask, caller, { reading, rows: ROWS_A_PIECE })
          for await (const rows of pieces) await reader.write(csvRows(columns, rows))
        },
        PLANS,
      )
      await writing.finally(turn.markMade)
    },
    cut: () => {},
    done: () => turn?.markSent(),
  }
}

/** Puts the columns that files have always had into their order: programs count them. New ones come last. */
export function orderColumns<Row>(columns: readonly CsvColumn<Row>[], first: readonly string[]): CsvColumn<Row>[] {
  const position = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length)
  return columns.toSorted((a, b) => position(a.name) - position(b.name))
}

const csvRows = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  formatCsvLines(rows.map((row) => columns.map(({ cell }) => cellText(cell(row)))))

function cellText(value: string | number | boolean | Date | null) {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value instanceof Date ? kampalaIso(value) : value
}

/** A whole file of rows that are in memory. */
export const formatCsv = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  `${headerLine(columns)}${csvRows(columns, rows)}`

const headerLine = <Row>(columns: readonly CsvColumn<Row>[]): string =>
  `${CSV_BOM}${formatCsvLines([columns.map(({ name }) => name)])}`

/** The filters of a list as the audit keeps them. */
function presentFilters<Row>({ window }: ListSelection<Row>): Record<string, string> {
  const { limit: _limit, startingAfter: _after, endingBefore: _before, ...filters } = window
  return Object.fromEntries(
    Object.entries<unknown>(filters).flatMap(([name, value]) =>
      value === null || value === false ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
    ),
  )
}
