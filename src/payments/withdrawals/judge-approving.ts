import { lockTerms, type MerchantTerms } from '../../merchants/account/merchant.ts'
import type { Tx } from '../../platform/db/database.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { mayWithdraw } from './may-withdraw.ts'
import { findWaitReason, shareWithdrawalNumber, type WithdrawalNumber } from './withdrawal-number.ts'

/**
 * Refuses to approve a withdrawal if the facts that its request was judged by have changed since. Decided on locked rows.
 * Throws 409 that says what to do instead; rejecting the withdrawal always returns the money.
 */
export async function judgeWithdrawalApproval(
  app: App,
  tx: Tx,
  { merchantId, phone }: { merchantId: number; phone: string },
): Promise<void> {
  const [[terms], [own]] = await tx.send(lockTerms([merchantId]), shareWithdrawalNumber(merchantId))
  const reason = findChange(terms, own, phone) ?? (own ? findWaitReason(app, own) : null)
  if (reason !== null) throw new Refusal(409, 'conflict', reason)
}

function findChange(terms: MerchantTerms | undefined, own: WithdrawalNumber | undefined, phone: string): string | null {
  if (!terms || !mayWithdraw(terms))
    return 'this merchant is inactive now: reject the withdrawal, or approve it when the merchant is active again'
  if (terms.kycStatus !== 'verified')
    return 'this merchant is not verified any more: reject the withdrawal, or approve it when the merchant is verified again'
  if (own?.phone !== phone)
    return 'the merchant has set another number since: reject the withdrawal, and it can be asked for again to the new number'
  if (!own.verified)
    return 'the number was set anew since and is not verified: verify it and approve the withdrawal then, or reject it'
  return null
}
