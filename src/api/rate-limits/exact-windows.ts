import type { Database } from '../../platform/db/database.ts'
import { mapValues } from '../../platform/map-values.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Config } from '../../program/settings/config.ts'
import { type ExactWindow, newExactWindow } from './exact-window.ts'
import type { GrantedRateCache } from './granted-rates.ts'
import { type LeasedWindow, newLeasedWindow } from './leased-window.ts'
import { RATE_SETTINGS, type RateName } from './rates.ts'

/** A limit that is counted exactly over all processes: of endpoints that write, ask an operator or are expensive. */
type ExactRate = keyof typeof RATE_BY_ENDPOINT
export type ExactWindows = Readonly<Record<Exclude<ExactRate, 'charges'>, ExactWindow>> & {
  readonly charges: LeasedWindow
}

// The first four are counted in the transaction of the work itself, the others in one before it.
const RATE_BY_ENDPOINT = {
  charges: 'charges',
  payouts: 'payouts',
  bulk_payouts: 'payouts',
  refunds: 'refunds',
  webhook_resend: 'webhook_resend',
  webhook_addresses: 'webhook_resend',
  resolve_account: 'resolve_account',
  statement_pdf: 'statement_pdf',
  subaccounts: 'subaccounts',
  payment_links: 'payment_links',
  vending_orders: 'vending',
  direct_dispense: 'vending',
  invalidate_order: 'vending',
  retry_dispense: 'dispense_retry',
  conformance: 'dispense_retry',
  dispense_secret: 'dispense_secret',
  test_clock: 'testing',
  test_funds: 'testing',
  test_next: 'testing',
  test_events: 'testing',
  grade_receiver: 'grading',
  test_accounts: 'testing',
  scheduled_payouts: 'schedules',
  pause_schedule: 'schedules',
  resume_schedule: 'schedules',
  cancel_schedule: 'schedules',
} as const satisfies Record<string, RateName>

/** Makes the windows of one cell, by the rate name of their endpoint. Every payment passes the one of charges. */
export const newExactWindows = (
  config: Config,
  { db, clock, granted }: { db: Database; clock: Clock; granted: GrantedRateCache },
): ExactWindows => {
  const limitsOf = (rate: RateName) => ({
    limit: config[RATE_SETTINGS[rate]],
    grantedTo: (merchantId: number) => granted.rateOf(rate, merchantId),
  })
  return {
    ...mapValues(RATE_BY_ENDPOINT, (rate, what) => newExactWindow({ what, ...limitsOf(rate), db })),
    charges: newLeasedWindow({ what: 'charges', ...limitsOf('charges'), db, clock }),
  }
}
