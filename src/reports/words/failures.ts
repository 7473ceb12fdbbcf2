import type { ChargeFailure, PayoutFailure } from '../../rails/rail.ts'

/** Why money did not move. `brief` follows a state ("not paid: too little money"); `what` and `todo` are sentences of their own. */
type FailureWords = { brief: string; what: string; todo: string }

/** Why a customer's money, or the merchant's own with a top-up, was not taken. */
export const CHARGE_FAILURE_WORDS: Readonly<Record<ChargeFailure, FailureWords>> = {
  insufficient_funds: {
    brief: 'too little money',
    what: 'Too little money on the phone.',
    todo: 'Ask for another number, or for less.',
  },
  user_cancelled: { brief: 'declined', what: 'Declined on the phone.', todo: 'If that was a mistake, ask again.' },
  timeout: {
    brief: 'no PIN in time',
    what: 'Nobody entered the PIN in time.',
    todo: 'See that the phone is on and has network, and ask again.',
  },
  rail_rejected: {
    brief: 'refused by the operator',
    what: 'The operator did not allow it.',
    todo: 'Check the number, or ask for another one.',
  },
}

/** Why a payout came back. */
export const PAYOUT_FAILURE_WORDS: Readonly<Record<PayoutFailure, FailureWords>> = {
  recipient_not_found: {
    brief: 'no wallet on this number',
    what: 'This phone has no wallet.',
    todo: 'Check the number with the recipient.',
  },
  wallet_locked: {
    brief: 'wallet locked or full',
    what: 'The wallet of the recipient is locked or full.',
    todo: 'Ask the recipient to call the operator, or send it to another number.',
  },
  timeout: {
    brief: 'not carried out in time',
    what: 'The operator did not carry it out in time.',
    todo: 'Send it again.',
  },
  insufficient_funds: {
    brief: 'operator short of money',
    what: "The operator's own account was short of money.",
    todo: 'Send it again in an hour.',
  },
  user_cancelled: { brief: 'taken back', what: 'It was taken back.', todo: 'Send it again if that was a mistake.' },
  rail_rejected: {
    brief: 'refused by the operator',
    what: 'The operator refused this payout.',
    todo: 'Check the number and the amount, and send it again.',
  },
}

const FAILURES = { charge: CHARGE_FAILURE_WORDS, topUp: CHARGE_FAILURE_WORDS, payout: PAYOUT_FAILURE_WORDS }

/** Returns why such a movement failed, in words for people; null where there is no reason. */
export function failureWords(noun: keyof typeof FAILURES, reason: string | null): FailureWords | null {
  if (reason === null) return null
  const plain = reason.replaceAll('_', ' ')
  const words: Readonly<Record<string, FailureWords>> = FAILURES[noun]
  return words[reason] ?? { brief: plain, what: `${plain}.`, todo: '' }
}
