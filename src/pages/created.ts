import type { Answer } from '../http/caller.ts'
import { madeOrThrow } from '../idempotency/refused-answer.ts'
import { assert } from '../platform/assert.ts'

/** What an operation of the API has said about what it has made, beside the object itself; null where it has said nothing. */
export function hintOf({ body }: Answer): string | null {
  const { hint } = JSON.parse(body) as { hint?: string } // The operation wrote it.
  return hint ?? null
}

/** The id of what an operation of the API has made. A refusal that it keeps under the key is thrown, in the same words. */
export function createdId(answer: Answer): string {
  const { objectId } = madeOrThrow(answer)
  assert(objectId != null, 'what was made has an id')
  return objectId
}
