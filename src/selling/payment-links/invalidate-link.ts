import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { PaymentLink } from './payment-link.ts'

// A repeat keeps the first time.
const INVALIDATE_LINK = statement(
  'invalidate payment link',
  `update payment_links set invalidated_at = coalesce(invalidated_at, $3)
   where merchant_id = $1 and id = $2 and kind = 'order'`,
)

/**
 * Invalidates an order's link from this time on: no further payment can be started on it. `lockLink` has locked the row.
 */
export const invalidateLink = ({ merchantId, id }: Pick<PaymentLink, 'merchantId' | 'id'>, at: Date): Call =>
  call(INVALIDATE_LINK, merchantId, id, at.toISOString())
