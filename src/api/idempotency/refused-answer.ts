import { Refusal } from '../../platform/refusal.ts'
import type { Answer } from '../http/answer.ts'
import { writeErrorBody } from '../http/errors.ts'
import type { StoredAnswer } from './keys.ts'

/** Makes the answer of a refusal that is stored under the key; null for every other error. */
export function toStoredRefusal(error: unknown, requestId: string): StoredAnswer | null {
  if (!(error instanceof Refusal && error.stored)) return null
  return { status: error.status, body: writeErrorBody(error, requestId), objectId: null }
}

/** Returns the answer if something was made; throws a stored refusal again, for callers that show refusals themselves. */
export function throwStoredRefusal(answer: Answer): Answer {
  if (answer.status < 400) return answer
  const { error, code, hint } = JSON.parse(answer.body) as { error: string; code: string; hint?: string }
  throw new Refusal(answer.status, code, error, { stored: true, hint: hint ?? null })
}
