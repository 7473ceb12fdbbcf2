import { badRequest, domain, notFound, type Refused } from './refused.ts'

/** Refusals that several endpoints give in the same words. */
export const INACTIVE = domain('merchant_inactive', 'merchant is not active')
export const KEY_REUSED: Refused = {
  status: 409,
  code: 'conflict',
  error: 'idempotency key reused with different request body',
}
export const KEY_REQUIRED = badRequest('Idempotency-Key header required')
export const KEY_TOO_LONG = badRequest('Idempotency-Key must be 1 to 255 characters')
/** A key that moves no money out, where it may not do something. */
export const FORBIDDEN: Refused = {
  status: 403,
  code: 'forbidden',
  error: 'this endpoint requires a full secret key; collections-only keys cannot move money out',
}

export const NOT_POSITIVE = domain('amount_not_positive', 'amount must be positive')
export const TOO_MUCH = domain('amount_too_large', 'amount exceeds the maximum of 1000000000')
export const overLimit = (per: 'charge' | 'payout', limit: number) =>
  domain('amount_too_large', `amount exceeds this account's per-${per} limit of ${limit}`)
export const CURRENCY = domain('unsupported_currency', 'demo only supports UGX')
export const FEE = domain('fee_exceeds_amount', 'fee exceeds amount')

export const unverified = (what: 'charges' | 'payouts') =>
  domain(
    'verification_required',
    `live ${what} require a verified business - complete verification on your dashboard (test keys work immediately)`,
  )
export const FROZEN = domain(
  'payouts_frozen',
  'payouts are temporarily paused platform-wide for a safety review - no action needed on your side; money in is unaffected',
)
export const PAUSED = domain(
  'payouts_paused',
  'payouts are paused on this account while a payment reconciliation issue is investigated - support has been notified; your balance is safe and money in is unaffected',
)
export const noAdapter = (channel: string) =>
  domain('unsupported_payout_channel', `no disbursement adapter for channel ${channel}`)

export const VENDING_OFF: Refused = {
  status: 403,
  code: 'vending_disabled',
  error: 'vending is not enabled for this merchant',
}
export const NO_MACHINE = notFound('machine not registered to this merchant')
export const NO_ORDER = notFound('vending order not found')

/** A live key, where only test mode is served. */
export const TEST_KEY_REQUIRED: Refused = {
  status: 403,
  code: 'forbidden',
  error: 'this endpoint is for tests: it needs a test key, and does nothing in live mode',
  hint: 'send the full secret key of test mode, sk_test_...',
}
