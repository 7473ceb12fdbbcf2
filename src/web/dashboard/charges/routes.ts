import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { ChargeCreateShape } from '../../../payments/charges/charge-request.ts'
import { createCharge } from '../../../payments/charges/create-charge.ts'
import { refundCharge } from '../../../payments/refunds/refund-charge.ts'
import { DEFAULT_CHANNEL } from '../../../rails/rail.ts'
import { exportCharges } from '../../../reports/exports/export-money.ts'
import { getCreatedId } from '../../parts/created.ts'
import { getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { exportRoute } from '../lists/exports.tsx'
import { CHARGES } from '../texts/charges.ts'
import type { DashboardRoute } from '../visit.ts'
import { EXPORT_CHARGES, NEW_CHARGE, parseChargeFilter, showCharges } from './charge-list.tsx'
import { REFUND_CHARGE, showCharge } from './charge-page.tsx'

/** Charges of a merchant: the list, one charge, a test charge, the refund. */
export const CHARGE_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/charges', showCharges, 'read'),
  pageRoute('/charges/:id', showCharge, 'read'),
  exportRoute(EXPORT_CHARGES, {
    name: 'charges',
    file: ({ app, caller, query }) => exportCharges(app, caller, parseChargeFilter(query)),
    again: showCharges,
  }),
  formRoute(NEW_CHARGE, {
    async submit(visit, { phone = '', reference = '', ...values }) {
      const input = parseBody(ChargeCreateShape, {
        amount: getAmount(values, 'amount'),
        channel: DEFAULT_CHANNEL,
        customer: { phone },
        reference,
      })
      const { caller, requestId } = visit
      const id = getCreatedId(await createCharge(visit.app, { caller, requestId, input, ...getOnce(visit) }))
      return redirectDone(visit.to(`/charges/${id}`), CHARGES.create.done)
    },
    showRefused: showCharges,
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
