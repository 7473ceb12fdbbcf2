import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type AddressWindow, addressWindow } from '../platform/rate/address-window.ts'
import {
  type AddressCounts,
  type SharedAddressWindow,
  sharedAddressWindow,
} from '../platform/rate/shared-address-window.ts'

/** How often one client address may do what on the hosted pages (contract.md 2.1a). */
export type PublicLimits = {
  pages: AddressWindow
  /** What waiting pages and machines' screens ask every two seconds: of one page (the key is page and address), and of all. */
  pollsOfPage: AddressWindow
  polls: AddressWindow
  /** Forms with money or vouchers: of one link (the key is link and address), and of all. */
  submitsOfLink: SharedAddressWindow
  submits: SharedAddressWindow
  voucherMisses: SharedAddressWindow
  reports: SharedAddressWindow
  /** Forms that were sent to what does not exist. */
  strays: AddressWindow
}

const HOUR_MS = 3_600_000

/** What guards money or codes is counted by all processes together. `counts` throws until the database has been reached. */
export function publicLimits(
  config: Config,
  { counts, log }: { counts(): AddressCounts; log: Logger },
): PublicLimits {
  const shared = (what: string, limit: number, windowMs?: number) =>
    sharedAddressWindow({ what, limit, counts, log, ...(windowMs === undefined ? {} : { windowMs }) })
  return {
    pages: addressWindow(config.ratePublicPages),
    pollsOfPage: addressWindow(config.ratePolls),
    polls: addressWindow(config.ratePollsAll),
    submitsOfLink: shared('forms of a link', config.rateCheckout),
    submits: shared('forms', config.rateCheckoutAll),
    voucherMisses: shared('voucher misses', config.rateVoucherMisses),
    reports: shared('problem reports', config.rateReports, HOUR_MS),
    strays: addressWindow(config.ratePublicPages),
  }
}
