import { accountRoutes } from '../../parts/account/account-routes.tsx'
import type { ConsoleRoute } from '../visit.ts'
import { SECURITY_PAGE } from './security-page.tsx'

export const CONSOLE_SECURITY_ROUTES: readonly ConsoleRoute[] = accountRoutes(SECURITY_PAGE)
