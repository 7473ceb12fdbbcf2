import type { Caller } from '../../api/access/actor.ts'
import { allow, requireRole } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import { letOthersRun } from '../../platform/batches/let-others-run.ts'
import { statement } from '../../platform/db/statement.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import {
  type SheetCell,
  type SheetColumn,
  WORKBOOK_TYPE,
  writeWorkbook,
} from '../../platform/spreadsheets/write-workbook.ts'
import { CSV_BOM, formatCsvLines } from '../../platform/text/csv-text.ts'
import { kampalaClock } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { inReportTurn } from '../report-turn.ts'
import type { StatementPeriod } from '../statement/period.ts'
import { withSnapshot } from '../statement/snapshot.ts'
import { LEDGER_COLUMNS, type LedgerWords, writeLedgerCells } from './ledger-columns.ts'
import type { LedgerAccounts } from './ledger-rows.ts'

/** Days of the ledger as a file for people: which balances it runs through, and the words for it. */
export type LedgerFile = {
  period: StatementPeriod
  accounts: LedgerAccounts
  kind: 'csv' | 'xlsx'
  words: LedgerWords
}

export const LEDGER_FILE_TYPES = { csv: 'text/csv; charset=utf-8', xlsx: WORKBOOK_TYPE } as const
const OFFSET_MS = 3 * 3_600_000
// Each look-up goes by its index; each piece is planned with its own bounds.
const PLANS = statement(
  'plans of ledger files',
  `select set_config(name, value, true) from (values ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'),
     ('jit', 'off'), ('plan_cache_mode', 'force_custom_plan')) s (name, value)`,
)

/**
 * Exports days of the ledger with a running balance, from the balance before them to the one after: every transfer that changes the
 * balances, in the order of posting, of one snapshot and in pieces, so that its length costs no memory.
 */
export async function exportLedger(app: App, caller: Caller, file: LedgerFile): Promise<DocumentStream> {
  allow(caller, 'export')
  requireRole(caller, 'payouts.read')
  const { merchantId, mode } = caller
  const { period, accounts, kind } = file
  const after = { days: period.name, balance: accounts.join(' and '), kind }
  const audited = {
    actor: caller,
    action: 'export',
    at: app.clock.now(),
    merchantId,
    mode,
    subject: 'ledger',
    after,
  } as const
  await writeInTransaction(app.db, [auditRow(audited)])
  return streamLedger(app, caller, file)
}

/** The file itself, in the turn of its merchant. Whoever calls it has asked `allow`. */
export function streamLedger(app: App, caller: Caller, file: LedgerFile): DocumentStream {
  const { merchantId, mode } = caller
  const { period, accounts, kind } = file
  const stream: DocumentStream = {
    headers: { 'Content-Type': LEDGER_FILE_TYPES[kind] },
    write: (reader) =>
      withSnapshot(
        app.db,
        async (snapshot) => {
          const rows = writeLedgerCells(snapshot, { ledger: { merchantId, mode }, period, accounts }, file.words)
          for await (const piece of kind === 'csv' ? writeCsv(rows, file.words) : writeSheet(rows, file.words))
            await reader.write(piece)
        },
        PLANS,
      ),
    cut: (error) => app.log.error({ err: error, object_id: period.name }, 'a file of the ledger was cut'),
  }
  return inReportTurn(app, { caller, period }, stream)
}

type CellPieces = AsyncIterable<SheetCell[][]>

async function* writeCsv(pieces: CellPieces, words: LedgerWords): AsyncGenerator<string> {
  yield `${CSV_BOM}${formatCsvLines([LEDGER_COLUMNS.map(({ name }) => words.columns[name])])}`
  for await (const rows of pieces) {
    yield formatCsvLines(rows.map((cells) => cells.map(csvCell)))
    await letOthersRun()
  }
}

const csvCell = (cell: SheetCell) => (cell instanceof Date ? kampalaClock(cell) : cell)

async function* writeSheet(pieces: CellPieces, words: LedgerWords): AsyncGenerator<Uint8Array> {
  const columns: SheetColumn[] = LEDGER_COLUMNS.map(({ name, width, kind }) => ({
    title: words.columns[name],
    width,
    kind,
  }))
  yield* writeWorkbook({ name: words.sheet, columns }, eachRow(pieces))
}

async function* eachRow(pieces: CellPieces): AsyncGenerator<SheetCell[]> {
  for await (const rows of pieces) {
    for (const cells of rows) yield cells.map(sheetCell)
    await letOthersRun()
  }
}

/** A workbook knows no time zones: it shows Kampala's clock. */
const sheetCell = (cell: SheetCell): SheetCell => (cell instanceof Date ? new Date(cell.getTime() + OFFSET_MS) : cell)
