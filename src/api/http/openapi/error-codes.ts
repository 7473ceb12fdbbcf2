import { type ErrorCode, withHint, withoutHint } from './error-code.ts'
import { MACHINE_AND_ITEM_CODES } from './machine-and-item-codes.ts'

/**
 * Every code with which the API refuses, in the order of the page at `/docs/errors`. `error` is a sentence that may change, a code never
 * does. test/web/docs/error-codes.test.ts compares it with what the sources refuse with.
 */
export const ERROR_CODES: Readonly<Record<string, ErrorCode>> = {
  bad_request: withoutHint(
    '400, 431',
    'The headers, the query or the body cannot be read; `error` says what is wrong and `field` where.',
    'Mend the request. Nothing was done.',
    'after_change',
  ),
  unauthorized: withoutHint(
    '401',
    'There is no bearer token, or the key is unknown, was rotated or was revoked.',
    'Send `Authorization: Bearer sk_test_...` with the secret key of the dashboard (Developers, Keys).',
    'after_change',
  ),
  forbidden: withoutHint(
    '403',
    'The key is collections-only, and this moves money out or steers tests; or it is a live key at an endpoint for tests.',
    'Use a full key, from a server alone; for tests one of test mode.',
    'after_change',
  ),
  address_not_allowed: withoutHint(
    '403',
    'The key may only be used from addresses that an owner has listed, and this is none of them.',
    'Send it from a listed server, or let an owner add the address on the page of the key (Developers, Keys).',
    'after_change',
  ),
  invalid_signature: withHint(
    '401',
    'An owner has set that requests with this key must be signed (RFC 9421, Ed25519). The signature is missing, too old, does not cover what it must, or is of another key or request; `error` says which.',
    'Sign the request anew with the private key of your server, as the guide shows (/docs/keys). Nothing was done.',
    'after_change',
  ),
  key_has_limit: withoutHint(
    '403',
    'The key may send only so much in a day, and a schedule sends money without it.',
    'Make or resume the schedule on the dashboard, or with a key without a limit.',
    'after_change',
  ),
  not_found: withoutHint(
    '404',
    'There is no such object under this key, or no such path. Objects of others and of the other mode look the same.',
    'Compare the id and the mode of the key; the paths are in the reference.',
    'no',
  ),
  method_not_allowed: withoutHint(
    '405',
    'The path is known, the method is not.',
    'Use a method that `Allow` names.',
    'no',
  ),
  conflict: withoutHint(
    '409',
    'The Idempotency-Key was used for another request or is under way, or the object is in a state that does not allow this.',
    'Read `error`: a new key for a new request, the same request again for one under way.',
    'see_remedy',
  ),
  cursor_expired: withoutHint(
    '410',
    'Events are kept 30 days, and those behind this `starting_after` are older.',
    'Go on with the `starting_after` that `hint` names; charges and payouts of the time between are in their lists.',
    'after_change',
  ),
  payload_too_large: withoutHint(
    '413',
    'The body is over 1 MiB, of a bulk call over 4 MiB.',
    'Send less at once.',
    'after_change',
  ),
  rate_limited: withoutHint(
    '429',
    'Too many requests in a minute, or two requests of the key wait for events already.',
    'Wait for `Retry-After` seconds, then send the same again.',
    'same_key',
  ),
  internal_error: withoutHint(
    '500',
    'A fault of ours.',
    'Send the same again with the same Idempotency-Key.',
    'same_key',
  ),
  rail_unavailable: withoutHint(
    '400, 502, 503',
    'The operator cannot be reached, or is not set up for this.',
    '502 and 503: send the same again with the same Idempotency-Key after `Retry-After`. 400: only we can mend it; ask us.',
    'see_remedy',
  ),
  unavailable: withoutHint(
    '503',
    'The service has too much to do, or its database is away.',
    'Send the same again with the same Idempotency-Key after `Retry-After`.',
    'same_key',
  ),
  supplier_error: withoutHint(
    '502',
    'The supplier of your machines did not answer, or refused.',
    'Send the same again later; tell your supplier if it stays.',
    'same_key',
  ),
  merchant_inactive: withHint(
    '400',
    'The account was deactivated. It reads everything and changes nothing.',
    'Ask us why.',
  ),
  account_closed: withHint(
    '400',
    'The account closes, or is closed. It reads everything and takes no more money; while it closes, refunds still work.',
    'Nothing: its owner has closed it. The owner can keep it open until the last money has gone; afterwards ask us.',
  ),
  verification_required: withHint(
    '400',
    'Live money needs a verified business.',
    'Complete the verification on the dashboard; test keys work at once.',
  ),
  amount_not_positive: withHint('400', 'The amount is zero or less.', 'Send a whole number of shillings above zero.'),
  amount_too_small: withHint(
    '400',
    'The operator does not move so little at once.',
    'Send at least what `error` names.',
  ),
  amount_too_large: withHint(
    '400',
    'The amount is above a limit: of one transaction, of your account, of the operator, or of what a balance can hold.',
    'Send less at once, or ask us for a higher limit of your account.',
  ),
  unsupported_currency: withHint('400', 'Only Ugandan shillings are moved.', 'Leave `currency` out, or send `UGX`.'),
  fee_exceeds_amount: withHint('400', 'The fee of 200 would leave nothing.', 'Charge at least 201.'),
  channel_not_available: withHint('400', 'This channel takes no live payments yet.', 'Use `op1_momo` with a live key.'),
  unsupported_payout_channel: withHint(
    '400',
    'Money cannot be sent by this channel.',
    'Leave `channel` out: payouts go by `op1_momo`.',
  ),
  insufficient_balance: withHint(
    '400',
    'What is available does not cover amount and fee. Pending money does not count.',
    'Wait until money is released, or top up; then send it with a new Idempotency-Key.',
  ),
  key_limit_reached: withHint(
    '400',
    'The key may send only so much in a day (Kampala), and this would be more. Payouts, bulk items and refunds count, without fees.',
    'Wait for the next day, or let an owner change the limit on the page of the key; then send it with a new Idempotency-Key.',
  ),
  payouts_frozen: withHint(
    '400',
    'Payouts of the platform or of your account are stopped for a safety review.',
    'Wait; money in goes on. Ask us if it stays.',
  ),
  payouts_paused: withHint(
    '400',
    'Payouts of your account are stopped while a contradiction with the operator is looked into.',
    'Wait; your balance is safe and money in goes on. Ask us if it stays.',
  ),
  invalid_split: withHint(
    '400',
    'The split cannot be read, or does not fit the amount; `error` says why.',
    'Name subaccounts of yours, each with an `amount` or `bps` (basis points).',
  ),
  already_refunded: withHint(
    '400',
    'The charge was refunded before.',
    'Nothing is left to do: its `refund_id` is the payout that brings the money back.',
    'no',
  ),
  cannot_refund_pending_transaction: withHint(
    '400',
    'The charge has not ended.',
    'Wait for its end; only a succeeded charge can be refunded.',
  ),
  cannot_refund_authorized_transaction: withHint(
    '400',
    'The customer is still being asked.',
    'Wait for its end; only a succeeded charge can be refunded.',
  ),
  cannot_refund_failed_transaction: withHint(
    '400',
    'The charge has failed, so nobody has paid.',
    'Nothing is left to do.',
    'no',
  ),
  only_full_refunds: withHint(
    '400',
    'Another amount than that of the charge was asked for.',
    'Leave `amount` out; to pay back a part, send a payout.',
  ),
  split_charge_refunds_not_yet_supported: withHint(
    '400',
    'The charge was shared out between subaccounts.',
    'Pay the customer back with a payout.',
  ),
  mode_mismatch: withoutHint(
    '400',
    'The charge is of the other mode than the key.',
    'Use the key of its mode.',
    'new_key',
  ),
  refund_amount_is_zero: withHint(
    '400',
    'Nothing was paid by phone, and no gift card holds anything of the charge.',
    'Nothing is left to do.',
    'no',
  ),
  no_customer_phone_on_record_to_refund_to: withHint(
    '400',
    'The charge has no phone.',
    'Pay the customer back with a payout.',
  ),
  cap_exceeded: withHint(
    '400',
    'The amount of the schedule is above its own `max_per_recipient`.',
    'Send a smaller amount or a larger cap.',
  ),
  too_many_schedules: withHint(
    '400',
    'There are as many schedules as an account may have.',
    'Cancel one that is not needed.',
  ),
  secret_gone: withHint(
    '400',
    'The address was added under this Idempotency-Key, and its secret was replaced since, or the address was removed: the first one is shown no more.',
    'Rotate the secret of the address, or add another one under a new key.',
  ),
  too_many_addresses: withHint('400', 'You have as many addresses for webhooks as you may.', 'Remove one.'),
  ...MACHINE_AND_ITEM_CODES,
}
