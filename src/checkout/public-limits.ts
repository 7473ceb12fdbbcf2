import type { Config } from '../config.ts'
import { type AddressWindow, addressWindow } from '../platform/rate/address-window.ts'

/** How often one client address may do what on the hosted pages (contract.md 2.1a). */
export type PublicLimits = {
  pages: AddressWindow
  /** Forms with money or vouchers: of one link (the key is link and address), and of all. */
  submitsOfLink: AddressWindow
  submits: AddressWindow
  voucherMisses: AddressWindow
  reports: AddressWindow
}

const HOUR_MS = 3_600_000

export const publicLimits = (config: Config): PublicLimits => ({
  pages: addressWindow(config.ratePublicPages),
  submitsOfLink: addressWindow(config.rateCheckout),
  submits: addressWindow(config.rateCheckoutAll),
  voucherMisses: addressWindow(config.rateVoucherMisses),
  reports: addressWindow(config.rateReports, HOUR_MS),
})
