import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import type { Mode } from '../merchants/merchant.ts'
import { domainRefusal } from '../platform/refusal.ts'
import { getSubaccount } from '../subaccounts/find-subaccounts.ts'
import { acceptPayout } from './accept-payout.ts'
import type { NewPayout } from './new-payout.ts'
import { DEFAULT_PAYOUT_CHANNEL } from './payout-request.ts'
import { judgePayout } from './payout-rules.ts'

type SubaccountPayout = {
  holder: { merchantId: number; tag: string; mode: Mode }
  subaccountId: string
  amount: number
  key?: string | undefined
}

/**
 * Pays a subaccount's money out to its `payout_phone` (G27): amount and fee leave the subaccount's available, under the rules
 * of any payout. Throws Refusal with nothing written.
 */
export async function payOutSubaccount(
  app: App,
  actor: Actor,
  { holder, subaccountId, amount, key }: SubaccountPayout,
): Promise<NewPayout> {
  const { merchantId, mode } = holder
  allow(actor, 'subaccount.payout', merchantId)
  const subaccount = await getSubaccount(app, holder, subaccountId)
  const { payoutPhone, name } = subaccount
  if (payoutPhone === null)
    throw domainRefusal('no_payout_phone', 'this subaccount has no payout_phone to pay out to')
  return acceptPayout(app, {
    holder,
    origin: { kind: 'subaccount', subaccountId },
    amount,
    key,
    alongside: ({ id, fee }) => {
      const act = { actor, action: 'subaccount.payout', at: app.clock.now(), merchantId, mode } as const
      const after = { subaccount: subaccountId, amount, fee, phone: payoutPhone }
      return [auditRow({ ...act, subject: id, after })]
    },
    payee: async () => ({ phone: payoutPhone, name }),
    before: (terms) =>
      judgePayout(
        { amount, currency: 'UGX', channel: DEFAULT_PAYOUT_CHANNEL },
        { terms, mode, config: app.config },
      ),
  })
}
