import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { whileClosing } from '../merchants/merchant.ts'
import type { Mode } from '../platform/mode.ts'
import { domainRefusal } from '../platform/refusal.ts'
import { getSubaccount } from '../subaccounts/find-subaccounts.ts'
import { acceptPayout, type Wanted } from './accept-payout.ts'
import type { NewPayout } from './new-payout.ts'
import { DEFAULT_PAYOUT_CHANNEL } from './payout-request.ts'
import { judgePayout } from './payout-rules.ts'
import type { Checked } from './prepared/open-checks.ts'

export type SubaccountPayout = {
  holder: { merchantId: number; tag: string; mode: Mode }
  subaccountId: string
  amount: number
  key?: string | undefined
  /** What its caller approves by it. */
  approval?: Pick<Checked, 'fingerprint' | 'prepared'>
}

// Of a person who sends it alone no bytes are compared.
const NOTHING_PREPARED = { fingerprint: Buffer.alloc(0) }

/**
 * Pays a subaccount's money out to its `payout_phone` (G27): amount and fee leave the subaccount's available, under the rules
 * of any payout, that of the second person included. Throws Refusal with nothing written.
 */
export async function payOutSubaccount(app: App, actor: Actor, payout: SubaccountPayout): Promise<NewPayout> {
  const { merchantId, mode } = payout.holder
  allow(actor, 'subaccount.payout', merchantId)
  const wanted = await wantedOf(app, payout)
  const { phone } = await wanted.payee()
  return acceptPayout(app, {
    ...wanted,
    by: actor.kind === 'person' ? { caller: actor, ...(payout.approval ?? NOTHING_PREPARED) } : undefined,
    alongside: ({ id, fee }) => {
      const act = { actor, action: 'subaccount.payout', at: app.clock.now(), merchantId, mode } as const
      const after = { subaccount: payout.subaccountId, amount: payout.amount, fee, phone }
      return [auditRow({ ...act, subject: id, after })]
    },
  })
}

/** Such a payout and its rules; its phone is that of the subaccount, which never changes. Throws Refusal. */
export async function wantedOf(
  app: App,
  { holder, subaccountId, amount, key }: SubaccountPayout,
): Promise<Wanted & { payee(): Promise<{ phone: string; name: string }> }> {
  const { payoutPhone: phone, name } = await getSubaccount(app, holder, subaccountId)
  if (phone === null)
    throw domainRefusal('no_payout_phone', 'this subaccount has no payout_phone to pay out to')
  return {
    holder,
    origin: { kind: 'subaccount', subaccountId },
    amount,
    key,
    payee: async () => ({ phone, name }),
    before: (terms) =>
      judgePayout(
        { amount, currency: 'UGX', channel: DEFAULT_PAYOUT_CHANNEL },
        { terms: whileClosing(terms), mode: holder.mode, config: app.config },
      ),
  }
}
