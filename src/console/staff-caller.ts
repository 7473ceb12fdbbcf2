import type { StaffCaller } from '../actors/actor.ts'
import type { PageRequest } from '../pages/route.ts'
import { makeStaffCaller, type SignedInSession } from '../people/session.ts'
import { assert } from '../platform/assert.ts'

/** Makes the caller that operations take for a signed-in person of our staff. */
export function buildStaffCaller(
  { address: origin, requestId, now }: PageRequest,
  signedIn: SignedInSession,
): StaffCaller {
  const { operatorRole: role } = signedIn
  assert(role !== null, 'an operator has a role')
  return makeStaffCaller(signedIn, { role, origin, requestId, nowMs: now.getTime() })
}
