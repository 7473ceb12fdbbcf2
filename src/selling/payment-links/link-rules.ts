import { chargeFee } from '../../ledger/fees.ts'
import { type MerchantTerms, merchantInactive } from '../../merchants/account/merchant.ts'
import { judgeAmount, verificationRequired } from '../../payments/charges/charge-rules.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { Config } from '../../program/settings/config.ts'
import type { PaymentLinkCreate } from './link-request.ts'

/**
 * Checks a new link by the domain rules in the order of contract.md G26a, one refusal a line. A link that passes can also be
 * paid by the rules of charges. The form was checked before.
 */
export function judgeLink(
  { amount, currency }: Pick<PaymentLinkCreate, 'amount' | 'currency'>,
  {
    terms,
    mode,
    config,
  }: {
    terms: Pick<MerchantTerms, 'active' | 'chargeLimit' | 'kycStatus'> & Partial<Pick<MerchantTerms, 'account'>>
    mode: Mode
    config: Pick<Config, 'amountMax'>
  },
): void {
  if (!terms.active) throw merchantInactive(terms)
  judgeAmount({ amount, currency }, { terms, config })
  if (chargeFee(amount) >= amount) throw domainRefusal('fee_exceeds_amount', 'fee exceeds amount', { field: 'amount' })
  if (mode === 'live' && terms.kycStatus !== 'verified') throw verificationRequired()
}
