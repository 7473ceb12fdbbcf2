import type { Asked } from '../../pages/route.ts'
import type { Shown } from '../../pages/shown.ts'
import { findSession } from '../../people/session.ts'
import type { SignInStep } from '../../people/sign-in.ts'
import { BASE, TEST } from '../addresses.ts'
import { COOKIES } from '../session-cookies.ts'

/** Where the sign-in is. */
export const SIGN_IN_ADDRESS = `${BASE}/sign-in`

/** An address of the dashboard to go on to after the sign-in, and no other. */
export function thenOf({ query, fields }: Asked): string | null {
  const then = fields.then ?? query.then ?? ''
  return /^\/dashboard(?:\/[\w\-./~%]*)?(?:\?[\w\-./~%=&+]*)?$/.test(then) && !then.includes('//')
    ? then
    : null
}

/** On to the page that was wanted, or to the code of the second factor first. */
export async function goOn(asked: Asked, step: SignInStep): Promise<Shown> {
  const then = thenOf(asked)
  if (step.kind === 'code') {
    const to = then === null ? SIGN_IN_ADDRESS : `${SIGN_IN_ADDRESS}?then=${encodeURIComponent(then)}`
    return { kind: 'redirect', to, cookies: [COOKIES.session(step.token, asked)] }
  }
  const signedIn = await findSession(asked.gateway, 'merchant', step.token)
  const home = signedIn?.person.confirmed === false ? `${BASE}${TEST}` : BASE
  return { kind: 'redirect', to: then ?? home, cookies: COOKIES.entered(step, asked) }
}
