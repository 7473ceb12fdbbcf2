import type { Metadata } from '../../api/http/bodies/metadata.ts'
import type { FloorAccount, TransferKind } from '../../ledger/accounts.ts'
import { formatSqlTime } from '../../platform/db/sql-time.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { addSums, type ExactSum } from '../../platform/sums.ts'
import type { StatementPeriod } from '../statement/period.ts'
import { findMonthRange, type SeqRange } from '../statement/range.ts'
import { splitRange } from '../statement/read-ahead.ts'
import type { SnapshotQueries } from '../statement/snapshot.ts'
import { WITHIN } from '../statement/window.ts'

/** A transfer that changes a balance, with what is known of its payment. Whole UGX. */
export type LedgerRow = {
  at: Date
  kind: TransferKind
  subject: string
  change: number
  reference: string | null
  /** The operator's number of the payment, which stands in the customer's SMS. */
  operatorNumber: string | null
  channel: string | null
  phone: string | null
  name: string | null
  /** Of a payment received: what the customer paid, what of it gift cards paid, and its fee; of a payout what arrives, and its fee. */
  amount: number | null
  giftCard: number | null
  fee: number | null
  /** What staff told about a correction. */
  note: string | null
  /** Why a payout came back. */
  failure: string | null
  /** Whether `readMetadata` has some for its payment. */
  hasMetadata: boolean
}

/** The balances whose sum a file runs through. */
export type LedgerAccounts = readonly FloorAccount[]

// So many transfers are read and written in some ten milliseconds, payments beside them.
const TRANSFERS_AT_ONCE = 2000
const SUMMED_AT_ONCE = 20_000

const CHECKPOINT = statement<{ seq: number; balance: ExactSum }>(
  'checkpoint before days of a ledger',
  `select seq, (select coalesce(sum((balances->>account)::bigint), 0)::bigint from unnest($4::text[]) account) as balance
   from ledger_checkpoints where merchant_id = $1 and mode = $2 and seq < $3 order by seq desc limit 1`,
)
const changeOf = (accounts: string) =>
  `(case when t.credit = any(${accounts}::text[]) then t.amount else 0 end - case when t.debit = any(${accounts}::text[]) then t.amount else 0 end)`
const CHANGES_BEFORE = statement<{ change: ExactSum }>(
  'changes before days of a ledger',
  `select coalesce(sum(${changeOf('$6')}), 0)::bigint as change from transfers t
   where t.merchant_id = $1 and t.mode = $2 and t.seq >= $3 and t.seq < $4 and t.at < $5`,
)
// `offset 0` keeps each look-up a look-up: as an ordinary join it would read all rows of the merchant.
const lookUp = (columns: string, table: string, which: string) =>
  `lateral (select ${columns} from ${table} r where r.merchant_id = $1 and r.id = t.subject and ${which} offset 0)`
const PAYMENT_COLUMNS =
  'r.reference, r.rail_transaction_id, r.channel, r.amount, r.fee, r.metadata is not null as has_metadata'
const ROWS = statement<LedgerRow>(
  'rows of days of a ledger',
  `select t.at, t.kind, t.subject, ${changeOf('$7')} as change, coalesce(c.reference, p.reference) as reference,
     coalesce(c.rail_transaction_id, p.rail_transaction_id, u.rail_transaction_id) as "operatorNumber",
     coalesce(c.channel, p.channel, u.channel) as channel, coalesce(c.phone, p.recipient_phone, u.phone) as phone,
     p.recipient_name as name, coalesce(c.amount, p.amount) as amount, c.gift_card_amount as "giftCard", coalesce(c.fee, p.fee) as fee,
     d.told as note, p.failure_reason as failure, coalesce(c.has_metadata, p.has_metadata, false) as "hasMetadata"
   from transfers t
     left join ${lookUp(`${PAYMENT_COLUMNS}, r.phone, r.gift_card_amount`, 'charges', `r.published and t.kind like 'charge%'`)} c on true
     left join ${lookUp(`${PAYMENT_COLUMNS}, r.recipient_phone, r.recipient_name, r.failure_reason`, 'payouts', `r.published and t.kind like '%payout%'`)} p on true
     left join ${lookUp('r.rail_transaction_id, r.channel, r.phone', 'top_ups', `t.kind = 'top_up'`)} u on true
     left join ${lookUp('r.told', 'adjustments', `t.kind like 'correction%'`)} d on true
   where ${WITHIN} and ${changeOf('$7')} <> 0 order by t.seq`,
)

const METADATA = statement<{ id: string; metadata: Metadata }>(
  'metadata of rows of a ledger',
  `select id, metadata from charges where merchant_id = $1 and id = any($2::text[]) and metadata is not null
   union all select id, metadata from payouts where merchant_id = $1 and id = any($2::text[]) and metadata is not null`,
)

/** The days whose transfers are read, as a range of numbers and of times. */
type LedgerDays = { ledger: MerchantMode; period: StatementPeriod; accounts: LedgerAccounts; range: SeqRange }

export const findLedgerDays = async (
  snapshot: SnapshotQueries,
  { ledger, period, accounts }: Omit<LedgerDays, 'range'>,
): Promise<LedgerDays> => ({ ledger, period, accounts, range: await findMonthRange(snapshot, ledger, period) })

/** Reads the sum of the balances before the first moment of the days. */
export async function readOpening(snapshot: SnapshotQueries, days: LedgerDays): Promise<ExactSum> {
  const { ledger, period, accounts, range } = days
  const own = [ledger.merchantId, ledger.mode]
  const [checkpoint] = await snapshot.ask(CHECKPOINT, [...own, range.first, accounts])
  let opening = checkpoint?.balance ?? 0
  const before = { first: (checkpoint?.seq ?? 0) + 1, end: range.end }
  for (const { first, end } of splitRange(before, () => SUMMED_AT_ONCE)) {
    const [sum] = await snapshot.ask(CHANGES_BEFORE, [...own, first, end, formatSqlTime(period.start), accounts])
    opening = addSums(opening, sum?.change ?? 0)
  }
  return opening
}

/** Reads the transfers of the days that change one of the balances, some thousand at a time, in the order of posting. */
export async function* readLedgerRows(snapshot: SnapshotQueries, days: LedgerDays): AsyncGenerator<LedgerRow[]> {
  const { ledger, period, accounts, range } = days
  const times = [formatSqlTime(period.start), formatSqlTime(period.end)]
  for (const { first, end } of splitRange(range, () => TRANSFERS_AT_ONCE)) {
    const rows = await snapshot.ask(ROWS, [ledger.merchantId, ledger.mode, first, end, ...times, accounts])
    if (rows.length > 0) yield rows
  }
}

/** Reads the metadata of the payments of some rows, by their ids: of a payment it may be larger than all else, so that few are read at once. */
export async function readMetadata(
  snapshot: SnapshotQueries,
  { merchantId }: MerchantMode,
  rows: readonly LedgerRow[],
): Promise<ReadonlyMap<string, Metadata>> {
  const ids = new Set(rows.filter(({ hasMetadata }) => hasMetadata).map(({ subject }) => subject))
  const found = ids.size === 0 ? [] : await snapshot.ask(METADATA, [merchantId, [...ids]])
  return new Map(found.map(({ id, metadata }) => [id, metadata]))
}
