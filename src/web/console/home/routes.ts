import { pageRoute } from '../../parts/routes/route.ts'
import type { ConsoleRoute } from '../visit.ts'
import { showHome } from './home-page.tsx'

export const CONSOLE_HOME_ROUTES: readonly ConsoleRoute[] = [pageRoute('/', showHome, 'console.read')]
