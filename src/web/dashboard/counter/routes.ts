import { pageRoute } from '../../parts/routes/route.ts'
import type { DashboardRoute } from '../visit.ts'
import { showCounter } from './counter-page.tsx'

/** The page that stays open at the till. */
export const COUNTER_ROUTES: readonly DashboardRoute[] = [pageRoute('/counter', showCounter, 'read')]
