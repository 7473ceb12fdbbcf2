import { type Call, call } from '../../platform/db/database.ts'
import { dueCondition } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import type { AttemptState } from '../attempt-facts.ts'
import type { RailSide } from '../rail.ts'

/** A finished attempt to review: whether the operator still gives the same answer (rails.md 5.1, leg 2). */
export type FinishedAttempt = {
  merchantId: number
  reference: string
  subject: string
  side: RailSide
  state: AttemptState
  notFound: number
  notFoundAt: Date | null
}

const ASK_AGAIN_AFTER_MS = 8 * 3_600_000
const ASK_AGAIN_DUE = dueCondition('a.review_asked_at', `($2::timestamptz - interval '8 hours')`, ASK_AGAIN_AFTER_MS)
const UNREVIEWED = `a.installation = $1 and a.reviewed_at is null and a.state in ('ended', 'void')
  and (a.review_asked_at is null or ${ASK_AGAIN_DUE})`
// Attempts older than eight days are not reviewed any more; one from just now may still be in the hands of its request.
const DUE_FOR_REVIEW = `${UNREVIEWED} and a.created_at between $2::timestamptz - interval '8 days' and $2::timestamptz - interval '15 minutes'`
// Only an attempt that was finished more than a day after its creation has ended_late_at.
const ENDED_LATE = `${UNREVIEWED} and a.ended_late_at > $2::timestamptz - interval '8 days' and a.created_at < $2::timestamptz - interval '8 days'`
// A movement that was reviewed a day ago or more may have been reversed since then.
const DUE_AS_SAMPLE = `a.installation = $1 and a.reviewed_at between $2::timestamptz - interval '8 days' and $2::timestamptz - interval '1 day'
  and greatest(a.created_at, a.ended_late_at) > $2::timestamptz - interval '7 days' and a.state in ('ended', 'void')
  and ${ASK_AGAIN_DUE}`
// The time of the question is the lease: an attempt claimed by a process that died is asked about later.
const claimSql = (condition: string) => `
  with due as (select a.merchant_id, a.id from rail_attempts a where ${condition} limit $3 for no key update skip locked)
  update rail_attempts a set review_asked_at = $2 from due where a.merchant_id = due.merchant_id and a.id = due.id
  returning a.merchant_id as "merchantId", a.id as reference, a.subject, a.side, a.state,
    a.review_not_found as "notFound", a.review_not_found_at as "notFoundAt"`
const CLAIM_REVIEWS = statement<FinishedAttempt>(
  'claim attempts to review',
  claimSql(`${DUE_FOR_REVIEW} order by a.created_at desc`),
)
const CLAIM_LATE_REVIEWS = statement<FinishedAttempt>(
  'claim attempts that ended late to review',
  claimSql(`${ENDED_LATE} order by a.ended_late_at desc`),
)
const CLAIM_SAMPLE = statement<FinishedAttempt>(
  'claim reviewed attempts again',
  claimSql(`${DUE_AS_SAMPLE} order by a.reviewed_at`),
)
const MAX_COUNTED_ATTEMPTS = 100_000
const ATTEMPTS_LEFT = statement<{ left: number }>(
  'attempts left to review',
  `select count(*)::int as left from (
     (select 1 from rail_attempts a where ${DUE_FOR_REVIEW} limit ${MAX_COUNTED_ATTEMPTS})
     union all (select 1 from rail_attempts a where ${ENDED_LATE} limit ${MAX_COUNTED_ATTEMPTS})) x`,
)
const MARK_REVIEWED = statement(
  'attempts reviewed',
  `update rail_attempts a set reviewed_at = $3 from unnest($1::bigint[], $2::text[]) as n (merchant_id, id)
   where a.merchant_id = n.merchant_id and a.id = n.id`,
)
const COUNT_NOT_FOUND = statement(
  'attempt not found in review',
  `update rail_attempts set review_not_found = review_not_found + 1,
     review_not_found_at = coalesce(review_not_found_at, $3) where merchant_id = $1 and id = $2`,
)

type FinishedAttemptKey = Pick<FinishedAttempt, 'merchantId' | 'reference'>

/** Claims finished attempts of an installation that were not reviewed yet, newest first. */
export const claimReviews = (installation: string, now: Date, limit: number): Call<FinishedAttempt> =>
  call(CLAIM_REVIEWS, installation, now.toISOString(), limit)

/** Claims attempts not reviewed yet that were created before the eight days of claimReviews and finished within them. */
export const claimLateReviews = (installation: string, now: Date, limit: number): Call<FinishedAttempt> =>
  call(CLAIM_LATE_REVIEWS, installation, now.toISOString(), limit)

/** Claims attempts of the last seven days that were reviewed a day ago or more, longest ago first. */
export const claimSample = (installation: string, now: Date, limit: number): Call<FinishedAttempt> =>
  call(CLAIM_SAMPLE, installation, now.toISOString(), limit)

export const countAttemptsToReview = (installation: string, now: Date): Call<{ left: number }> =>
  call(ATTEMPTS_LEFT, installation, now.toISOString())

/** Marks attempts as reviewed: they are not asked about for a day, and then only as a sample. */
export const markReviewed = (attempts: readonly FinishedAttemptKey[], at: Date): Call =>
  call(
    MARK_REVIEWED,
    attempts.map(({ merchantId }) => merchantId),
    attempts.map(({ reference }) => reference),
    at.toISOString(),
  )

/** Counts that the operator did not know the attempt in this review. */
export const countNotFoundInReview = ({ merchantId, reference }: FinishedAttemptKey, at: Date): Call =>
  call(COUNT_NOT_FOUND, merchantId, reference, at.toISOString())
