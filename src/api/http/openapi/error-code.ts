/**
 * Whether the request may be sent again. `new_key`: the refusal is kept under its Idempotency-Key (Refusal.stored). `after_change`: nothing is
 * kept. `see_remedy`: the code has several causes that differ in this.
 */
export type Retry = 'same_key' | 'after_change' | 'new_key' | 'no' | 'see_remedy'

/** One error code of the API: with which statuses it comes, why, and what to do. */
export type ErrorCode = {
  statuses: string
  cause: string
  remedy: string
  retry: Retry
  /** Whether the remedy is the `hint` of each answer with this code that has no hint of its own. False for codes with many causes. */
  remedyIsHint: boolean
}

// Most are rules of the business, whose refusals are kept.
export const withHint = (statuses: string, cause: string, remedy: string, retry: Retry = 'new_key'): ErrorCode => ({
  statuses,
  cause,
  remedy,
  retry,
  remedyIsHint: true,
})
export const withoutHint = (statuses: string, cause: string, remedy: string, retry: Retry): ErrorCode => ({
  ...withHint(statuses, cause, remedy, retry),
  remedyIsHint: false,
})
