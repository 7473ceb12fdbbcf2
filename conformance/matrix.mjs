// The numbers of rails.md 6.4, and how each payment to them ends; 53 and 54 take their time.
const BOTH = {
  50: 'INTERNAL_PROCESSING_ERROR',
  51: 'APPROVAL_REJECTED',
  52: 'EXPIRED',
  53: 'EXPIRED',
  54: null,
  99: null,
}
const numbered = (words) => Object.fromEntries(words.map((word, nth) => [55 + nth, word]))

export const ENDS = {
  collection: {
    ...BOTH,
    ...numbered([
      ...['PAYER_NOT_FOUND', 'PAYEE_NOT_ALLOWED_TO_RECEIVE', 'NOT_ALLOWED', 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
      ...['INVALID_CALLBACK_URL_HOST', 'INVALID_CURRENCY', 'INTERNAL_PROCESSING_ERROR', 'SERVICE_UNAVAILABLE'],
      ...['COULD_NOT_PERFORM_TRANSACTION', 'TRANSFER_TYPE_UNKNOWN'],
    ]),
  },
  disbursement: {
    ...BOTH,
    ...numbered([
      ...['NOT_ENOUGH_FUNDS', 'PAYER_LIMIT_REACHED', 'PAYEE_NOT_FOUND', 'NOT_ALLOWED'],
      ...['NOT_ALLOWED_TARGET_ENVIRONMENT', 'INVALID_CALLBACK_URL_HOST', 'INVALID_CURRENCY'],
      ...['INTERNAL_PROCESSING_ERROR', 'SERVICE_UNAVAILABLE', 'TRANSFER_TYPE_UNKNOWN'],
    ]),
  },
}
/** Longer than any of them takes. */
export const ALL_ENDED_MS = 200_000
export const PREFIXES = { sandbox: '467331234', mtnuganda: '2567700000' }
