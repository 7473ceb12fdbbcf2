import type { GuestRoute } from '../pages/route.ts'
import { signInPages } from '../pages/sign-in/sign-in-pages.tsx'
import { DOOR } from './people/door.ts'
import { LINK_GUESTS } from './people/link-pages.tsx'

/** The console's pages for people who are not signed in. */
export const GUESTS: readonly GuestRoute[] = [...signInPages(DOOR), ...LINK_GUESTS]
