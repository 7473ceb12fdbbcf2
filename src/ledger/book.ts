import { assert } from '../platform/assert.ts'
import { toColumns } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { TryLater } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import { bigint, copyInto, mode, text, time } from '../platform/db/wire/copy.ts'
import { count } from '../platform/log/measures.ts'
import { type MerchantMode, type Mode, merchantModeKey } from '../platform/mode.ts'
import { isFloorAccount, type LedgerAccount, type TransferKind } from './accounts.ts'
import { type SubaccountHead, subaccountBook } from './subaccount-heads.ts'

/** The row with all balances of one merchant and mode that must not go below zero; locked before it is changed. Whole UGX. */
export type LedgerHead = {
  merchantId: number
  mode: Mode
  available: number
  pending: number
  in_flight: number
  seq: number
  payoutsPausedBy: string | null
  payoutsFrozenFor: string | null
  closedUntil: Date | null
}

/** One transfer that a rule has decided, in whole UGX. A posting of 0 writes nothing. `subject` is the public id it belongs to. */
export type Posting = {
  merchantId: number
  mode: Mode
  kind: TransferKind
  subject: string
  debit: LedgerAccount
  credit: LedgerAccount
  amount: number
}

/** The month of `at` was closed while the transaction waited: run the transaction again with a new time. */
export class MonthClosed extends TryLater {}

const MAX_ATTEMPTS = 3

/** Runs a transaction, and up to twice more with a new time when its month was closed while it waited. Then throws MonthClosed. */
export async function inOpenMonth<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof MonthClosed) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** The money of one transaction: the locked heads and the transfers decided on them. */
export type Book = {
  head(merchantId: number, mode: Mode): LedgerHead
  /** The locked head of a subaccount. */
  subaccountHead(merchantId: number, mode: Mode, subaccountId: string): SubaccountHead
  /** Applies the posting to the locked head and numbers it. Asserts that no balance goes below zero: the caller checks first. */
  post(posting: Posting): void
  /** Writes everything posted: one statement for the heads, one for the transfers, one for the heads of subaccounts. */
  writes(): Call[]
}

const LOCK_HEADS = statement<LedgerHead>(
  'lock ledger heads',
  `select h.merchant_id as "merchantId", h.mode, h.available, h.pending, h.in_flight, h.seq,
     h.payouts_paused_by as "payoutsPausedBy", h.payouts_frozen_for as "payoutsFrozenFor",
     nullif(h.closed_until, '-infinity') as "closedUntil"
   from ledger_heads h
   where (h.merchant_id, h.mode) in (select * from unnest($1::bigint[], $2::mode[]))
   order by h.merchant_id, h.mode for no key update of h`,
)

const WRITE_HEADS = statement(
  'write ledger heads',
  `update ledger_heads h set available = n.available, pending = n.pending, in_flight = n.in_flight, seq = n.seq
   from unnest($1::bigint[], $2::mode[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
     as n (merchant_id, mode, available, pending, in_flight, seq)
   where h.merchant_id = n.merchant_id and h.mode = n.mode`,
)

const TRANSFERS = copyInto<NumberedPosting>('add transfers', 'transfers', {
  merchant_id: bigint(({ posting }) => posting.merchantId),
  mode: mode(({ posting }) => posting.mode),
  seq: bigint(({ seq }) => seq),
  kind: text(({ posting }) => posting.kind),
  subject: text(({ posting }) => posting.subject),
  debit: text(({ posting }) => posting.debit),
  credit: text(({ posting }) => posting.credit),
  amount: bigint(({ posting }) => posting.amount),
  at: time(({ at }) => at),
})

const MAKE_HEADS = statement(
  'make ledger heads',
  `insert into ledger_heads (merchant_id, mode) select $1::bigint, m from unnest(enum_range(null::mode)) m on conflict do nothing`,
)

const FREEZE_HEAD = statement(
  'freeze ledger head',
  // A second freeze never ends before the first one; otherwise one person could end a freeze by freezing again.
  `update ledger_heads set payouts_frozen_for = $3, payouts_frozen_says = $4,
     payouts_frozen_at = case when $3::text is null then null when payouts_frozen_for is null then $5::timestamptz
       else coalesce(payouts_frozen_at, $5) end,
     payouts_frozen_until = case when $3::text is null then null when payouts_frozen_for is null then $6::timestamptz
       when payouts_frozen_until is null or $6 is null then null else greatest(payouts_frozen_until, $6) end
   where merchant_id = $1 and mode = $2`,
)
const LIFT_EXPIRED_FREEZE = statement<{ reason: string; until: Date }>(
  'thaw ledger head',
  `with over as (select merchant_id, mode, payouts_frozen_for, payouts_frozen_until from ledger_heads
     where merchant_id = $1 and mode = $2 and payouts_frozen_for is not null and payouts_frozen_until <= $3 for no key update)
   update ledger_heads h set payouts_frozen_for = null, payouts_frozen_says = null, payouts_frozen_at = null, payouts_frozen_until = null
   from over o where h.merchant_id = o.merchant_id and h.mode = o.mode
   returning o.payouts_frozen_for as reason, o.payouts_frozen_until as until`,
)
const EXPIRED_FREEZES = statement<{ merchantId: number }>(
  'freezes that are over',
  `select merchant_id as "merchantId" from ledger_heads where payouts_frozen_until <= $1 and mode = 'live'
   order by payouts_frozen_until limit 100`,
)

