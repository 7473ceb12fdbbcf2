import type { Answer } from '../../api/http/answer.ts'
import { throwStoredRefusal } from '../../api/idempotency/refused-answer.ts'
import { assert } from '../../platform/assert.ts'

/** Parses the hint about the new object in an operation's answer; null if there is none. */
export function parseHint({ body }: Answer): string | null {
  const { hint } = JSON.parse(body) as { hint?: string } // The operation wrote it.
  return hint ?? null
}

/** Returns the id of the object that an operation has made. Throws the refusal if the stored answer is one. */
export function getCreatedId(answer: Answer): string {
  const { objectId } = throwStoredRefusal(answer)
  assert(objectId != null, 'what was made has an id')
  return objectId
}
