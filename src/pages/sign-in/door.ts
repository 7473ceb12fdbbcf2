import type { ComponentChildren } from 'preact'
import type { SignedInActor } from '../../actors/actor.ts'
import type { Realm } from '../../people/accounts.ts'
import type { SignedIn } from '../../people/session.ts'
import type { Asked } from '../route.ts'
import type { SessionCookies } from '../session-cookies.ts'

/** The way into a surface: what its sign-in is about and where it leads. */
export type Door = {
  realm: Realm
  /** Where the surface begins: `/dashboard`. Nobody is sent anywhere else afterwards. */
  base: string
  title: string
  cookies: SessionCookies
  /** What stands under the form for the password. */
  below?: ComponentChildren
  /** Where somebody who has signed in begins; null who has signed in and has nothing to see may sign in as somebody else. */
  home(signedIn: SignedIn, asked: Asked): Promise<string | null>
  /** Who acts on its own account, wherever it works. */
  actorOf(asked: Asked, signedIn: SignedIn): SignedInActor
}

/** The address of the sign-in. */
export const signInOf = ({ base }: Pick<Door, 'base'>): string => `${base}/sign-in`
