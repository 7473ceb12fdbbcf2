import { CHARGE_ROUTES } from './charges/charge-forms.ts'
import { HOME_ROUTES } from './home/home-page.tsx'
import { PEOPLE_ROUTES } from './people/people-routes.tsx'
import { SECURITY_ROUTES } from './people/security-routes.tsx'
import type { DashboardRoute } from './visit.ts'

/** Every page and form of the dashboard for people who have signed in. */
export const ROUTES: readonly DashboardRoute[] = [
  ...HOME_ROUTES,
  ...CHARGE_ROUTES,
  ...PEOPLE_ROUTES,
  ...SECURITY_ROUTES,
]
