import type { PersonCaller } from '../../../api/access/actor.ts'
import { findMerchantsById } from '../../../merchants/account/merchant.ts'
import { type Membership, makePersonCaller, type SignedInSession } from '../../../merchants/people/session.ts'
import type { PageRequest } from '../../parts/routes/route.ts'
import type { SignInConfig } from '../../parts/sign-in/sign-in-config.ts'
import { ENTRY } from '../../parts/sign-in/texts.ts'
import { DASHBOARD_BASE, TEST_PREFIX } from '../addresses.ts'
import { DASHBOARD_COOKIES } from '../session-cookies.ts'
import { SIGN_IN } from '../texts/sign-in.ts'

const NO_MEMBERSHIP: Membership = {
  ...{ merchantId: 0, publicId: '', tag: '', cell: '', handle: '' },
  ...{ role: 'viewer', cashierRefundLimit: 0 },
}

/** Builds the caller for acts on a person's own account. They need no merchant: the person may work for none. */
const buildAccountCaller = ({ address, requestId, now }: PageRequest, signedIn: SignedInSession): PersonCaller =>
  makePersonCaller(
    { ...signedIn, at: signedIn.at ?? NO_MEMBERSHIP },
    { mode: 'test', origin: address, requestId, nowMs: now.getTime() },
  )

/** The way into the dashboard. */
export const DASHBOARD_DOOR: SignInConfig = {
  ...{ realm: 'merchant', base: DASHBOARD_BASE, title: ENTRY.in.title, cookies: DASHBOARD_COOKIES },
  below: (
    <>
      <p>
        <a href={`${DASHBOARD_BASE}/forgot`}>{SIGN_IN.in.forgot}</a>
      </p>
      <p>
        {SIGN_IN.in.noAccount} <a href={`${DASHBOARD_BASE}/sign-up`}>{SIGN_IN.in.signUp}</a>
      </p>
    </>
  ),
  // A person who no longer works for any merchant has no home here, and may sign in as another person. A business that may not take real
  // money yet begins in test mode: it has nothing in live mode.
  async home({ at, person }, { gateway }) {
    if (at === null) return null
    const query = findMerchantsById([at.merchantId])
    const [merchant] = await gateway.appOf(at).db.query(query.statement, query.values)
    return person.confirmed && merchant?.kycStatus === 'verified' ? DASHBOARD_BASE : `${DASHBOARD_BASE}${TEST_PREFIX}`
  },
  actorOf: buildAccountCaller,
}
