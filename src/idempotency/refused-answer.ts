import type { Answer } from '../http/caller.ts'
import { errorBody } from '../http/errors.ts'
import { Refusal } from '../platform/refusal.ts'
import type { StoredAnswer } from './keys.ts'

/** The answer of a refusal that is kept under the key; null for every other error. */
export function refusedAnswer(error: unknown, requestId: string): StoredAnswer | null {
  if (!(error instanceof Refusal && error.stored)) return null
  return { status: error.status, body: errorBody(error, requestId), objectId: null }
}

/** The same answer where something was made. A refusal that was kept under its key is thrown again, for callers who show refusals. */
export function madeOrThrow(answer: Answer): Answer {
  if (answer.status < 400) return answer
  const { error, code, hint } = JSON.parse(answer.body) as { error: string; code: string; hint?: string }
  throw new Refusal(answer.status, code, error, { stored: true, hint: hint ?? null })
}
