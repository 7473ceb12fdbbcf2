import { statement } from '../../platform/db/statement.ts'
import { isTooFarAheadSql } from '../../rails/following/questions-too-far-ahead.ts'

/**
 * Makes payouts due now whose next question was put too far ahead. A queued payout waits for up to an hour before it is posted again.
 * Index: payouts_due.
 */
export const SET_BACK_PAYOUTS = statement<{ id: string }>(
  'set back questions about payouts',
  `update payouts set follow_at = $1
   from (select p.merchant_id, p.id from payouts p where p.follow_at is not null and ${isTooFarAheadSql('p')}
       and (not p.in_queue or p.follow_at > $1::timestamptz + interval '75 minutes') limit $4 for no key update skip locked) far
   where payouts.merchant_id = far.merchant_id and payouts.id = far.id returning payouts.id`,
)
