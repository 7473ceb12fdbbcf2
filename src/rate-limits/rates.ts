import type { Config } from '../settings/config.ts'

/** What is limited for each merchant and mode, a minute, by the name that operators and merchants know; with its setting. */
export const RATES = {
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
  reads: 'rateReads',
  all: 'rateAll',
} as const satisfies Record<string, keyof Config>

export type RateName = keyof typeof RATES
export const RATE_NAMES = Object.keys(RATES) as readonly RateName[] // Typed by its keys.

/** What an operator has granted a merchant instead of the settings. */
export type GrantedRates = Readonly<Partial<Record<RateName, number>>>

/** More than any process of ours can answer; as the table of merchants has it. */
export const MOST_A_MINUTE = 1_000_000

/** How many a minute each of them allows this merchant; 0: any number. Where a setting is 0 nobody is limited. */
export const ratesOf = (config: Config, granted: GrantedRates): Record<RateName, number> =>
  Object.fromEntries(
    RATE_NAMES.map((name) => [name, config[RATES[name]] === 0 ? 0 : (granted[name] ?? config[RATES[name]])]),
  ) as Record<RateName, number> // Of all names.
