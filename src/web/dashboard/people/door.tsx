import { findMerchantsById } from '../../../merchants/account/merchant.ts'
import type { SignInConfig } from '../../parts/sign-in/sign-in-config.ts'
import { ENTRY } from '../../parts/sign-in/texts.ts'
import { buildAccountCaller } from '../account-caller.ts'
import { DASHBOARD_BASE, TEST_PREFIX } from '../addresses.ts'
import { DASHBOARD_COOKIES } from '../session-cookies.ts'
import { SIGN_IN } from '../texts/sign-in.ts'

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
