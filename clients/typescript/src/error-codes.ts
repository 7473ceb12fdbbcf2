/** Whether a request may be sent again: with the same Idempotency-Key, with a new one, only after a change, or not at all. */
export type RetryAdvice = 'same_key' | 'new_key' | 'after_change' | 'no'

export type ErrorKind =
  | 'request'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'cursor'
  | 'rate'
  | 'service'
  | 'balance'
  | 'account'
  | 'refund'

/** What the service advises for each code; `see_remedy`: it depends on the cause. A test compares it with the service's own table. */
const CODES = {
  bad_request: ['request', 'after_change'],
  unauthorized: ['authentication', 'after_change'],
  forbidden: ['permission', 'after_change'],
  address_not_allowed: ['permission', 'after_change'],
  invalid_signature: ['authentication', 'after_change'],
  key_has_limit: ['permission', 'after_change'],
  not_found: ['not_found', 'no'],
  method_not_allowed: ['request', 'no'],
  conflict: ['conflict', 'see_remedy'],
  cursor_expired: ['cursor', 'after_change'],
  payload_too_large: ['request', 'after_change'],
  rate_limited: ['rate', 'same_key'],
  internal_error: ['service', 'same_key'],
  rail_unavailable: ['service', 'see_remedy'],
  unavailable: ['service', 'same_key'],
  supplier_error: ['service', 'same_key'],
  merchant_inactive: ['account', 'new_key'],
  account_closed: ['account', 'new_key'],
  verification_required: ['account', 'new_key'],
  amount_not_positive: ['request', 'new_key'],
  amount_too_small: ['request', 'new_key'],
  amount_too_large: ['request', 'new_key'],
  unsupported_currency: ['request', 'new_key'],
  fee_exceeds_amount: ['request', 'new_key'],
  channel_not_available: ['request', 'new_key'],
  unsupported_payout_channel: ['request', 'new_key'],
  insufficient_balance: ['balance', 'new_key'],
  key_limit_reached: ['account', 'new_key'],
  payouts_frozen: ['account', 'new_key'],
  payouts_paused: ['account', 'new_key'],
  invalid_split: ['request', 'new_key'],
  already_refunded: ['refund', 'no'],
  cannot_refund_pending_transaction: ['refund', 'new_key'],
  cannot_refund_authorized_transaction: ['refund', 'new_key'],
  cannot_refund_failed_transaction: ['refund', 'no'],
  only_full_refunds: ['refund', 'new_key'],
  split_charge_refunds_not_yet_supported: ['refund', 'new_key'],
  mode_mismatch: ['refund', 'new_key'],
  refund_amount_is_zero: ['refund', 'no'],
  no_customer_phone_on_record_to_refund_to: ['refund', 'new_key'],
  cap_exceeded: ['request', 'new_key'],
  too_many_schedules: ['request', 'new_key'],
  secret_gone: ['request', 'new_key'],
  too_many_addresses: ['request', 'new_key'],
  vending_disabled: ['permission', 'after_change'],
  supplier_not_configured: ['account', 'new_key'],
  charge_not_succeeded: ['request', 'new_key'],
  no_vendor_secret: ['request', 'new_key'],
  not_dispensing: ['conflict', 'no'],
  invalid_item: ['request', 'after_change'],
  reference_conflict: ['conflict', 'no'],
  reference_in_flight: ['conflict', 'same_key'],
} as const satisfies Record<string, readonly [ErrorKind, RetryAdvice | 'see_remedy']>

/** A code of the service. Others may be added: treat one that you do not know by its status. */
export type KnownErrorCode = keyof typeof CODES

const IN_FLIGHT = /in flight/
const KEY_REUSED = /reused/

/** Whether this refusal says that the first request with the same key is still under way. */
export const isInFlight = (code: string, text: string) => code === 'conflict' && IN_FLIGHT.test(text)

/** What kind of refusal it is, and what to do about it. */
export function adviceFor(status: number, code: string, text: string): { kind: ErrorKind; retry: RetryAdvice } {
  const [kind, retry] = CODES[code as KnownErrorCode] ?? byStatus(status)
  if (retry !== 'see_remedy') return { kind, retry }
  if (code !== 'conflict') return { kind, retry: status >= 500 ? 'same_key' : 'no' }
  return { kind, retry: IN_FLIGHT.test(text) ? 'same_key' : KEY_REUSED.test(text) ? 'new_key' : 'no' }
}

function byStatus(status: number): readonly [ErrorKind, RetryAdvice] {
  if (status >= 500) return ['service', 'same_key']
  if (status === 429) return ['rate', 'same_key']
  if (status === 401) return ['authentication', 'after_change']
  if (status === 403) return ['permission', 'after_change']
  if (status === 404) return ['not_found', 'no']
  if (status === 409) return ['conflict', 'no']
  return ['request', 'after_change']
}
