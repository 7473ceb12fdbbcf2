import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Moves } from '../../../platform/moves.ts'
import { dayBounds, kampalaDay } from '../../../platform/time/kampala.ts'

/** When it runs. `above`: whenever more is available than what is kept back, looked at every hour. Sunday is 0; hours in Kampala. */
export type Rhythm =
  | { rhythm: 'daily'; weekday: null; hour: number }
  | { rhythm: 'weekly'; weekday: number; hour: number }
  | { rhythm: 'above'; weekday: null; hour: null }

/** What the merchant orders. Whole UGX. */
export type StandingOrderTerms = Rhythm & {
  /** What stays available. */
  keepBack: number
  /** Less than this is not sent. */
  least: number
  /** The most that is sent in a day. */
  dayLimit: number
}

/** `waiting`: for staff to approve it, and nothing is sent. A change, or another number, makes it wait again. */
export const STANDING_ORDER_MOVES = {
  waiting: { approved: null, refused: null, stopped: null },
  approved: { waiting: null, stopped: null },
  refused: { waiting: null, stopped: null },
  stopped: {},
} as const satisfies Moves<'waiting' | 'approved' | 'refused' | 'stopped'>
export type StandingOrderState = keyof typeof STANDING_ORDER_MOVES

/** What the last run came to: sent by itself, asked of staff, nothing for lack of money or because the day's limit was reached. */
export type RunFinding = 'sent' | 'asked' | 'too-little' | 'day-limit'

/** A merchant's order to send what is available to its own verified number. One at a time is not stopped. */
export type StandingOrder = StandingOrderTerms & {
  merchantId: number
  id: string
  state: StandingOrderState
  /** Counts what staff were asked to approve. */
  revision: number
  waitsFor: 'new' | 'change' | 'number' | null
  approvedLimit: number | null
  approvedPhone: string | null
  note: string | null
  dueAt: Date | null
  lastAt: Date | null
  lastFound: RunFinding | null
  /** Why it stands still, word for word; null while it runs. */
  stillSays: string | null
  stillSince: Date | null
  setAt: Date
}

export const ORDER_COLUMNS = `o.merchant_id as "merchantId", o.id, o.state, o.rhythm, o.weekday, o.hour, o.keep_back as "keepBack", o.least,
  o.day_limit as "dayLimit", o.revision, o.waits_for as "waitsFor", o.approved_limit as "approvedLimit",
  o.approved_phone as "approvedPhone", o.note, o.due_at as "dueAt", o.last_at as "lastAt", o.last_found as "lastFound",
  o.still_says as "stillSays", o.still_since as "stillSince", o.set_at as "setAt"`

const LOCK_CURRENT = statement<StandingOrder>(
  'lock standing order',
  `select ${ORDER_COLUMNS} from standing_orders o where o.merchant_id = $1 and o.state <> 'stopped' for no key update`,
)
const NUMBER_CHANGED = statement(
  'standing order after another number',
  `update standing_orders set state = 'waiting', waits_for = 'number', waits_since = $2, revision = revision + 1,
     approved_at = null, approved_limit = null, approved_phone = null, due_at = null, try_at = null,
     still_code = null, still_says = null, still_since = null, still_told = true
   where merchant_id = $1 and state = 'approved'`,
)
const ACCOUNT_CLOSED = statement(
  'standing order of closed account',
  `update standing_orders set state = 'stopped', stopped_at = $2, waits_for = null, waits_since = null,
     approved_at = null, approved_limit = null, approved_phone = null, due_at = null, try_at = null,
     still_code = null, still_says = null, still_since = null, still_told = true
   where merchant_id = $1 and state <> 'stopped'`,
)

/** Locks the merchant's order that is not stopped. It is locked before terms and number, in this order by everybody. */
export const lockCurrentOrder = (merchantId: number): Call<StandingOrder> => call(LOCK_CURRENT, merchantId)

/** Makes an approved order wait for staff again, because it was approved for another number. */
export const waitForNumber = (merchantId: number, at: Date): Call => call(NUMBER_CHANGED, merchantId, at.toISOString())

/** Ends the order of an account that is closed. */
export const endOrderOfClosedAccount = (merchantId: number, at: Date): Call =>
  call(ACCOUNT_CLOSED, merchantId, at.toISOString())

const HOUR_MS = 3_600_000
// Kampala has no summer time, so every day there is this long.
const DAY_MS = 24 * HOUR_MS

/** The first time after a moment at which the order runs, in Kampala's days and hours. Missed times are skipped. */
export function nextRunOf({ rhythm, weekday, hour }: Rhythm, after: Date): Date {
  if (rhythm === 'above') return new Date((Math.floor(after.getTime() / HOUR_MS) + 1) * HOUR_MS)
  const day = kampalaDay(after)
  const today = dayBounds(day).start.getTime() + hour * HOUR_MS
  // The weekday of a date is the same in every zone when it is read as the date alone.
  const ahead = rhythm === 'daily' ? 0 : (weekday - new Date(`${day}T00:00:00Z`).getUTCDay() + 7) % 7
  const next = today + ahead * DAY_MS
  return new Date(next > after.getTime() ? next : next + (rhythm === 'daily' ? 1 : 7) * DAY_MS)
}
