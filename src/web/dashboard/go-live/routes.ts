import { pageRoute } from '../../parts/routes/route.ts'
import type { DashboardRoute } from '../visit.ts'
import { showGoLive } from './go-live-page.tsx'

/** The checklist of going live. */
export const GO_LIVE_ROUTES: readonly DashboardRoute[] = [pageRoute('/go-live', showGoLive, 'shop.read')]
