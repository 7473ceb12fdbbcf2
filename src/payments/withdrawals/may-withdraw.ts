import { type MerchantTerms, termsWhileClosing } from '../../merchants/account/merchant.ts'

/** Whether an account may withdraw. A closing one may, to get its money; a closed one too, for money that comes later (a correction). */
export const mayWithdraw = (terms: MerchantTerms): boolean =>
  termsWhileClosing(terms).active || terms.account === 'closed'
