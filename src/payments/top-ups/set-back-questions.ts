import { statement } from '../../platform/db/statement.ts'
import { isTooFarAheadSql } from '../../rails/following/questions-too-far-ahead.ts'

/** Brings questions that were put off too far forward to $1, at most $4. Uses the index top_ups_followed. */
export const SET_BACK_TOP_UPS = statement<{ id: string }>(
  'set back questions about top-ups',
  `update top_ups set follow_at = $1
   from (select p.merchant_id, p.id from top_ups p where ${isTooFarAheadSql('p')} limit $4 for no key update skip locked) far
   where top_ups.merchant_id = far.merchant_id and top_ups.id = far.id returning top_ups.id`,
)
