import type { StaffCaller } from '../../api/access/actor.ts'
import { makeStaffCaller, type SignedInSession } from '../../merchants/people/session.ts'
import { assert } from '../../platform/assert.ts'
import type { PageRequest } from '../parts/routes/route.ts'

/** Makes the caller that operations take for a signed-in person of our staff. */
export function buildStaffCaller(
  { address: origin, requestId, now }: PageRequest,
  signedIn: SignedInSession,
): StaffCaller {
  const { operatorRole: role } = signedIn
  assert(role !== null, 'an operator has a role')
  return makeStaffCaller(signedIn, { role, origin, requestId, nowMs: now.getTime() })
}
