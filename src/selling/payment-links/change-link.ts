import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { forgetByCharges } from '../../payments/charges/forget-payer.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { holdLink, lockLink } from './hold-link.ts'
import { attemptHolding } from './link-attempts.ts'
import type { PaymentLink } from './payment-link.ts'

/**
 * Detaches a failed attempt from a one-shot link, so that it may be paid again (contract.md G46). An open or paid attempt
 * stays attached. Returns whether the link is free.
 */
export function retryLink(
  app: App,
  actor: Actor,
  { merchantId, id }: Pick<PaymentLink, 'merchantId' | 'id'>,
): Promise<boolean> {
  allow(actor, 'link.pay')
  return app.db.transaction(async (tx): Promise<{ value: boolean; last?: readonly Call[] }> => {
    const [, [attempt]] = await tx.send(lockLink(merchantId, id), attemptHolding(merchantId, id))
    if (!attempt) return { value: true }
    if (attempt.status !== 'failed') return { value: false }
    return { value: true, last: [holdLink({ merchantId, id, chargeId: null })] }
  })
}

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

/**
 * Takes metadata, which may name a person, off the one-shot links and orders that charges of a number hold. Links are asked before their
 * charges are forgotten: a charge without metadata leads to none. A link for many customers keeps its own, and so does one whose attempt failed:
 * somebody else may pay it.
 */
export const forgetLinkPayer = forgetByCharges('forget payer of payment links', {
  update: 'update payment_links u set metadata = null',
  found: (charges) =>
    `select l.merchant_id, l.id from ${charges}
       join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id and l.charge_id = c.id
     where c.metadata is not null and c.status <> 'failed' and l.metadata is not null`,
})
