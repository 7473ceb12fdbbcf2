import { numbers, words } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { ATTEMPT_FACTS, type AttemptFacts, isCurrentPost } from '../../rails/attempt-facts.ts'
import type { PayoutFailure } from '../../rails/rail.ts'
import type { Payout } from '../payout.ts'

/** A live payout whose row and attempt this transaction has locked. */
export type LockedPost = AttemptFacts<PayoutFailure> & {
  id: string
  /** Neither ended nor taken back. */
  open: boolean
  voided: boolean
}

const LOCK_POSTS = statement<LockedPost>(
  'lock payouts with attempts',
  `select p.id, p.voided_at is not null as voided, p.status in ('pending', 'authorized') and p.voided_at is null as open,
     ${ATTEMPT_FACTS}
   from payouts p join rail_attempts a on a.merchant_id = p.merchant_id and a.subject = p.id
   where (p.merchant_id, p.id) in (select * from unnest($1::bigint[], $2::text[]))
   order by p.merchant_id, p.id for no key update of p, a`,
)

/**
 * Locks live payouts with their attempts, payouts first. Posts and answers are decided on these locked rows. Everything
 * else (stops, heads, keys) is locked after them.
 */
export const lockPosts = (payouts: readonly Pick<Payout, 'merchantId' | 'id'>[]): Call<LockedPost> =>
  call(LOCK_POSTS, numbers(payouts.map((one) => one.merchantId)), words(payouts.map((one) => one.id)))

/** Whether an answer to the post of this number still counts. */
export const isCurrent = (locked: LockedPost | undefined, nth: number): locked is LockedPost =>
  locked !== undefined && isCurrentPost(locked, nth)
