import { type DashboardRoute, page } from '../visit.ts'
import { showEvents } from './events-page.tsx'
import { KEY_ROUTES } from './key-routes.ts'
import { REFERENCE_ROUTES } from './reference-page.tsx'
import { showRequest } from './request-page.tsx'
import { showRequests } from './requests-page.tsx'
import { SANDBOX_ROUTES } from './sandbox-routes.ts'
import { WEBHOOK_ROUTES } from './webhook-routes.ts'

/** Every page and form for people who connect the API. */
export const DEVELOPER_ROUTES: readonly DashboardRoute[] = [
  ...KEY_ROUTES,
  ...WEBHOOK_ROUTES,
  page('/developers/events', showEvents),
  page('/developers/requests', showRequests, 'payouts.read'),
  page('/developers/requests/:id', showRequest, 'payouts.read'),
  ...SANDBOX_ROUTES,
  ...REFERENCE_ROUTES,
]
