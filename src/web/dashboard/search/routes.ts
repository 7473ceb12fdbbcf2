import { pageRoute } from '../../parts/routes/route.ts'
import type { DashboardRoute } from '../visit.ts'
import { showSearch } from './search-page.tsx'

/** The page that the search box leads to. */
export const SEARCH_ROUTES: readonly DashboardRoute[] = [pageRoute('/search', showSearch, 'read')]
