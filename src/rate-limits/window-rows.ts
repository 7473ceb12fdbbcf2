import { modes, numbers, repeated } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { MerchantMode } from '../platform/mode.ts'

/** A window as its row keeps it (`window-text.ts`). */
export type WindowRow = MerchantMode & { accepted: string }

// A row that is not there cannot be locked: it is made first, once for each merchant and mode.
const MAKE = statement<WindowRow>(
  'make rate windows',
  `insert into rate_windows (merchant_id, mode, what)
   select * from unnest($1::bigint[], $2::mode[], $3::text[]) on conflict do nothing`,
)
// `what` comes as a column like the others: as one value it would be a condition by itself, and a plan made while the table was
// small would look for it alone and compare every window there is with every place.
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
export const makeRows = (places: readonly MerchantMode[], what: string): Call<WindowRow> =>
  callFor(MAKE, places, what)

/** Locks the rows of these windows, in the order in which every process does. */
export const lockRows = (places: readonly MerchantMode[], what: string): Call<WindowRow> =>
  callFor(LOCK, places, what)

/** Stores these windows, or makes them anew after a crash of the database. */
export const writeRows = (places: readonly MerchantMode[], what: string, texts: readonly string[]): Call => {
  const merchants = numbers(places.map((place) => place.merchantId))
  return call(WRITE, merchants, modes(places.map((place) => place.mode)), what, texts)
}

const callFor = (wanted: typeof LOCK, places: readonly MerchantMode[], what: string) =>
  call(
    wanted,
    numbers(places.map((place) => place.merchantId)),
    modes(places.map((place) => place.mode)),
    repeated(what, places.length),
  )

/** In the order in which every process locks them. */
export const inLockOrder = (a: MerchantMode, b: MerchantMode) =>
  a.merchantId - b.merchantId || (a.mode < b.mode ? -1 : 1)
