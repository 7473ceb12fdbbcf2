import { addTestFunds } from '../../../ledger/test-funds.ts'
import { getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { HOME } from '../texts/home.ts'
import type { DashboardRoute } from '../visit.ts'
import { ADD_FUNDS, showHome } from './home-page.tsx'

export const HOME_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/', showHome, 'shop.read'),
  formRoute(ADD_FUNDS, {
    async submit(visit, values) {
      const amount = getAmount(values, 'amount')
      const { id: merchantId, tag } = visit.merchant
      const holder = { merchantId, tag }
      await addTestFunds(visit.app, visit.caller, { holder, amount, key: getOnce(visit).key })
      return redirectDone(visit.to('/'), HOME.funds.added(formatShillings(amount)))
    },
    showRefused: showHome,
  }),
]
