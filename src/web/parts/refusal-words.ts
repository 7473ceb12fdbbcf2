import type { Refusal } from '../../platform/refusal.ts'

// What a person can do about a refusal, by its code; a hint of the refusal itself is more exact and goes before it.
const STEPS: Readonly<Record<string, string>> = {
  insufficient_balance: 'Send less, or wait until more has come in.',
  amount_too_large: 'Enter a smaller amount.',
  amount_too_small: 'Enter a larger amount.',
  amount_not_positive: 'Enter an amount.',
  fee_exceeds_amount: 'Our fee would be as much as the amount: ask for more.',
  cap_exceeded: 'Send it in smaller parts, or ask us for a higher limit.',
  channel_not_available: 'Ask for a number of MTN.',
  account_closed: 'Take payments with another business of yours.',
  merchant_inactive: 'Write to us to have the business switched on.',
  merchant_closing: 'Keep the account open first, under Settings.',
  already_refunded: 'It was given back before: nothing more has to be done.',
  charge_not_succeeded: 'Wait until it is paid.',
  no_withdrawal_number: 'Give us the number under Wallet, Withdrawals; we verify it.',
  no_payout_phone: 'Give the subaccount a phone first.',
  payouts_paused: 'Nothing is lost: it goes on by itself when the matter is settled.',
  payouts_frozen: 'Nothing is lost. Write to us if you do not know why.',
  rate_limited: 'Nothing was done.',
  rail_unavailable: 'No money has moved. Send the form again in a minute.',
  supplier_error: 'Send the form again in a minute.',
  same_person: 'Ask another owner to decide.',
  live_only: 'Change to live mode at the top of the page.',
  verification_required: 'Finish the verification of your business first.',
  handle_taken: 'Choose another one.',
  expires_in_past: 'Choose a later day.',
}

// An amount in a text of the API: a whole number that is neither a phone, nor a part of an id, a time or something quoted.
const AMOUNT = /(?<![\w.+:"'/-])(?!0|256\d{9}\b)\d{4,13}(?![\w:"'/-])(?!\.\d)/g
const NUMBER_FORMAT = new Intl.NumberFormat('en-US')

/** Says a refusal to a person: the API's text, its amounts with separators, and what to do. */
export function sayRefusal({ code, message, hint }: Pick<Refusal, 'code' | 'message' | 'hint'>): string {
  const says = message.replace(AMOUNT, (digits) => NUMBER_FORMAT.format(Number(digits)))
  const step = hint ?? STEPS[code]
  return step === undefined ? says : `${says}. ${step}`
}
