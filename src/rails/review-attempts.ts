import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { AttemptState } from './attempts.ts'
import type { RailSide } from './rail.ts'

/** An attempt that has ended, for a look whether the operator still says the same (rails.md 5.1, leg 2). */
export type EndedAttempt = {
  merchantId: number
  reference: string
  subject: string
  side: RailSide
  state: AttemptState
  notFound: number
  notFoundAt: Date | null
}

// What ended longer ago than this is not looked at any more.
const REVIEWED = `a.installation = $1 and a.reviewed_at is null and a.state in ('ended', 'void')
  and a.created_at > $2::timestamptz - interval '8 days'
  and (a.review_asked_at is null or a.review_asked_at < $2::timestamptz - interval '8 hours')`
// The lease of a look: a process that dies leaves it to the next one.
const CLAIM = statement<EndedAttempt>(
  'claim attempts to review',
  `with due as (select a.merchant_id, a.id from rail_attempts a where ${REVIEWED} order by a.created_at desc limit $3
     for no key update skip locked)
   update rail_attempts a set review_asked_at = $2 from due where a.merchant_id = due.merchant_id and a.id = due.id
   returning a.merchant_id as "merchantId", a.id as reference, a.subject, a.side, a.state,
     a.review_not_found as "notFound", a.review_not_found_at as "notFoundAt"`,
)
const MOST_COUNTED = 100_000
const LEFT = statement<{ left: number }>(
  'attempts left to review',
  `select count(*)::int as left from (select 1 from rail_attempts a where ${REVIEWED} limit ${MOST_COUNTED}) x`,
)
const DONE = statement(
  'attempt reviewed',
  'update rail_attempts set reviewed_at = $3 where merchant_id = $1 and id = $2',
)
const MISSED = statement(
  'attempt not found in review',
  `update rail_attempts set review_not_found = review_not_found + 1,
     review_not_found_at = coalesce(review_not_found_at, $3) where merchant_id = $1 and id = $2`,
)

type Named = Pick<EndedAttempt, 'merchantId' | 'reference'>

/** Claims ended attempts of a contract that nobody has looked at again, newest first. */
export const claimReviews = (installation: string, now: Date, most: number): Call<EndedAttempt> =>
  call(CLAIM, installation, now.toISOString(), most)

export const leftToReview = (installation: string, now: Date): Call<{ left: number }> =>
  call(LEFT, installation, now.toISOString())

/** The operator says what we say: it is not asked again. */
export const reviewed = ({ merchantId, reference }: Named, at: Date): Call =>
  call(DONE, merchantId, reference, at.toISOString())

/** The operator did not know it this time. */
export const notFoundInReview = ({ merchantId, reference }: Named, at: Date): Call =>
  call(MISSED, merchantId, reference, at.toISOString())
