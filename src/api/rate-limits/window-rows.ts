import { modeColumn, numberColumn, repeatedColumn } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'

/** A window as its row stores it (`window-text.ts`). */
export type WindowRow = MerchantMode & { accepted: string }

// A missing row cannot be locked, so it is made first, once for each merchant and mode.
const MAKE = statement<WindowRow>(
  'make rate windows',
  `insert into rate_windows (merchant_id, mode, what)
   select * from unnest($1::bigint[], $2::mode[], $3::text[]) on conflict do nothing`,
)
// `what` comes as a column like the others: as one value it would be a condition of its own, and a plan made while the table was
// small would search by it alone and compare every window of that limit with every row asked for.
const LOCK = statement<WindowRow>(
  'lock rate windows',
  `select merchant_id as "merchantId", mode, accepted from rate_windows
   where (merchant_id, mode, what) in (select * from unnest($1::bigint[], $2::mode[], $3::text[]))
   order by merchant_id, mode::text for no key update`,
)
const WRITE = statement(
  'write rate windows',
  `insert into rate_windows (merchant_id, mode, what, accepted)
   select merchant_id, mode, $3, accepted from unnest($1::bigint[], $2::mode[], $4::text[]) as n (merchant_id, mode, accepted)
   on conflict (merchant_id, mode, what) do update set accepted = excluded.accepted`,
)

/** Makes the rows of these windows where there are none. */
export const makeRows = (merchantModes: readonly MerchantMode[], what: string): Call<WindowRow> =>
  callFor(MAKE, merchantModes, what)

/** Locks the rows of these windows, in the same order in every process. */
export const lockRows = (merchantModes: readonly MerchantMode[], what: string): Call<WindowRow> =>
  callFor(LOCK, merchantModes, what)

/** Stores these windows; makes their rows when a crash of the database has emptied the table. */
export const writeRows = (merchantModes: readonly MerchantMode[], what: string, texts: readonly string[]): Call => {
  const merchants = numberColumn(merchantModes.map((merchantMode) => merchantMode.merchantId))
  return call(WRITE, merchants, modeColumn(merchantModes.map((merchantMode) => merchantMode.mode)), what, texts)
}

const callFor = (statement: typeof LOCK, merchantModes: readonly MerchantMode[], what: string) =>
  call(
    statement,
    numberColumn(merchantModes.map((merchantMode) => merchantMode.merchantId)),
    modeColumn(merchantModes.map((merchantMode) => merchantMode.mode)),
    repeatedColumn(what, merchantModes.length),
  )

/** Compares two windows by the order in which every process locks them. */
export const compareMerchantModes = (a: MerchantMode, b: MerchantMode) =>
  a.merchantId - b.merchantId || (a.mode < b.mode ? -1 : 1)
