import { type MerchantTerms, whileClosing } from '../merchants/merchant.ts'

/** What is owed is paid out while an account closes, and what comes later (a correction) after it has closed. */
export const mayWithdraw = (terms: MerchantTerms): boolean =>
  whileClosing(terms).active || terms.account === 'closed'
