import type { ChargeFailure, PayoutFailure, RailSide } from '../rail.ts'

type FailureBySide = { collect: ChargeFailure; disburse: PayoutFailure }
/** The meaning of a word of the operator on each side. `alarm`: the side on which it raises an alarm. */
type WordMeaning = { charge: ChargeFailure; payout: PayoutFailure; alarm?: 'charge' | 'payout' | 'both' }
export type ReasonOverrides = { [word: string]: { charge?: ChargeFailure; payout?: PayoutFailure } }

const OUR_SETTINGS: WordMeaning = { charge: 'rail_rejected', payout: 'rail_rejected', alarm: 'both' }
const CANCELLED: WordMeaning = { charge: 'user_cancelled', payout: 'user_cancelled' }
const NO_FUNDS: WordMeaning = { charge: 'insufficient_funds', payout: 'insufficient_funds', alarm: 'payout' }
const UNSPECIFIED: WordMeaning = { charge: 'rail_rejected', payout: 'rail_rejected' }

/** The operator's words of failure (rails.md 3.7). */
const MEANINGS: { readonly [word: string]: WordMeaning } = {
  NOT_ENOUGH_FUNDS: NO_FUNDS,
  INSUFFICIENT_BALANCE: NO_FUNDS,
  LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: {
    charge: 'insufficient_funds',
    payout: 'rail_rejected',
    alarm: 'payout',
  },
  APPROVAL_REJECTED: CANCELLED,
  PAYMENT_NOT_APPROVED: CANCELLED,
  REJECTED: CANCELLED,
  CUSTOMER_INPUT_REJECTION: CANCELLED,
  CANCEL_REQUEST: CANCELLED,
  TRANSACTION_CANCELED: { charge: 'user_cancelled', payout: 'rail_rejected' },
  EXPIRED: { charge: 'timeout', payout: 'timeout' },
  COULD_NOT_PERFORM_TRANSACTION: { charge: 'timeout', payout: 'rail_rejected' },
  // On a payout the payer is our own account, on a charge the payee is.
  PAYER_NOT_FOUND: { charge: 'rail_rejected', payout: 'rail_rejected', alarm: 'payout' },
  PAYEE_NOT_FOUND: { charge: 'rail_rejected', payout: 'recipient_not_found', alarm: 'charge' },
  PAYEE_NOT_ALLOWED_TO_RECEIVE: { charge: 'rail_rejected', payout: 'wallet_locked', alarm: 'charge' },
  PAYER_LIMIT_REACHED: { charge: 'rail_rejected', payout: 'rail_rejected', alarm: 'payout' },
  PAYEE_LIMIT_REACHED: { charge: 'rail_rejected', payout: 'rail_rejected', alarm: 'charge' },
  SENDER_ACCOUNT_NOT_ACTIVE: { charge: 'rail_rejected', payout: 'rail_rejected', alarm: 'payout' },
  NOT_ALLOWED: OUR_SETTINGS,
  NOT_ALLOWED_TARGET_ENVIRONMENT: OUR_SETTINGS,
  INVALID_CALLBACK_URL_HOST: OUR_SETTINGS,
  INVALID_CURRENCY: OUR_SETTINGS,
  VALIDATION_ERROR: OUR_SETTINGS,
  TRANSFER_TYPE_UNKNOWN: OUR_SETTINGS,
  INTERNAL_PROCESSING_ERROR: UNSPECIFIED,
  SERVICE_UNAVAILABLE: UNSPECIFIED,
}

/** Words that only mean that the operator is still working, whatever status they come with (rails.md 3.5). */
const STILL_WORKING = new Set(['ONGOING', 'PAYER_DELAYED'])
export const isStillWorking = (word: string): boolean => STILL_WORKING.has(word)

/** Words that refuse our own account, not this movement (rails.md 3.6). */
const OWN_ACCOUNT = {
  collect: new Set(['PAYEE_NOT_FOUND']),
  disburse: new Set(['PAYER_NOT_FOUND', 'SENDER_ACCOUNT_NOT_ACTIVE']),
} as const satisfies Record<RailSide, ReadonlySet<string>>
export const isOwnAccount = (side: RailSide, word: string): boolean => OWN_ACCOUNT[side].has(word)

/** A failure in our words. `known`: the table has the operator's word. `alarm`: it raises an alarm. */
type TranslatedReason<Failure> = { reason: Failure; known: boolean; alarm: boolean }

/** Translates the operator's word on this side; an unknown or absent word is `rail_rejected`. */
export function translateReason<Side extends RailSide>(
  side: Side,
  word: string,
  overrides: ReasonOverrides,
): TranslatedReason<FailureBySide[Side]> {
  const noun = side === 'collect' ? 'charge' : 'payout'
  const meaning = Object.hasOwn(MEANINGS, word) ? MEANINGS[word] : undefined
  const own = Object.hasOwn(overrides, word) ? overrides[word]?.[noun] : undefined
  const reason = own ?? meaning?.[noun] ?? 'rail_rejected'
  return {
    reason: reason as FailureBySide[Side], // The side chose the column of the table.
    known: meaning !== undefined || own !== undefined,
    alarm: meaning?.alarm === noun || meaning?.alarm === 'both',
  }
}

/** Whether the table says what this word means. */
export const isKnownReason = (word: string): boolean => Object.hasOwn(MEANINGS, word)

/** Returns the kind of alarm for this word. Lack of funds on a payout means that our own float may be empty. */
export const alarmKind = (side: RailSide, word: string | null): 'float' | 'refused' =>
  side === 'disburse' && /FUNDS|BALANCE/.test(word ?? '') ? 'float' : 'refused'
