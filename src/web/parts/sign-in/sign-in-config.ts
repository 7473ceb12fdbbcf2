import type { ComponentChildren } from 'preact'
import type { SignedInActor } from '../../../api/access/actor.ts'
import type { Realm } from '../../../merchants/people/accounts.ts'
import type { SignedInSession } from '../../../merchants/people/session.ts'
import type { PageRequest } from '../routes/route.ts'
import type { SessionCookies } from '../routes/session-cookies.ts'

/** How a surface signs people in, and where that leads. */
export type SignInConfig = {
  realm: Realm
  /** The base address of the surface: `/dashboard`. A sign-in never redirects outside of it. */
  base: string
  title: string
  cookies: SessionCookies
  /** Shown under the form for the password. */
  below?: ComponentChildren
  /** The first page of a person who has signed in; null for one who has nothing to see here, so that another account can sign in. */
  home(signedIn: SignedInSession, request: PageRequest): Promise<string | null>
  /** Makes the actor for acts on the person's own account, which belongs to no merchant. */
  actorOf(request: PageRequest, signedIn: SignedInSession): SignedInActor
}

/** The address of the sign-in. */
export const signInAddress = ({ base }: Pick<SignInConfig, 'base'>): string => `${base}/sign-in`
