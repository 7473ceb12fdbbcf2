import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { findLink } from './find-links.ts'
import type { LinkWithCharges, PaymentLink } from './payment-link.ts'

type SwitchedLink = Pick<PaymentLink, 'mode'>

// A link that is switched off twice keeps the first time. The attached charge does not change.
const SWITCH_LINK = statement<SwitchedLink>(
  'switch payment link',
  `update payment_links set switched_off_at = case when $3::timestamptz is not null then coalesce(switched_off_at, $3) end
   where merchant_id = $1 and id = $2 and kind = 'link' returning mode`,
)

/** Switches one link off from this time on, or on (null), in the caller's transaction. */
export const setLinkSwitch = ({
  merchantId,
  id,
  switchedOffAt,
}: Pick<PaymentLink, 'merchantId' | 'id' | 'switchedOffAt'>): Call<SwitchedLink> =>
  call(SWITCH_LINK, merchantId, id, switchedOffAt?.toISOString() ?? null)

/**
 * Switches a link of either mode off or on (contract.md G26d). Waits for a payment that is being started; after this returns,
 * no further payment starts on a link that is off. An open payment continues, and a paid one-shot link stays paid.
 * Throws 404 `payment link not found`.
 */
export async function switchLink(
  app: App,
  actor: Actor,
  { owner, id, to }: { owner: Pick<Merchant, 'id' | 'tag'>; id: string; to: 'on' | 'off' },
): Promise<LinkWithCharges> {
  const merchantId = owner.id
  allow(actor, 'link.switch', merchantId)
  if (parseTag('lnk_', id) !== owner.tag) throw notFound('payment link')
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    const [[row]] = await tx.send(setLinkSwitch({ merchantId, id, switchedOffAt: to === 'off' ? at : null }))
    if (!row) throw notFound('payment link')
    const act = { actor, action: 'link.switch', at, merchantId, mode: row.mode } as const
    return { value: null, last: [auditRow({ ...act, subject: id, after: { to } })] }
  })
  const link = await findLink(app, { merchantId, id })
  assert(link, 'a payment link is never deleted')
  return link
}
