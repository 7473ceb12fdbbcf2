import type { Config } from '../../program/settings/config.ts'

/** The setting of each rate limit (requests a minute of one merchant and mode), by the name that staff and merchants know. */
export const RATE_SETTINGS = {
  charges: 'rateCharges',
  payment_links: 'ratePaymentLinks',
  payouts: 'ratePayouts',
  refunds: 'rateRefunds',
  schedules: 'rateSchedules',
  subaccounts: 'rateSubaccounts',
  resolve_account: 'rateResolveAccount',
  statement_pdf: 'rateStatementPdf',
  webhook_resend: 'rateWebhookResend',
  vending: 'rateVending',
  dispense_retry: 'rateDispenseRetry',
  dispense_secret: 'rateDispenseSecret',
  testing: 'rateTesting',
  grading: 'rateGrading',
  reads: 'rateReads',
  all: 'rateAll',
} as const satisfies Record<string, keyof Config>

export type RateName = keyof typeof RATE_SETTINGS
export const RATE_NAMES = Object.keys(RATE_SETTINGS) as readonly RateName[] // Typed by its keys.

/** The rates that staff have granted a merchant instead of the settings. */
export type GrantedRates = Readonly<Partial<Record<RateName, number>>>

/** The highest rate that may be granted: more than any process of ours can answer. The table of merchants has the same bound. */
export const MAX_PER_MINUTE = 1_000_000

/** Computes the limits of a merchant with these granted rates, a minute; 0: no limit. A setting of 0 lifts the limit for all merchants. */
export const computeRates = (config: Config, granted: GrantedRates): Record<RateName, number> =>
  Object.fromEntries(
    RATE_NAMES.map((name) => [
      name,
      config[RATE_SETTINGS[name]] === 0 ? 0 : (granted[name] ?? config[RATE_SETTINGS[name]]),
    ]),
  ) as Record<RateName, number> // Of all names.
