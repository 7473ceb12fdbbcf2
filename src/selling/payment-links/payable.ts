import type { MerchantTerms } from '../../merchants/account/merchant.ts'
import { maxChargeAmount } from '../../payments/charges/charge-rules.ts'
import type { Mode } from '../../platform/mode.ts'
import type { Config } from '../../program/settings/config.ts'
import type { PaymentLink } from './payment-link.ts'

type SellerTerms = Pick<MerchantTerms, 'active' | 'kycStatus'>

/** Whether the merchant may take money in this mode. */
export const maySell = ({ active, kycStatus }: SellerTerms, mode: Mode): boolean =>
  active && (mode === 'test' || kycStatus === 'verified')

/**
 * Whether a payment may be started on a link, an item or an order under the merchant's present terms (contract.md G3, G43).
 * Used twice: for what a page shows, and on locked rows by the commit that stores the charge.
 */
export function mayBePaid(
  { kind, mode, amount, switchedOffAt }: Pick<PaymentLink, 'kind' | 'mode' | 'amount' | 'switchedOffAt'>,
  terms: SellerTerms & Pick<MerchantTerms, 'vendingEnabled' | 'chargeLimit'>,
  config: Pick<Config, 'amountMax'>,
): boolean {
  if (switchedOffAt !== null || !maySell(terms, mode)) return false
  // An order cannot be paid while its machine would not be commanded.
  if (kind === 'order' && !terms.vendingEnabled) return false
  return amount <= maxChargeAmount(terms, config)
}