const PAUSE_HEADS = statement(
  'pause ledger heads',
  `update ledger_heads h set payouts_paused_by = coalesce(payouts_paused_by, (
     select id from exceptions e where e.merchant_id = h.merchant_id and e.mode = h.mode and severity = 'critical' and closed_at is null
     order by opened_at, id limit 1))
   where (h.merchant_id, h.mode) in (select * from unnest($1::bigint[], $2::mode[]))`,
)

const SET_PAUSE_FROM_OPEN_EXCEPTIONS = statement(
  'pause ledger head again',
  `update ledger_heads set payouts_paused_by = (
     select id from exceptions where merchant_id = $1 and mode = $2 and severity = 'critical' and closed_at is null
     order by opened_at, id limit 1)
   where merchant_id = $1 and mode = $2`,
)

/** Pauses the payouts of accounts that have an open critical exception in this mode; only its resolution lifts the pause (G69). */
export function pauseHeads(pairs: readonly MerchantMode[]): Call {
  const each = toColumns(pairs)
  return call(PAUSE_HEADS, ...each.numbers('merchantId'), ...each.modes('mode'))
}

/** After an exception was resolved: pauses the account for its oldest open critical exception, or lifts the pause. */
export const setPauseFromOpenExceptions = (merchantId: number, mode: Mode): Call =>
  call(SET_PAUSE_FROM_OPEN_EXCEPTIONS, merchantId, mode)

/** A freeze of an account's payouts: why, the message to its people, and when it ends by itself (null: never). */
type PayoutFreeze = { reason: string; message: string | null; at: Date; until: Date | null }

/** Freezes one account's payouts by a decision of our staff, or lifts the freeze (null). */
export const freezeHead = (merchantId: number, mode: Mode, freeze: PayoutFreeze | null): Call => {
  const times = [freeze?.at.toISOString() ?? null, freeze?.until?.toISOString() ?? null]
  return call(FREEZE_HEAD, merchantId, mode, freeze?.reason ?? null, freeze?.message ?? null, ...times)
}

/** Lifts the live freeze of an account if its time is over, and returns it; no row while it lasts. */
export const liftExpiredFreeze = (merchantId: number, now: Date): Call<{ reason: string; until: Date }> =>
  call(LIFT_EXPIRED_FREEZE, merchantId, 'live', now.toISOString())

/** The accounts, at most a hundred, whose freeze has expired but is not lifted yet. */
export const expiredFreezes = (now: Date): Call<{ merchantId: number }> => call(EXPIRED_FREEZES, now.toISOString())

/** Inserts the empty heads of a new merchant, one for each mode. */
export const makeHeads = (merchantId: number): Call => call(MAKE_HEADS, merchantId)

/** Locks the heads of these merchants and modes in the one order that every transaction uses, so that none deadlock. */
export function lockHeads(pairs: readonly MerchantMode[]): Call<LedgerHead> {
  const each = toColumns(pairs)
  return call(LOCK_HEADS, ...each.numbers('merchantId'), ...each.modes('mode'))
}

/**
 * Opens the book over locked heads, and over those of the subaccounts that it will touch. `at` is the time of every transfer in
 * it. Throws MonthClosed when `at` lies in a closed month (ledger.md 1, 7).
 */
export function openBook(
  heads: readonly LedgerHead[],
  at: Date,
  subaccountHeads: readonly SubaccountHead[] = [],
): Book {
  const byKey = new Map<number, LedgerHead>()
  for (const row of heads) byKey.set(merchantModeKey(row), row)
  const transfers: NumberedPosting[] = []
  const touched = new Set<LedgerHead>()
  const subaccounts = subaccountBook(subaccountHeads)
  if (heads.some((head) => head.closedUntil !== null && head.closedUntil > at))
    throw new MonthClosed('the clock stands in a month that is closed already')

  function head(merchantId: number, mode: Mode): LedgerHead {
    const row = byKey.get(merchantModeKey({ merchantId, mode }))
    assert(row, `the ledger head of merchant ${merchantId} in ${mode} is locked`)
    return row
  }

  return {
    head,
    subaccountHead: subaccounts.head,
    post(posting) {
      assert(Number.isSafeInteger(posting.amount) && posting.amount >= 0, 'a posting is a whole amount, never negative')
      if (posting.amount === 0) return
      const row = head(posting.merchantId, posting.mode)
      if (isFloorAccount(posting.debit)) row[posting.debit] -= posting.amount
      if (isFloorAccount(posting.credit)) row[posting.credit] += posting.amount
      const keepsFloors = row.available >= 0 && row.pending >= 0 && row.in_flight >= 0
      if (!keepsFloors) count('balance_inconsistent_total')
      assert(keepsFloors, `${posting.kind} of ${posting.subject} keeps every floor`)
      subaccounts.move(posting, posting.debit, -posting.amount)
      subaccounts.move(posting, posting.credit, posting.amount)
      row.seq += 1
      touched.add(row)
      transfers.push({ posting, seq: row.seq, at })
    },
    writes: () =>
      transfers.length === 0 ? [] : [writeHeads([...touched]), ...subaccounts.writes(), ...TRANSFERS.rows(transfers)],
  }
}

function writeHeads(heads: readonly LedgerHead[]): Call {
  const each = toColumns(heads)
  return call(
    WRITE_HEADS,
    ...each.numbers('merchantId'),
    ...each.modes('mode'),
    ...each.numbers('available', 'pending', 'in_flight', 'seq'),
  )
}

type NumberedPosting = { posting: Posting; seq: number; at: Date }
