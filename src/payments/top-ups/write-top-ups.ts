import { unnestColumns } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { ATTEMPT_FACTS, merchantTagSql } from '../../rails/attempt-facts.ts'
import { callAtTime } from '../../rails/call-at-time.ts'
import type { MovementOutcome } from '../../rails/finishing/move.ts'
import { buildLiveClaims, type LiveClaims } from '../../rails/following/follow-live.ts'
import { firstQuestionAt, type Publication } from '../../rails/following/ladders.ts'
import { dueRowsSql, type QuestionLevel } from '../../rails/following/question-levels.ts'
import { isTooFarAheadSql } from '../../rails/following/questions-too-far-ahead.ts'
import type { Followed } from '../../rails/mover.ts'
import { SENDING_MS } from '../../rails/posting/repost-times.ts'
import type { ChargeFailure } from '../../rails/rail.ts'
import { TOP_UP_COLUMNS, type TopUp } from './top-up.ts'

// The only file that writes top-ups. Each function is a move of TOP_UP_MOVES, adds a top-up, takes back one that was never shown, or
// sets when its rail is asked next.

type TopUpKey = Pick<TopUp, 'merchantId' | 'id'>

const ADD_TOP_UP = statement(
  'add top-up',
  `insert into top_ups (merchant_id, id, status, amount, channel, phone, rail_reference, request_key, published, created_at,
     follow_at) values ($1, $2, 'pending', $3, $4, $5, $6, $7, false, $8, $9)`,
)
const PUBLISH_TOP_UP = statement(
  'publish top-ups',
  `update top_ups t set status = 'authorized', published = true, follow_at = n.follow_at
   from ${unnestColumns('bigint', 'text', 'timestamptz')} as n (merchant_id, id, follow_at)
   where t.merchant_id = n.merchant_id and t.id = n.id and t.status in ('pending', 'authorized') and t.voided_at is null`,
)
const VOID_TOP_UP = statement<{ id: string }>(
  'void top-up',
  `update top_ups set voided_at = $3, follow_at = null
   where merchant_id = $1 and id = $2 and status = 'pending' and not published and voided_at is null returning id`,
)
const SET_NEXT_QUESTION = statement(
  'ask about top-up again',
  'update top_ups set follow_at = $3 where merchant_id = $1 and id = $2 and follow_at is not null',
)
const DUE_TOP_UPS = dueRowsSql('top_ups', 't', 'true')
const claimSql = (due: string) => `
  with due as (${due})
  update top_ups t set follow_at = $3, status = 'authorized', published = true
  from due, rail_attempts a
  where t.merchant_id = due.merchant_id and t.id = due.id and a.merchant_id = due.merchant_id and a.subject = due.id
  returning ${TOP_UP_COLUMNS}, ${ATTEMPT_FACTS}, ${merchantTagSql('t')}`
type FollowedTopUp = Followed<TopUp, ChargeFailure>
const READ_DUE = statement<{ installation: string; levels: QuestionLevel[] }>('due top-ups', DUE_TOP_UPS.levels)
const CLAIM_FREE = statement<FollowedTopUp>(
  'claim due top-ups',
  claimSql(`select t.merchant_id, t.id from top_ups t where t.follow_at <= $1
    and (cardinality($4::text[]) = 0 or (select a.installation from rail_attempts a
      where a.merchant_id = t.merchant_id and a.subject = t.id) <> all($4))
    order by t.follow_at limit $2 for no key update of t skip locked`),
)
const CLAIM_RECENT = statement<FollowedTopUp>('claim recent top-ups', claimSql(DUE_TOP_UPS.recent))
const CLAIM_OLD = statement<FollowedTopUp>('claim old top-ups', claimSql(DUE_TOP_UPS.old))
const FINISH_TOP_UP = statement<TopUp>(
  'end top-up',
  `update top_ups t set status = $3, failure_reason = $4, rail_transaction_id = $5, completed_at = $6, follow_at = null,
     published = true
   where t.merchant_id = $1 and t.id = $2 and t.status in ('pending', 'authorized') and t.voided_at is null
   returning ${TOP_UP_COLUMNS}`,
)

/** Stores a new top-up, hidden until its rail has answered. */
export const addTopUp = (topUp: TopUp, key: string | null): Call =>
  call(
    ADD_TOP_UP,
    topUp.merchantId,
    topUp.id,
    topUp.amount,
    topUp.channel,
    topUp.phone,
    topUp.railReference,
    key,
    topUp.createdAt.toISOString(),
    new Date(topUp.createdAt.getTime() + SENDING_MS).toISOString(),
  )

/** Shows a top-up that its rail took or may have taken, and sets the first question about it. */
export const publishTopUp = (
  app: Pick<App, 'clock' | 'ladders'>,
  { merchantId, id }: TopUpKey,
  publication: Publication,
): Call => callAtTime(PUBLISH_TOP_UP, { merchantId, id }, firstQuestionAt(app, publication))

/** Takes back a top-up that its rail refused before it was shown. Returns no row if it has been shown meanwhile. */
export const takeBackTopUp = ({ merchantId, id }: TopUpKey, at: Date): Call<{ id: string }> =>
  call(VOID_TOP_UP, merchantId, id, at.toISOString())

const BRING_FORWARD = statement(
  'ask about top-ups sooner',
  `update top_ups t set follow_at = least(t.follow_at, n.follow_at)
   from ${unnestColumns('bigint', 'text', 'timestamptz')} as n (merchant_id, id, follow_at)
   where t.merchant_id = n.merchant_id and t.id = n.id and t.follow_at is not null`,
)

/** Brings the next question about an open top-up forward to `at`, if that is earlier. */
export const bringTopUpForward = ({ merchantId, id }: TopUpKey, at: Date): Call =>
  callAtTime(BRING_FORWARD, { merchantId, id }, at)

/** Sets when the rail is asked about an open top-up next. */
export const setNextTopUpQuestion = ({ merchantId, id }: TopUpKey, at: Date): Call =>
  call(SET_NEXT_QUESTION, merchantId, id, at.toISOString())

/** How top-ups that are due are claimed. Claiming one whose submit died also shows it. */
export const TOP_UP_CLAIMS: LiveClaims<FollowedTopUp> = buildLiveClaims('follow-top-ups', {
  free: CLAIM_FREE,
  dueLevels: READ_DUE,
  recent: CLAIM_RECENT,
  old: CLAIM_OLD,
})

/** Gives an open top-up its final status and returns its row; returns none if it was final already. */
export const finishTopUp = ({ merchantId, id }: TopUpKey, to: MovementOutcome<ChargeFailure>, at: Date): Call<TopUp> =>
  call(
    FINISH_TOP_UP,
    merchantId,
    id,
    to.status,
    to.status === 'failed' ? to.reason : null,
    to.status === 'succeeded' ? to.railTransactionId : null,
    at.toISOString(),
  )

/** Brings questions that were put off too far forward to $1, at most $4. Uses the index top_ups_followed. */
export const SET_BACK_TOP_UPS = statement<{ id: string }>(
  'set back questions about top-ups',
  `update top_ups set follow_at = $1
   from (select p.merchant_id, p.id from top_ups p where ${isTooFarAheadSql('p')} limit $4 for no key update skip locked) far
   where top_ups.merchant_id = far.merchant_id and top_ups.id = far.id returning top_ups.id`,
)
