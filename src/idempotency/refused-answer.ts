import { errorBody } from '../http/errors.ts'
import { Refusal } from '../platform/refusal.ts'
import type { StoredAnswer } from './keys.ts'

/** The answer of a refusal that is kept under the key; null for every other error. */
export function refusedAnswer(error: unknown, requestId: string): StoredAnswer | null {
  if (!(error instanceof Refusal && error.stored)) return null
  return { status: error.status, body: errorBody(error, requestId), objectId: null }
}
