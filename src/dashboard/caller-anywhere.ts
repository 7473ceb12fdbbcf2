import type { PersonCaller } from '../actors/actor.ts'
import type { Asked } from '../pages/route.ts'
import { callerOf, type Membership, type SignedIn } from '../people/session.ts'

const NOWHERE: Membership = {
  ...{ merchantId: 0, publicId: '', tag: '', cell: '', handle: '' },
  ...{ role: 'viewer', cashierRefundLimit: 0 },
}

/** Builds the caller for acts on a person's own account. They need no merchant: the person may work for none. */
export const callerAnywhere = ({ address, requestId, now }: Asked, signedIn: SignedIn): PersonCaller =>
  callerOf(
    { ...signedIn, at: signedIn.at ?? NOWHERE },
    { mode: 'test', origin: address, requestId, nowMs: now.getTime() },
  )
