import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { submitTestMoney } from '../developers/test-money.ts'
import type { DashboardRoute } from '../visit.ts'
import { ADD_FUNDS, showHome } from './home-page.tsx'

export const HOME_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/', showHome, 'shop.read'),
  formRoute(ADD_FUNDS, { submit: submitTestMoney('/'), showRefused: showHome }),
]
