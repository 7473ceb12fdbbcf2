import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { termsWhileClosing } from '../../merchants/account/merchant.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { getSubaccount } from '../subaccounts/find-subaccounts.ts'
import { acceptPayout, type CommandPayoutInput } from './accept-payout.ts'
import type { NewPayout } from './new-payout.ts'
import { DEFAULT_PAYOUT_CHANNEL } from './payout-request.ts'
import { judgePayout } from './payout-rules.ts'
import type { CheckedRequest } from './prepared/open-checks.ts'

export type SubaccountPayout = {
  holder: { merchantId: number; tag: string; mode: Mode }
  subaccountId: string
  amount: number
  key?: string | undefined
  /** The prepared payout that its caller approves with it, if any. */
  approval?: Pick<CheckedRequest, 'fingerprint' | 'prepared'>
}

// Where a person sends it alone, there are no prepared bytes to compare with.
const NOTHING_PREPARED = { fingerprint: Buffer.alloc(0) }

/**
 * Pays a subaccount's money out to its `payout_phone` (G27): amount and fee leave the subaccount's available balance, under the rules
 * of every payout, the rule of the second person included. Throws Refusal with nothing written.
 */
export async function payOutSubaccount(app: App, actor: Actor, payout: SubaccountPayout): Promise<NewPayout> {
  const { merchantId, mode } = payout.holder
  allow(actor, 'subaccount.payout', merchantId)
  const input = await buildSubaccountPayout(app, payout)
  const { phone } = await input.payee()
  return acceptPayout(app, {
    ...input,
    by: actor.kind === 'person' ? { caller: actor, ...(payout.approval ?? NOTHING_PREPARED) } : undefined,
    alongside: ({ id, fee }) => {
      const act = { actor, action: 'subaccount.payout', at: app.clock.now(), merchantId, mode } as const
      const after = { subaccount: payout.subaccountId, amount: payout.amount, fee, phone }
      return [auditRow({ ...act, subject: id, after })]
    },
  })
}

/** Builds the pay-out of a subaccount with its rules. Its phone is the subaccount's, which never changes. Throws Refusal. */
export async function buildSubaccountPayout(
  app: App,
  { holder, subaccountId, amount, key }: SubaccountPayout,
): Promise<CommandPayoutInput & { payee(): Promise<{ phone: string; name: string }> }> {
  const { payoutPhone: phone, name } = await getSubaccount(app, holder, subaccountId)
  if (phone === null) throw domainRefusal('no_payout_phone', 'this subaccount has no payout_phone to pay out to')
  return {
    holder,
    origin: { kind: 'subaccount', subaccountId },
    amount,
    key,
    payee: async () => ({ phone, name }),
    before: (terms) =>
      judgePayout(
        { amount, currency: 'UGX', channel: DEFAULT_PAYOUT_CHANNEL },
        { terms: termsWhileClosing(terms), mode: holder.mode, config: app.config },
      ),
  }
}
