import {
  CommitUnknown,
  classifyDatabaseError,
  DatabaseAway,
  isLockTimeout,
  TryLater,
} from '../../platform/db/errors.ts'
import { Refusal, unavailable } from '../../platform/refusal.ts'
import { ERROR_CODES } from './openapi/error-codes.ts'

/** Turns any thrown error into the refusal to answer with. An unknown error is our own bug: 500, with details in the log. */
export function toRefusal(thrown: unknown): Refusal {
  const error = classifyDatabaseError(thrown)
  if (error instanceof Refusal) return error
  // Nothing is known to be wrong with the request: it may be sent again with its key, whatever became of this one.
  if (
    error instanceof DatabaseAway ||
    error instanceof CommitUnknown ||
    error instanceof TryLater ||
    isLockTimeout(error)
  )
    return unavailable()
  return new Refusal(500, 'internal_error', 'internal error - retry with the same Idempotency-Key')
}

/** Writes the error body of spec 7 as it is sent, and stored when a refusal is kept under a key. */
export function writeErrorBody(refusal: Refusal, requestId: string): string {
  const { message: error, code, field } = refusal
  const known = Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code] : undefined
  const hint = refusal.hint ?? (known?.remedyIsHint ? known.remedy : null)
  const more = { ...(hint === null ? {} : { hint }), ...(field === null ? {} : { field }) }
  return JSON.stringify({ error, code, ...more, request_id: requestId })
}
