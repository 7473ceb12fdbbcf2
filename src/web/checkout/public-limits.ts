import type { Logger } from 'pino'
import { type AddressWindow, newAddressWindow } from '../../api/rate-limits/address-window.ts'
import {
  type AddressCounts,
  newSharedAddressWindow,
  type SharedAddressWindow,
} from '../../api/rate-limits/shared-address-window.ts'
import type { Config } from '../../program/settings/config.ts'

/** The limits of the hosted pages for each client address (contract.md 2.1a). */
export type PublicLimits = {
  pages: AddressWindow
  /** Polls of waiting pages and machine screens: for one page (the key is page and address), and over all pages. */
  pollsOfPage: AddressWindow
  polls: AddressWindow
  /** Forms with money or vouchers: for one link (the key is link and address), and over all links. */
  submitsOfLink: SharedAddressWindow
  submits: SharedAddressWindow
  voucherMisses: SharedAddressWindow
  reports: SharedAddressWindow
  /** Counts forms sent to addresses that do not exist. */
  strays: AddressWindow
}

const HOUR_MS = 3_600_000

/**
 * Makes the limits. Those that protect money or codes are counted over all processes together. `counts` throws until the
 * database has been reached.
 */
export function newPublicLimits(
  config: Config,
  { counts, log }: { counts(): AddressCounts; log: Logger },
): PublicLimits {
  const shared = (what: string, limit: number, windowMs?: number) =>
    newSharedAddressWindow({ what, limit, counts, log, ...(windowMs === undefined ? {} : { windowMs }) })
  return {
    pages: newAddressWindow(config.ratePublicPages),
    pollsOfPage: newAddressWindow(config.ratePolls),
    polls: newAddressWindow(config.ratePollsAll),
    submitsOfLink: shared('forms of a link', config.rateCheckout),
    submits: shared('forms', config.rateCheckoutAll),
    voucherMisses: shared('voucher misses', config.rateVoucherMisses),
    reports: shared('problem reports', config.rateReports, HOUR_MS),
    strays: newAddressWindow(config.ratePublicPages),
  }
}
