import { findSession } from '../../../merchants/people/session.ts'
import type { SignInStep } from '../../../merchants/people/sign-in/sign-in.ts'
import type { PageRequest } from '../routes/route.ts'
import type { SurfaceReply } from '../routes/surface-reply.ts'
import { type SignInConfig, signInAddress } from './sign-in-config.ts'

const PATH_PATTERN = /^(?:\/[\w\-./~%]*)?(?:\?[\w\-./~%=&+]*)?$/

/** Finds the address to redirect to after the sign-in. Accepts only addresses of the surface, so that a link cannot lead to another site. */
export function findNextAddress({ base }: Pick<SignInConfig, 'base'>, { query, fields }: PageRequest): string | null {
  const then = fields.then ?? query.then ?? ''
  return then.startsWith(base) && PATH_PATTERN.test(then.slice(base.length)) && !then.includes('//') ? then : null
}

/** Redirects to the requested page after the sign-in, or to the form for the second factor first. */
export async function continueSignIn(
  door: SignInConfig,
  request: PageRequest,
  step: SignInStep,
): Promise<SurfaceReply> {
  const then = findNextAddress(door, request)
  if (step.kind === 'code') {
    const signIn = signInAddress(door)
    const to = then === null ? signIn : `${signIn}?then=${encodeURIComponent(then)}`
    return { kind: 'redirect', to, cookies: [door.cookies.session(step.token, request)] }
  }
  const signedIn = await findSession(request.gateway, door.realm, step.token)
  const home = (signedIn && (await door.home(signedIn, request))) ?? door.base
  return { kind: 'redirect', to: then ?? home, cookies: door.cookies.entered(step, request) }
}
