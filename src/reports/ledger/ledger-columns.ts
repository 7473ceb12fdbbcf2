import { metadataCell } from '../../api/http/bodies/metadata.ts'
import type { TransferKind } from '../../ledger/accounts.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { SheetCell, SheetColumn } from '../../platform/spreadsheets/write-workbook.ts'
import { addSums, type ExactSum } from '../../platform/sums.ts'
import type { StatementPeriod } from '../statement/period.ts'
import type { SnapshotQueries } from '../statement/snapshot.ts'
import { failureWords } from '../words/failures.ts'
import {
  findLedgerDays,
  type LedgerAccounts,
  type LedgerRow,
  readLedgerRows,
  readMetadata,
  readOpening,
} from './ledger-rows.ts'

type ColumnName =
  | 'at'
  | 'what'
  | 'reference'
  | 'operatorNumber'
  | 'channel'
  | 'phone'
  | 'name'
  | 'amount'
  | 'giftCard'
  | 'fee'
  | 'in'
  | 'out'
  | 'balance'
  | 'note'
  | 'id'
  | 'metadata'

/** The words of a file for people. Kinds and channels without a word are written as they are. */
export type LedgerWords = {
  sheet: string
  opening: string
  closing: string
  columns: Readonly<Record<ColumnName, string>>
  kinds: Readonly<Partial<Record<TransferKind, string>>>
  channels: Readonly<Record<string, string>>
}

type LedgerColumn = { name: ColumnName; width: number; kind: SheetColumn['kind'] }

/** The columns of a file, in their order. */
export const LEDGER_COLUMNS: readonly LedgerColumn[] = [
  { name: 'at', width: 20, kind: 'time' },
  { name: 'what', width: 34, kind: 'text' },
  { name: 'reference', width: 22, kind: 'text' },
  { name: 'operatorNumber', width: 16, kind: 'text' },
  { name: 'channel', width: 14, kind: 'text' },
  { name: 'phone', width: 15, kind: 'text' },
  { name: 'name', width: 24, kind: 'text' },
  { name: 'amount', width: 13, kind: 'money' },
  { name: 'giftCard', width: 13, kind: 'money' },
  { name: 'fee', width: 11, kind: 'money' },
  { name: 'in', width: 13, kind: 'money' },
  { name: 'out', width: 13, kind: 'money' },
  { name: 'balance', width: 15, kind: 'money' },
  { name: 'note', width: 30, kind: 'text' },
  { name: 'id', width: 30, kind: 'text' },
  { name: 'metadata', width: 30, kind: 'text' },
]

// Writing so many takes some milliseconds; then other work gets its turn. Their metadata is in memory, at most some ten megabytes.
const ROWS_AT_ONCE = 200

type LedgerSelection = { ledger: MerchantMode; period: StatementPeriod; accounts: LedgerAccounts }

/** The cells of a file in pieces: the balance before the days, a row for each transfer with the balance after it, and the balance at the end. */
export async function* writeLedgerCells(
  snapshot: SnapshotQueries,
  selection: LedgerSelection,
  words: LedgerWords,
): AsyncGenerator<SheetCell[][]> {
  const days = await findLedgerDays(snapshot, selection)
  let balance = await readOpening(snapshot, days)
  yield [balanceRow(selection.period.start, words.opening, balance)]
  for await (const rows of readLedgerRows(snapshot, days))
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const piece = rows.slice(from, from + ROWS_AT_ONCE)
      const metadata = await readMetadata(snapshot, selection.ledger, piece)
      yield piece.map((row) => {
        balance = addSums(balance, row.change)
        const own = metadataCell(metadata.get(row.subject) ?? null)
        return toCells({ ...transferCells(row, balance, words), metadata: own })
      })
    }
  yield [balanceRow(new Date(selection.period.end.getTime() - 1), words.closing, balance)]
}

type Cells = Partial<Record<ColumnName, SheetCell>>

const toCells = (cells: Cells): SheetCell[] => LEDGER_COLUMNS.map(({ name }) => cells[name] ?? null)

const balanceRow = (at: Date, what: string, balance: ExactSum): SheetCell[] =>
  toCells({ at, what, balance: Number(balance) })

function transferCells(row: LedgerRow, balance: ExactSum, { kinds, channels }: LedgerWords): Cells {
  const { at, kind, subject, change, channel, phone } = row
  return {
    ...{ at, what: kinds[kind] ?? kind, reference: row.reference, operatorNumber: row.operatorNumber },
    ...{ channel: channel === null ? null : (channels[channel] ?? channel), phone, name: row.name },
    ...{ amount: row.amount, giftCard: row.giftCard || null, fee: row.fee },
    ...{ in: change > 0 ? change : null, out: change < 0 ? -change : null, balance: Number(balance) },
    ...{ note: row.note ?? failureWords('payout', row.failure)?.brief ?? null, id: subject },
  }
}
