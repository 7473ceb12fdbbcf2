import type { OperatorCaller } from '../actors/actor.ts'
import type { Asked } from '../pages/route.ts'
import { operatorOf, type SignedIn } from '../people/session.ts'
import { assert } from '../platform/assert.ts'

/** Makes the caller that operations take for a signed-in person of our staff. */
export function callerOf({ address: origin, requestId, now }: Asked, signedIn: SignedIn): OperatorCaller {
  const { operatorRole: role } = signedIn
  assert(role !== null, 'an operator has a role')
  return operatorOf(signedIn, { role, origin, requestId, nowMs: now.getTime() })
}
