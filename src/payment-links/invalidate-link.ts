import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { PaymentLink } from './payment-link.ts'

// A second call keeps the first time.
const INVALIDATE = statement(
  'invalidate payment link',
  `update payment_links set invalidated_at = coalesce(invalidated_at, $3)
   where merchant_id = $1 and id = $2 and kind = 'order'`,
)

/**
 * Invalidates an order's link as of this time: no payment can be started on it any more. The row has been locked by
 * `lockLink`.
 */
export const invalidateLink = ({ merchantId, id }: Pick<PaymentLink, 'merchantId' | 'id'>, at: Date): Call =>
  call(INVALIDATE, merchantId, id, at.toISOString())
