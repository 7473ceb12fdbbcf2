import type { PersonCaller } from '../../api/access/actor.ts'
import { type Membership, makePersonCaller, type SignedInSession } from '../../merchants/people/session.ts'
import type { PageRequest } from '../parts/routes/route.ts'

const NO_MEMBERSHIP: Membership = {
  ...{ merchantId: 0, publicId: '', tag: '', cell: '', handle: '' },
  ...{ role: 'viewer', cashierRefundLimit: 0 },
}

/** Builds the caller for acts on a person's own account. They need no merchant: the person may work for none. */
export const buildAccountCaller = ({ address, requestId, now }: PageRequest, signedIn: SignedInSession): PersonCaller =>
  makePersonCaller(
    { ...signedIn, at: signedIn.at ?? NO_MEMBERSHIP },
    { mode: 'test', origin: address, requestId, nowMs: now.getTime() },
  )
