import { numbers, words } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { AttemptState } from '../rails/attempts.ts'
import type { PayoutFailure } from '../rails/rail.ts'
import type { Payout } from './payout.ts'

/** What an attempt knows about its posts and questions. */
export type AttemptFacts = {
  installation: string
  state: AttemptState
  /** The number of its last post. An answer to an earlier one says nothing about this one. */
  nth: number
  reposts: number
  /** Since when the operator may have it; null while it provably does not. */
  firstSentAt: Date | null
  sendingSince: Date | null
  submitEndedAt: Date | null
  questionCount: number
  notFoundCount: number
  firstNotFoundAt: Date | null
  /** With which word a repeated post was refused. */
  refusedAs: PayoutFailure | null
}

/** A live payout whose row and attempt this transaction has locked. */
export type LockedPost = AttemptFacts & {
  id: string
  /** Neither ended nor taken back. */
  open: boolean
  voided: boolean
}

export const ATTEMPT_FACTS = `a.installation, a.state, a.sends as nth, a.reposts, a.first_sent_at as "firstSentAt",
  a.sending_since as "sendingSince", a.submit_ended_at as "submitEndedAt", a.question_count as "questionCount",
  a.not_found_count as "notFoundCount", a.first_not_found_at as "firstNotFoundAt", a.refused_as as "refusedAs"`

const LOCK_POSTS = statement<LockedPost>(
  'lock payouts with attempts',
  `select p.id, p.voided_at is not null as voided, p.status in ('pending', 'authorized') and p.voided_at is null as open,
     ${ATTEMPT_FACTS}
   from payouts p join rail_attempts a on a.merchant_id = p.merchant_id and a.subject = p.id
   where (p.merchant_id, p.id) in (select * from unnest($1::bigint[], $2::text[]))
   order by p.merchant_id, p.id for no key update of p, a`,
)

/**
 * Locks live payouts with their attempts, payouts first: whoever sends one, or judges what was heard about one, does so on
 * these rows. Everything else (stops, heads, keys) is locked after them.
 */
export const lockPosts = (payouts: readonly Pick<Payout, 'merchantId' | 'id'>[]): Call<LockedPost> =>
  call(LOCK_POSTS, numbers(payouts.map((one) => one.merchantId)), words(payouts.map((one) => one.id)))

/**
 * Whether an answer to the post of this number still counts. It does not when somebody has posted it again meanwhile (this
 * process slept, and its lease ran out), nor when the operator has said in between that it has it.
 */
export const isCurrent = (locked: LockedPost | undefined, nth: number): locked is LockedPost =>
  locked !== undefined && locked.nth === nth && (locked.state === 'sending' || locked.state === 'in_doubt')
