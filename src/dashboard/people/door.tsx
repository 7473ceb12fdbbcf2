import { merchantsById } from '../../merchants/merchant.ts'
import type { Door } from '../../pages/sign-in/door.ts'
import { ENTRY } from '../../pages/sign-in/texts.ts'
import { BASE, TEST } from '../addresses.ts'
import { callerAnywhere } from '../caller-anywhere.ts'
import { COOKIES } from '../session-cookies.ts'
import { SIGN_IN } from '../texts/sign-in.ts'

/** The way into the dashboard. */
export const DOOR: Door = {
  ...{ realm: 'merchant', base: BASE, title: ENTRY.in.title, cookies: COOKIES },
  below: (
    <>
      <p>
        <a href={`${BASE}/forgot`}>{SIGN_IN.in.forgot}</a>
      </p>
      <p>
        {SIGN_IN.in.noAccount} <a href={`${BASE}/sign-up`}>{SIGN_IN.in.signUp}</a>
      </p>
    </>
  ),
  // A person who no longer works for any merchant has no home here, and may sign in as another person. A business that may not take real
  // money yet begins in test mode: it has nothing in live mode.
  async home({ at, person }, { gateway }) {
    if (at === null) return null
    const query = merchantsById([at.merchantId])
    const [merchant] = await gateway.appOf(at).db.query(query.statement, query.values)
    return person.confirmed && merchant?.kycStatus === 'verified' ? BASE : `${BASE}${TEST}`
  },
  actorOf: callerAnywhere,
}
