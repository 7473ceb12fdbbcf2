import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import { type AttemptFacts, isRefusalConfirmed, LOST_AFTER_MS, LOST_AFTER_QUESTIONS } from '../attempt-facts.ts'
import { findRail } from '../find-rail.ts'
import { type Ladder, nextQuestionMs } from '../following/follow-ladder.ts'
import type { RailSide } from '../rail.ts'

// Every time here is in ms of the injected clock.

/** Decides when a movement that the operator does not know is posted again under its reference (rails.md 4.5). */
export type RepostTimes = {
  /** Whether it is posted again after this "not found". */
  isLost(attempt: AttemptFacts, nowMs: number): boolean
  /** Whether it ends as refused after this "not found". */
  isRefused(attempt: AttemptFacts, nowMs: number): boolean
  /** When to ask earlier than the ladder, because the movement may then be posted again or fail: later than `nowMs`, and infinite without such a reason. */
  soonerAt(attempt: AttemptFacts, nowMs: number, notFound: boolean): number
}

/**
 * For this long a post belongs to the process that sent it. It is longer than the deadline of a submit, so a submit without a
 * recorded end is over by then.
 */
export const SENDING_MS = 30_000
const MINUTE_MS = 60_000
const NEVER_MS = Number.POSITIVE_INFINITY

// The second "not found" counts no sooner than this after the first one.
const MIN_BETWEEN_NOT_FOUND_MS = 2000
// Two posts are at least this far apart.
const MIN_BETWEEN_POSTS_MS = 5000
const MAX_CHARGE_REPOSTS = 2

// The waits of a payout before it is posted again after its first repost, counted from the post before.
const PAYOUT_REPOST_WAITS_MS = [2, 5, 15, 60].map((minutes) => minutes * MINUTE_MS)
const LATER_PAYOUT_REPOST_WAIT_MS = 60 * MINUTE_MS
// After a refused repost questions come this often, so that the three "not found" over a minute need not wait for an old payout's slow ladder.
const AFTER_REFUSED_REPOST_MS = 30_000

// For how long after its first post a movement may be posted again where the settings of the installation do not say. After a minute
// the customer of a charge has gone, and a PIN prompt would be a surprise; after a day an operator may have forgotten a reference.
const DEFAULT_REPOST_WINDOW_MS = { collect: MINUTE_MS, disburse: 24 * 60 * MINUTE_MS }

/** Returns for how long (ms) after its first post a movement of this installation may be posted again. */
export const repostWindowMs = (
  app: Pick<App, 'rails'>,
  side: RailSide,
  row: { mode: Mode; channel: string; installation: string },
): number =>
  findRail(app, row)?.installations.find(({ id }) => id === row.installation)?.repostMs?.[side] ??
  DEFAULT_REPOST_WINDOW_MS[side]

/**
 * Returns the windows (ms) of this side as a statement takes them: those of the installations that set one, by their
 * ids, and the one of all others.
 */
export const repostWindowsOf = (
  app: Pick<App, 'rails'>,
  side: RailSide,
): { byInstallation: Record<string, number>; others: number } => ({
  byInstallation: Object.fromEntries(
    Object.values(app.rails.live)
      .flatMap(({ installations }) => installations)
      .flatMap(({ id, repostMs }) => (repostMs === undefined ? [] : [[id, repostMs[side]]])),
  ),
  others: DEFAULT_REPOST_WINDOW_MS[side],
})

/** Returns the repost times of a movement, by its noun and installation. */
export const repostTimesFor = (
  app: Pick<App, 'rails'>,
  { side, reposts }: { side: RailSide; reposts(windowMs: number): RepostTimes },
  row: { mode: Mode; channel: string; installation: string },
): RepostTimes => reposts(repostWindowMs(app, side, row))

/** Computes the time (ms) of the next question: by the ladder, counted from the end of the submit, or sooner. `notFound`: the answer now was "not found". */
export function nextQuestionAt(
  times: RepostTimes,
  attempt: AttemptFacts & { createdAt: Date },
  { ladder, nowMs, notFound }: { ladder: Ladder; nowMs: number; notFound: boolean },
): number {
  // A submit without a recorded end counts from its beginning, never from the creation of the movement.
  const from = attempt.submitEndedAt ?? attempt.sendingSince ?? attempt.createdAt
  return Math.min(
    nextQuestionMs(ladder, { fromMs: from.getTime(), nowMs }),
    times.soonerAt(attempt, nowMs, notFound),
    questionAfterCallbackMs(attempt, nowMs),
  )
}

// The status of an operator may lag behind its callback.
const AFTER_CALLBACK_MS = [5_000, 15_000, 60_000]

