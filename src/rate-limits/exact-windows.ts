import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { mapValues } from '../platform/map-values.ts'
import type { Config } from '../settings/config.ts'
import { type ExactWindow, exactWindow } from './exact-window.ts'
import { type LeasedWindow, leasedWindow } from './leased-window.ts'

/** A limit that is counted exactly over all processes: of everything that writes, asks an operator or is expensive. */
export type ExactRate = keyof ReturnType<typeof limitsOf>
export type ExactWindows = Readonly<Record<Exclude<ExactRate, 'charges'>, ExactWindow>> & {
  readonly charges: LeasedWindow
}

// The first four are taken in the transaction of the work itself, the others in one before it.
const limitsOf = (config: Config) => ({
  charges: config.rateCharges,
  payouts: config.ratePayouts,
  bulk_payouts: config.ratePayouts,
  refunds: config.rateRefunds,
  webhook_resend: config.rateWebhookResend,
  resolve_account: config.rateResolveAccount,
  statement_pdf: config.rateStatementPdf,
  subaccounts: config.rateSubaccounts,
  payment_links: config.ratePaymentLinks,
  vending_orders: config.rateVending,
  direct_dispense: config.rateVending,
  invalidate_order: config.rateVending,
  retry_dispense: config.rateDispenseRetry,
  conformance: config.rateDispenseRetry,
  dispense_secret: config.rateDispenseSecret,
  scheduled_payouts: config.rateSchedules,
  pause_schedule: config.rateSchedules,
  resume_schedule: config.rateSchedules,
  cancel_schedule: config.rateSchedules,
})

/** The windows of one cell, by the rate name of their endpoint. Every payment passes the one of charges. */
export const exactWindows = (
  config: Config,
  { db, clock }: { db: Database; clock: Clock },
): ExactWindows => ({
  ...mapValues(limitsOf(config), (limit, what) => exactWindow({ what, limit, db })),
  charges: leasedWindow({ what: 'charges', limit: config.rateCharges, db, clock }),
})
