import { statement } from '../../platform/db/statement.ts'
import { isTooFarAheadSql } from '../../rails/following/questions-too-far-ahead.ts'

/** Makes charges due now whose next question was put too far ahead. Index: charges_followed. */
export const SET_BACK_CHARGES = statement<{ id: string }>(
  'set back questions about charges',
  `update charges set follow_at = $1
   from (select p.merchant_id, p.id from charges p where p.mode = any('{test,live}'::mode[]) and ${isTooFarAheadSql('p')} limit $4 for no key update skip locked) far
   where charges.merchant_id = far.merchant_id and charges.id = far.id returning charges.id`,
)
