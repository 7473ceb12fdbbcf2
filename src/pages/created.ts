import type { Answer } from '../http/caller.ts'
import { assert } from '../platform/assert.ts'
import { Refusal } from '../platform/refusal.ts'

/** The id of what an operation of the API has made. A refusal that it keeps under the key is thrown, in the same words. */
export function createdId({ status, body, objectId }: Answer): string {
  if (status >= 400) {
    const { error, code, hint } = JSON.parse(body) as { error: string; code: string; hint?: string }
    throw new Refusal(status, code, error, { hint: hint ?? null })
  }
  assert(objectId != null, 'what was made has an id')
  return objectId
}
