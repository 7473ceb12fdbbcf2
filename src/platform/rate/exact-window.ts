import { type Call, call } from '../db/database.ts'
import { statement } from '../db/statement.ts'
import { tooMany, waitForPlace, windowKey, withinWindow } from './limits.ts'

type Mode = 'test' | 'live'
type WindowRow = { merchantId: number; mode: Mode; what: string; acceptedMs: number[] }
type Place = { merchantId: number; mode: Mode }

const LOCK = statement<WindowRow>(
  'lock rate windows',
  `select merchant_id as "merchantId", mode, what, accepted_ms::text[] as "acceptedMs" from rate_windows
   where (merchant_id, mode) in (select * from unnest($1::bigint[], $2::mode[])) and what = $3
   order by merchant_id, mode for no key update`,
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
  lock(places: readonly Place[]): Call<WindowRow>[]
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
  const seen = new Map<string, number[]>()

  function refuse(acceptedMs: readonly number[], nowMs: number): void {
    const waitMs = waitForPlace(acceptedMs, limit, nowMs)
    if (waitMs > 0) throw tooMany(waitMs)
  }

  return {
    refuseEarly({ merchantId, mode }, nowMs) {
      if (limit === 0) return
      const known = seen.get(windowKey(merchantId, mode, what))
      if (known) refuse(withinWindow(known, nowMs), nowMs)
    },
    lock: (places) =>
      limit === 0
        ? []
        : [
            call(
              LOCK,
              places.map((place) => place.merchantId),
              places.map((place) => place.mode),
              what,
            ),
          ],
    open(rows, nowMs) {
      const windows = new Map<string, number[]>()
      const touched = new Map<string, Place>()
      for (const row of rows)
        windows.set(
          windowKey(row.merchantId, row.mode, what),
          withinWindow(row.acceptedMs.map(Number), nowMs),
        )
      return {
        check({ merchantId, mode }) {
          const key = windowKey(merchantId, mode, what)
          const acceptedMs = windows.get(key) ?? []
          if (seen.size > 10_000) seen.clear()
          if (limit > 0) seen.set(key, acceptedMs)
          refuse(acceptedMs, nowMs)
        },
        take(place) {
          if (limit === 0) return
          const key = windowKey(place.merchantId, place.mode, what)
          const acceptedMs = windows.get(key) ?? []
          acceptedMs.push(nowMs)
          windows.set(key, acceptedMs)
          seen.set(key, acceptedMs)
          touched.set(key, place)
        },
        writes() {
          if (touched.size === 0) return []
          const entries = [...touched].sort(
            ([, a], [, b]) => a.merchantId - b.merchantId || (a.mode < b.mode ? -1 : 1),
          )
          return [
            call(
              WRITE,
              entries.map(([, place]) => place.merchantId),
              entries.map(([, place]) => place.mode),
              what,
              entries.map(([key]) => (windows.get(key) ?? []).join(',')),
            ),
          ]
        },
      }
    },
  }
}
