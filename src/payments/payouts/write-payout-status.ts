import { callForRow, toColumns, unnestColumns } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { firstQuestionAt, type Publication } from '../../rails/following/ladders.ts'
import { AMBIGUOUS_REASON, PAYOUT_COLUMNS, type Payout } from './payout.ts'
import { TEST_QUEUE_SQL } from './sending/claim-payouts.ts'

// Only this file writes the status of a payout. Each function is a move of PAYOUT_MOVES, or takes back a payout that was never shown.

// The payouts of a schedule's cycle are created as `pending`; in test mode this statement sends them (rails.md 2.1).
const AUTHORIZE_TEST = statement<{ id: string }>(
  'authorize test payouts',
  `with ${TEST_QUEUE_SQL},
   timed as materialized (
     select merchant_id, id, greatest(created_at + $3 * interval '1 second', $1::timestamptz) as outcome_at from due)
   update payouts p set status = 'authorized', follow_at = t.outcome_at
   from timed t where p.merchant_id = t.merchant_id and p.id = t.id returning p.id`,
)
/** Sends at most `limit` test payouts that are due, of each merchant in turn. */
export const authorizeTestPayouts = (now: Date, limit: number, outcomeSeconds: number): Call<{ id: string }> =>
  call(AUTHORIZE_TEST, now.toISOString(), limit, outcomeSeconds)

const PUBLISH = statement(
  'publish live payouts',
  `update payouts p set status = 'authorized', published = true, follow_at = n.follow_at, failure_reason = n.failure_reason
   from ${unnestColumns('bigint', 'text', 'timestamptz', 'text')} as n (merchant_id, id, follow_at, failure_reason)
   where p.merchant_id = n.merchant_id and p.id = n.id and p.status in ('pending', 'authorized') and p.voided_at is null`,
)

/** Shows the payout as `authorized`: the rail took it, or (with the ambiguous reason) may have taken it. */
export const publishPayout = (
  app: Pick<App, 'clock' | 'ladders'>,
  payout: Pick<Payout, 'merchantId' | 'id'>,
  how: Publication,
): Call => {
  const row = {
    ...{ merchantId: payout.merchantId, id: payout.id, followAt: firstQuestionAt(app, how) },
    reason: how.acceptedBy === null ? AMBIGUOUS_REASON : null,
  }
  return callForRow(PUBLISH, { row, name: payout.id }, (each) => [
    ...each.numbers('merchantId'),
    ...each.texts('id'),
    ...each.times('followAt'),
    ...each.texts('reason'),
  ])
}

// A payout whose submit has no recorded end is shown from now on, with the ambiguous reason.
const SET_NEXT_QUESTION = statement(
  'ask about live payout again',
  `update payouts set follow_at = $3, status = 'authorized', published = true, failure_reason = coalesce($4, failure_reason)
   where merchant_id = $1 and id = $2 and follow_at is not null and status in ('pending', 'authorized')`,
)

/** Sets the next question about an open payout and shows it. `reason` is the failure reason shown meanwhile, null to keep the present one. */
export const showAndSetNextQuestion = (
  { merchantId, id }: Pick<Payout, 'merchantId' | 'id'>,
  { at, reason }: { at: Date; reason: typeof AMBIGUOUS_REASON | null },
): Call => call(SET_NEXT_QUESTION, merchantId, id, at.toISOString(), reason)

/** The outcome of an open payout as the compare-and-set writes it. `voided`: taken back before it was shown. */
export type PayoutOutcomeRow = {
  merchantId: number
  id: string
  status: 'succeeded' | 'failed' | 'voided'
  failureReason: string | null
  railTransactionId: string | null
}

export type FinishedPayout = Payout & { feeToReturn: number; voided: boolean; limitedKey: string | null }

// A voided payout stays `pending` and hidden; a payout that was shown can no longer be voided.
const FINISH_PAYOUTS = statement<FinishedPayout>(
  'end payouts',
  `update payouts p set status = case when n.status = 'voided' then p.status else n.status end,
     failure_reason = n.failure_reason, rail_transaction_id = n.rail_transaction_id,
     completed_at = case when n.status = 'voided' then null else $6::timestamptz end,
     voided_at = case when n.status = 'voided' then $6::timestamptz end,
     published = n.status <> 'voided', follow_at = null
   from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
     as n (merchant_id, id, status, failure_reason, rail_transaction_id)
   where p.merchant_id = n.merchant_id and p.id = n.id and p.status in ('pending', 'authorized') and p.voided_at is null
     and (n.status <> 'voided' or (p.status = 'pending' and not p.published))
   returning ${PAYOUT_COLUMNS}, p.fee_to_return as "feeToReturn", p.voided_at is not null as voided,
     p.limited_key as "limitedKey"`,
)

/** Finishes the payouts that are still open and returns their rows; the others were finished before by another call. */
export function finishPayouts(outcomes: readonly PayoutOutcomeRow[], at: Date): Call<FinishedPayout> {
  const each = toColumns(outcomes)
  return call(
    FINISH_PAYOUTS,
    ...each.numbers('merchantId'),
    ...each.texts('id', 'status', 'failureReason'),
    ...each.values('railTransactionId'),
    at.toISOString(),
  )
}
