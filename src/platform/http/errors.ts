import { CommitUnknown, classify, DatabaseAway, isLockTimeout, NotNow } from '../db/errors.ts'
import { Refusal, unavailable } from '../refusal.ts'

/** The one mapper from what was thrown to what is answered. Anything unknown is our own bug: 500, and the log has the rest. */
export function refusalFor(thrown: unknown): Refusal {
  const error = classify(thrown)
  if (error instanceof Refusal) return error
  // Nothing is known to be wrong with the request: it may be sent again with its key, whatever became of the first.
  if (
    error instanceof DatabaseAway ||
    error instanceof CommitUnknown ||
    error instanceof NotNow ||
    isLockTimeout(error)
  )
    return unavailable()
  return new Refusal(500, 'internal_error', 'internal error - retry with the same Idempotency-Key')
}

/** The error body of spec 7, as the bytes that are sent (and stored, where a refusal is kept under a key). */
export function errorBody(refusal: Refusal, requestId: string): string {
  const { message: error, code, hint } = refusal
  return JSON.stringify({ error, code, ...(hint === null ? {} : { hint }), request_id: requestId })
}
