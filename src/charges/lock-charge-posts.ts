import { numbers, words } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { ATTEMPT_FACTS, type AttemptFacts } from '../rails/attempt-facts.ts'
import type { ChargeFailure } from '../rails/rail.ts'
import type { Charge } from './charge.ts'

/** A live charge whose row and attempt this transaction has locked. */
export type LockedChargePost = AttemptFacts<ChargeFailure> & {
  id: string
  /** Neither ended nor taken back. */
  open: boolean
  voided: boolean
}

const LOCK = statement<LockedChargePost>(
  'lock charges with attempts',
  `select c.id, c.voided_at is not null as voided, c.status in ('pending', 'authorized') and c.voided_at is null as open,
     ${ATTEMPT_FACTS}
   from charges c join rail_attempts a on a.merchant_id = c.merchant_id and a.subject = c.id
   where (c.merchant_id, c.id) in (select * from unnest($1::bigint[], $2::text[]))
   order by c.merchant_id, c.id for no key update of c, a`,
)

/** Locks live charges with their attempts. Answers and posts are decided on these locked rows. */
export const lockChargePosts = (
  charges: readonly Pick<Charge, 'merchantId' | 'id'>[],
): Call<LockedChargePost> =>
  call(LOCK, numbers(charges.map((one) => one.merchantId)), words(charges.map((one) => one.id)))
