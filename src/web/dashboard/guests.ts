import type { GuestRoute } from '../parts/routes/route.ts'
import { signInPages } from '../parts/sign-in/sign-in-pages.tsx'
import { NOTICE_GUESTS } from './notices/answer-page.tsx'
import { DASHBOARD_DOOR } from './people/door.tsx'
import { LINK_GUESTS } from './people/link-pages.tsx'
import { SIGN_UP_GUESTS } from './people/sign-up-page.tsx'

/** The pages for people who are not signed in. */
export const DASHBOARD_GUESTS: readonly GuestRoute[] = [
  ...signInPages(DASHBOARD_DOOR),
  ...SIGN_UP_GUESTS,
  ...LINK_GUESTS,
  ...NOTICE_GUESTS,
]
