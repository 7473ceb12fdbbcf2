import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { MerchantMode, Mode } from '../platform/mode.ts'
import type { FloorAccount, TransferKind } from './accounts.ts'

/** One transfer that touches an account of a merchant. Whole UGX; `change` is negative where money leaves; `after` is the balance after it. */
export type LedgerLine = {
  seq: number
  kind: TransferKind
  subject: string
  debit: string
  credit: string
  amount: number
  at: Date
  change: number
  after: number
}

/** Lines, newest first, and the numbers at which the newer and the older page begin; null where there is no such page. */
export type LedgerPage = { lines: LedgerLine[]; newer: number | null; older: number | null }

/** Selects the lines of one account that are older or newer than a number, or the newest ones. */
type LedgerWindow = { account: FloorAccount; olderThan?: number; newerThan?: number; limit: number }

// A page scans no more transfers than this. Where few of them touch the account the page is short, and the next one goes on from there.
const MAX_TRANSFERS_SCANNED = 2000

type Row = Omit<LedgerLine, 'change' | 'after'>
type ScannedRow = { [Name in keyof Row]: Row[Name] | null } & { looked: number; end: number | null }

const scanStatement = (name: string, beyond: string, order: 'asc' | 'desc', end: 'min' | 'max') =>
  statement<ScannedRow>(
    name,
    `with looked as materialized (
       select seq, kind, subject, debit, credit, amount, at from transfers
       where merchant_id = $1 and mode = $2 and ${beyond} order by seq ${order} limit $4)
     select s.looked, s."end", l.* from (select count(*)::int as looked, ${end}(seq) as "end" from looked) s
     left join lateral (select * from looked where $5 in (debit, credit) order by seq ${order} limit $6) l on true`,
  )
const OLDER = scanStatement('older ledger lines', 'seq < $3', 'desc', 'min')
const NEWER = scanStatement('newer ledger lines', 'seq > $3', 'asc', 'max')
const ABOVE_EVERY_SEQ = '9223372036854775807'

// The newest checkpoint up to there plus the transfers after it, which are few because checkpoints are frequent.
const BALANCE_AT = statement<{ balance: number }>(
  'balance of an account at a transfer',
  `with checkpoint as (
     select seq, coalesce((balances->>$4)::bigint, 0) as balance from ledger_checkpoints
     where merchant_id = $1 and mode = $2 and seq <= $3 order by seq desc limit 1)
   select coalesce((select balance from checkpoint), 0) + coalesce((
     select sum(case when credit = $4 then amount else 0 end - case when debit = $4 then amount else 0 end) from transfers
     where merchant_id = $1 and mode = $2 and seq <= $3 and seq > coalesce((select seq from checkpoint), 0)
       and $4 in (debit, credit)), 0)::bigint as balance`,
)

/** Reads one page of the transfers of an account with its running balance. Its cost does not grow with the history. */
export async function readLedgerLines(
  db: Database,
  { merchantId, mode }: MerchantMode,
  { account, olderThan, newerThan, limit }: LedgerWindow,
): Promise<LedgerPage> {
  const forward = newerThan !== undefined
  const from = newerThan ?? olderThan ?? ABOVE_EVERY_SEQ
  const values = [merchantId, mode, from, MAX_TRANSFERS_SCANNED, account, limit + 1]
  const scanned = await db.query(forward ? NEWER : OLDER, values)
  const matches = scanned.filter((row): row is ScannedRow & Row => row.seq !== null)
  const page = matches.slice(0, limit)
  // There are more lines on hand, or there may be some beyond the transfers that were scanned.
  const more = matches.length > limit || (scanned[0]?.looked ?? 0) === MAX_TRANSFERS_SCANNED
  const end = matches.length > limit ? (page.at(-1)?.seq ?? null) : (scanned[0]?.end ?? null)
  const rows = forward ? page.reverse() : page
  const lines = rows.length === 0 ? [] : await withBalance(db, { merchantId, mode, account }, rows)
  if (forward) return { lines, newer: more ? end : null, older: lines.at(-1)?.seq ?? newerThan + 1 }
  return { lines, newer: newerCursor(olderThan, lines), older: more ? end : null }
}

/** An older page always has a newer one beside it: the page from which it was reached. */
function newerCursor(olderThan: number | undefined, lines: readonly LedgerLine[]): number | null {
  return olderThan === undefined ? null : (lines[0]?.seq ?? olderThan - 1)
}

type AccountKey = { merchantId: number; mode: Mode; account: FloorAccount }

async function withBalance(
  db: Database,
  { merchantId, mode, account }: AccountKey,
  rows: readonly Row[],
): Promise<LedgerLine[]> {
  const [newest] = await db.query(BALANCE_AT, [merchantId, mode, rows[0]?.seq, account])
  let after = newest?.balance ?? 0
  return rows.map(({ seq, kind, subject, debit, credit, amount, at }) => {
    const change = (credit === account ? amount : 0) - (debit === account ? amount : 0)
    const line = { seq, kind, subject, debit, credit, amount, at, change, after }
    after -= change
    return line
  })
}
