import type { App } from '../app.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { tagOf } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { findLink } from './find-links.ts'
import type { LinkWithCharges, PaymentLink } from './payment-link.ts'

// Switching off again keeps the first time. The attached charge does not change.
const SWITCH = statement<{ id: string }>(
  'switch payment link',
  `update payment_links set switched_off_at = case when $3::timestamptz is not null then coalesce(switched_off_at, $3) end
   where merchant_id = $1 and id = $2 and kind = 'link' returning id`,
)

/** Switches one link off as of this time, or on again (null), in the caller's transaction. */
export const switchTo = ({
  merchantId,
  id,
  switchedOffAt,
}: Pick<PaymentLink, 'merchantId' | 'id' | 'switchedOffAt'>): Call<{ id: string }> =>
  call(SWITCH, merchantId, id, switchedOffAt?.toISOString() ?? null)

/**
 * Switches a link of either mode off or on again (contract.md G26d). It waits for a payment that is being started; after it
 * returns, no further one starts on a link that is off. An open payment goes on, and a paid one-shot link stays paid.
 * Throws 404 `payment link not found`.
 */
export async function switchLink(
  app: App,
  { id: merchantId, tag }: Pick<Merchant, 'id' | 'tag'>,
  { id, to }: { id: string; to: 'on' | 'off' },
): Promise<LinkWithCharges> {
  const switchedOffAt = to === 'off' ? app.clock.now() : null
  const switched = switchTo({ merchantId, id, switchedOffAt })
  const [row] = tagOf('lnk_', id) === tag ? await app.db.query(switched.statement, switched.values) : []
  const link = row ? await findLink(app, { merchantId, id }) : null
  if (link === null) throw notFound('payment link')
  return link
}
