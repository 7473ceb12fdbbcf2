import { CHARGE_ROUTES } from './charges/charge-forms.ts'
import { HOME_ROUTES } from './home/home-page.tsx'
import type { DashboardRoute } from './visit.ts'

/** Every page and form of the dashboard for people who have signed in. */
export const ROUTES: readonly DashboardRoute[] = [...HOME_ROUTES, ...CHARGE_ROUTES]
