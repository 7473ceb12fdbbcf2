import { refundCharge } from '../../../payments/refunds/refund-charge.ts'
import { exportCharges } from '../../../reports/exports/export-money.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { exportRoute } from '../lists/exports.tsx'
import { CHARGES } from '../texts/charges.ts'
import type { DashboardRoute } from '../visit.ts'
import { EXPORT_CHARGES, readChargeFilter, showCharges } from './charge-list.tsx'
import { REFUND_CHARGE, showCharge } from './charge-page.tsx'

/** Charges of a merchant: the list, one charge, the refund. */
export const CHARGE_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/charges', showCharges, 'read'),
  pageRoute('/charges/:id', showCharge, 'read'),
  exportRoute(EXPORT_CHARGES, {
    name: 'charges',
    file: async (visit, reader) =>
      exportCharges(visit.app, visit.caller, { filter: (await readChargeFilter(visit)).filter, reader }),
    again: showCharges,
  }),
  formRoute(REFUND_CHARGE, {
    async submit(visit) {
      const { charge, payout } = await refundCharge(visit.app, visit.caller, {
        chargeId: visit.params.id ?? '',
      })
      const message = payout === null ? CHARGES.refund.doneToCard : CHARGES.refund.done
      return redirectDone(visit.to(`/charges/${charge.id}`), message)
    },
    showRefused: showCharge,
  }),
]