/** Computes the next question after a callback that the status has not confirmed yet (rails.md 4.3). */
function questionAfterCallbackMs({ callbackSeenAt }: AttemptFacts, nowMs: number): number {
  if (callbackSeenAt === null) return NEVER_MS
  const times = AFTER_CALLBACK_MS.map((ms) => callbackSeenAt.getTime() + ms)
  return times.find((at) => at > nowMs) ?? NEVER_MS
}

/** Charges are posted again soon after their first post, at most twice. */
export const chargeReposts = (windowMs: number): RepostTimes => ({
  isRefused: isRefusalConfirmed,
  isLost(attempt, nowMs) {
    if (attempt.firstNotFoundAt === null || attempt.state !== 'in_doubt') return false
    const due = chargeRepostAt(attempt, { nowMs, windowMs })
    const windowEnd = (attempt.firstSentAt?.getTime() ?? 0) + windowMs
    return due !== null && nowMs >= due && nowMs < windowEnd
  },
  soonerAt(attempt, nowMs, notFound) {
    const due = notFound ? chargeRepostAt(attempt, { nowMs, windowMs }) : null
    if (due === null) return NEVER_MS
    // What is due now is posted now, unless the rail takes nothing at the moment.
    const at = due > nowMs ? due : nowMs + MIN_BETWEEN_NOT_FOUND_MS
    return at < (attempt.firstSentAt?.getTime() ?? 0) + windowMs ? at : NEVER_MS
  },
})

/**
 * Computes when a charge is posted again, provided that another "not found" follows or this is the second one. Null if it may
 * not be: the operator has it or refused it, the window since its first post is over, or it was posted often enough.
 */
function chargeRepostAt(
  attempt: AttemptFacts,
  { nowMs, windowMs }: { nowMs: number; windowMs: number },
): number | null {
  const { state, refusedAs, reposts, firstSentAt, sendingSince, submitEndedAt, firstNotFoundAt } = attempt
  if (state === 'accepted' || refusedAs !== null || reposts >= MAX_CHARGE_REPOSTS) return null
  if (firstSentAt === null || sendingSince === null) return null
  const confirmedMs = (firstNotFoundAt?.getTime() ?? nowMs) + MIN_BETWEEN_NOT_FOUND_MS
  // `sending` ends with the post; for the first post it may also end with the deadline of its caller.
  const submitOver = state === 'in_doubt' && (reposts > 0 || submitEndedAt !== null)
  const apartMs = sendingSince.getTime() + (submitOver ? MIN_BETWEEN_POSTS_MS : SENDING_MS)
  const due = Math.max(confirmedMs, apartMs)
  return due < firstSentAt.getTime() + windowMs ? due : null
}

/** Payouts are posted again after three "not found" over a minute, then at growing waits, to the end of the window. */
export const payoutReposts = (windowMs: number): RepostTimes => ({
  // After a first refusal that is not conclusive the payout is posted once more before it may fail.
  isRefused: (attempt, nowMs) => attempt.reposts > 0 && isRefusalConfirmed(attempt, nowMs),
  isLost(attempt, nowMs) {
    const due = payoutRepostAt(attempt)
    return attempt.state === 'in_doubt' && due !== null && nowMs >= due && mayBePosted(attempt, { nowMs, windowMs })
  },
  soonerAt(attempt, nowMs, notFound) {
    if (attempt.state !== 'in_doubt') return NEVER_MS
    const repost = payoutRepostAt(attempt)
    if (repost !== null && repost > nowMs) return repost
    return notFound && attempt.refusedAs !== null ? nowMs + AFTER_REFUSED_REPOST_MS : NEVER_MS
  },
})

/**
 * Whether a payout may be posted, for the first time or again. The window counts from the first post, not from the creation: a payout
 * may have waited for days for an approval or behind a freeze.
 */
export const mayBePosted = (
  { firstSentAt }: AttemptFacts,
  { nowMs, windowMs }: { nowMs: number; windowMs: number },
): boolean => firstSentAt === null || nowMs < firstSentAt.getTime() + windowMs

/** Computes when a payout that the operator does not know is posted again; null while it may not be. */
function payoutRepostAt(attempt: AttemptFacts): number | null {
  const { reposts, sendingSince, firstNotFoundAt, notFoundCount, refusedAs, refusalToConfirm } = attempt
  // The last post was refused: the payout fails once the operator has confirmed that it knows no other, and is not posted
  // again.
  if (sendingSince === null || (refusedAs !== null && !refusalToConfirm)) return null
  if (reposts > 0) return sendingSince.getTime() + (PAYOUT_REPOST_WAITS_MS[reposts - 1] ?? LATER_PAYOUT_REPOST_WAIT_MS)
  if (firstNotFoundAt === null || notFoundCount + 1 < LOST_AFTER_QUESTIONS) return null
  return firstNotFoundAt.getTime() + LOST_AFTER_MS
}
