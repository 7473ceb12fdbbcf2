import type { GuestRoute } from '../parts/routes/route.ts'
import { signInPages } from '../parts/sign-in/sign-in-pages.tsx'
import { CONSOLE_DOOR } from './people/door.ts'
import { CONSOLE_LINK_ROUTES } from './people/link-pages.tsx'

/** The console's pages for people who are not signed in. */
export const CONSOLE_GUEST_ROUTES: readonly GuestRoute[] = [...signInPages(CONSOLE_DOOR), ...CONSOLE_LINK_ROUTES]
