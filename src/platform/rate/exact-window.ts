import { numbers, words } from '../db/columns.ts'
import { type Call, call } from '../db/database.ts'
import { statement } from '../db/statement.ts'
import { tooMany, waitForPlace, windowKey, withinWindow } from './limits.ts'

type Mode = 'test' | 'live'
type WindowRow = { merchantId: number; mode: Mode; what: string; acceptedMs: number[] }
type Place = { merchantId: number; mode: Mode }

// A row that is not there cannot be locked: it is made first, once for each merchant and mode.
const MAKE = statement<WindowRow>(
  'make rate windows',
  `insert into rate_windows (merchant_id, mode, what, accepted_ms)
   select merchant_id, mode, $3, '{}' from unnest($1::bigint[], $2::mode[]) as n (merchant_id, mode)
   on conflict do nothing`,
)
const LOCK = statement<WindowRow>(
  'lock rate windows',
  `select merchant_id as "merchantId", mode, what, accepted_ms::text[] as "acceptedMs" from rate_windows
   where (merchant_id, mode) in (select * from unnest($1::bigint[], $2::mode[])) and what = $3
   order by merchant_id, mode::text for no key update`,
)
const GIVE_BACK = statement(
  'give back rate place',
  `update rate_windows set accepted_ms = accepted_ms[:array_position(accepted_ms, $4) - 1] || accepted_ms[array_position(accepted_ms, $4) + 1:]
   where merchant_id = $1 and mode = $2 and what = $3 and array_position(accepted_ms, $4) is not null`,
)
const WRITE = statement(
  'write rate windows',
  `insert into rate_windows (merchant_id, mode, what, accepted_ms)
   select merchant_id, mode, $3, string_to_array(accepted_ms, ',')::bigint[]
   from unnest($1::bigint[], $2::mode[], $4::text[]) as n (merchant_id, mode, accepted_ms)
   on conflict (merchant_id, mode, what) do update set accepted_ms = excluded.accepted_ms`,
)

/**
 * An exact sliding window over all processes: never more than `limit` accepted in any 60 s. Its counts are read, locked
 * and written in the transaction of the work they count, so no request makes a round trip for them.
 */
export type ExactWindow = {
  /** Refuses (429) what this process already knows to be too much, before anything else is looked at. */
  refuseEarly(place: Place, nowMs: number): void
  /** For the first flush of the batch: locks the windows of these merchants. Empty when the limit is off. */
  lock(places: Place[]): Call<WindowRow>[]
  /** Gives back the place of a request that was accepted at this time and refused after all. */
  giveBack(place: Place, acceptedMs: number): Call[]
  /** Opens the windows that were locked. */
  open(rows: readonly WindowRow[], nowMs: number): OpenWindows
}
export type OpenWindows = {
  /** Throws 429 when the window is full. */
  check(place: Place): void
  /** Counts one accepted request. */
  take(place: Place): void
  /** For the last flush of the batch. */
  writes(): Call[]
}

export function exactWindow(what: string, limit: number): ExactWindow {
  // What the last batch of this process saw: a lower bound of the truth, good enough to refuse early.
  const seen: Seen = new Map()
  return {
    refuseEarly({ merchantId, mode }, nowMs) {
      const known = limit === 0 ? undefined : seen.get(windowKey(merchantId, mode, what))
      if (known) refuseFull(withinWindow(known, nowMs), limit, nowMs)
    },
    lock: (places) => {
      if (limit === 0) return []
      places.sort(inLockOrder)
      const merchants = numbers(places.map((one) => one.merchantId))
      const modes = words(places.map((one) => one.mode))
      return [call(MAKE, merchants, modes, what), call(LOCK, merchants, modes, what)]
    },
    giveBack: (place, acceptedMs) => {
      if (limit === 0) return []
      const key = windowKey(place.merchantId, place.mode, what)
      seen.set(key, without(seen.get(key) ?? [], acceptedMs))
      return [call(GIVE_BACK, place.merchantId, place.mode, what, acceptedMs)]
    },
    open: (rows, nowMs) => (limit === 0 ? UNLIMITED : openWindows(rows, { what, limit, nowMs, seen })),
  }
}

type Seen = Map<string, number[]>
const MOST_SEEN = 10_000
const UNLIMITED: OpenWindows = { check: () => {}, take: () => {}, writes: () => [] }

function openWindows(
  rows: readonly WindowRow[],
  { what, limit, nowMs, seen }: { what: string; limit: number; nowMs: number; seen: Seen },
): OpenWindows {
  const keyOf = (place: Place) => windowKey(place.merchantId, place.mode, what)
  const windows = new Map(rows.map((row) => [keyOf(row), withinWindow(row.acceptedMs.map(Number), nowMs)]))
  const touched = new Map<string, Place>()
  if (seen.size > MOST_SEEN) seen.clear()
  return {
    check(place) {
      const acceptedMs = windows.get(keyOf(place)) ?? []
      seen.set(keyOf(place), acceptedMs)
      refuseFull(acceptedMs, limit, nowMs)
    },
    take(place) {
      const acceptedMs = [...(windows.get(keyOf(place)) ?? []), nowMs]
      windows.set(keyOf(place), acceptedMs)
      seen.set(keyOf(place), acceptedMs)
      touched.set(keyOf(place), place)
    },
    writes: () =>
      touched.size === 0
        ? []
        : [write([...touched.values()], what, (place) => windows.get(keyOf(place)) ?? [])],
  }
}

/** In the order in which every process locks them. */
function write(places: Place[], what: string, acceptedMs: (place: Place) => readonly number[]): Call {
  places.sort(inLockOrder)
  return call(
    WRITE,
    numbers(places.map((place) => place.merchantId)),
    words(places.map((place) => place.mode)),
    what,
    places.map((place) => acceptedMs(place).join(',')),
  )
}

function without(acceptedMs: readonly number[], ms: number): number[] {
  const at = acceptedMs.indexOf(ms)
  return at === -1 ? [...acceptedMs] : acceptedMs.toSpliced(at, 1)
}

function refuseFull(acceptedMs: readonly number[], limit: number, nowMs: number): void {
  const waitMs = waitForPlace(acceptedMs, limit, nowMs)
  if (waitMs > 0) throw tooMany(waitMs)
}

const inLockOrder = (a: Place, b: Place) => a.merchantId - b.merchantId || (a.mode < b.mode ? -1 : 1)
