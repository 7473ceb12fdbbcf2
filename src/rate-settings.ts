import { perMinute, setting, wholeNumber } from './setting-readers.ts'

/** How often somebody may do something (contract.md 2.1a). */
export const RATE_SETTINGS = {
  rateCharges: setting(
    'RATE_LIMIT_CHARGES',
    '120',
    'POST /v1/charges a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  ratePayouts: setting(
    'RATE_LIMIT_PAYOUTS',
    '30',
    'payouts, and bulk calls on their own counter, a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateRefunds: setting(
    'RATE_LIMIT_REFUNDS',
    '10',
    'refunds a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateWebhookResend: setting(
    'RATE_LIMIT_WEBHOOK_RESEND',
    '30',
    'webhook resends a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateSchedules: setting(
    'RATE_LIMIT_SCHEDULES',
    '30',
    'scheduled payouts created, paused, resumed, cancelled a minute (each) for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateSubaccounts: setting(
    'RATE_LIMIT_SUBACCOUNTS',
    '30',
    'subaccounts created a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateResolveAccount: setting(
    'RATE_LIMIT_RESOLVE_ACCOUNT',
    '30',
    'wallet look-ups a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateStatementPdf: setting(
    'RATE_LIMIT_STATEMENT_PDF',
    '10',
    'statements as PDF a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateReads: setting(
    'RATE_LIMIT_READS',
    '600',
    'GETs a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateAll: setting(
    'RATE_LIMIT_ALL',
    '1200',
    'requests of all kinds a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateFailedAuth: setting(
    'RATE_LIMIT_FAILED_AUTH',
    '60',
    'failed authentications a minute for each client address; 0 switches it off',
    perMinute,
  ),
  ratePublicPages: setting(
    'RATE_LIMIT_PUBLIC_PAGES',
    '300',
    'public pages and documents a minute for each client address; 0 switches it off',
    perMinute,
  ),
  ratePaymentLinks: setting(
    'RATE_LIMIT_PAYMENT_LINKS',
    '120',
    'payment links created a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateVending: setting(
    'RATE_LIMIT_VENDING',
    '60',
    'vending orders, direct dispenses and invalidations a minute (each) for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateDispenseRetry: setting(
    'RATE_LIMIT_DISPENSE_RETRY',
    '30',
    'retried dispenses and conformance checks a minute (each) for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateDispenseSecret: setting(
    'RATE_LIMIT_DISPENSE_SECRET',
    '5',
    'dispense secrets made a minute for each merchant and mode; 0 switches it off',
    perMinute,
  ),
  rateCallbacks: setting(
    'RATE_LIMIT_CALLBACKS',
    '600',
    'callbacks of machine suppliers a minute for each client address; 0 switches it off',
    perMinute,
  ),
  orderLifetimeSeconds: setting(
    'VENDING_ORDER_LIFETIME_SECONDS',
    '120',
    'how long an unpaid vending order can be paid (spec 8)',
    wholeNumber(10, 86_400),
  ),
  rateCheckout: setting(
    'RATE_LIMIT_CHECKOUT',
    '10',
    'checkout forms and voucher codes sent a minute for each payment link and client address; 0 switches it off',
    perMinute,
  ),
  rateCheckoutAll: setting(
    'RATE_LIMIT_CHECKOUT_ALL',
    '120',
    'the same over all links a minute for each client address; 0 switches it off',
    perMinute,
  ),
  rateVoucherMisses: setting(
    'RATE_LIMIT_VOUCHER_MISSES',
    '10',
    'wrong voucher codes a minute for each client address; 0 switches it off',
    perMinute,
  ),
  rateReports: setting(
    'RATE_LIMIT_REPORTS',
    '5',
    'problems reported an hour for each client address; 0 switches it off',
    perMinute,
  ),
  reportsPerDay: setting(
    'RATE_LIMIT_REPORTS_DAY',
    '50',
    'problems that a merchant is told of a day, in each mode: further live ones are stored and told of later, further test ones only acknowledged; 0 switches it off',
    perMinute,
  ),
  promptsPerPhone: setting(
    'CHECKOUT_PROMPTS_PER_PHONE',
    '3',
    'unpaid PIN prompts a phone gets from checkout pages in 10 minutes; 0 switches this and the 90 s between prompts off',
    wholeNumber(0, 1000),
  ),
}
