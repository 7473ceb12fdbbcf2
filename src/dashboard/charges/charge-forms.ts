import { ChargeCreateShape } from '../../charges/charge-request.ts'
import { createCharge } from '../../charges/create-charge.ts'
import { readBody } from '../../http/read-body.ts'
import { createdId } from '../../pages/created.ts'
import { amountOf } from '../../pages/form-spec.ts'
import { onceOf } from '../../pages/route.ts'
import { doneTo } from '../../pages/shown.ts'
import { refundCharge } from '../../refunds/refund-charge.ts'
import { exportCharges } from '../../reports/exports/export-charges.ts'
import { exportRoute } from '../lists/exports.tsx'
import { CHARGES } from '../texts/charges.ts'
import { type DashboardRoute, form, page } from '../visit.ts'
import { chargeFilter, EXPORT, NEW_CHARGE, showCharges } from './charge-list.tsx'
import { REFUND, showCharge } from './charge-page.tsx'

/** Charges of a merchant: the list, one charge, a test charge, the refund. */
export const CHARGE_ROUTES: readonly DashboardRoute[] = [
  page('/charges', (visit) => showCharges(visit), 'read'),
  page('/charges/:id', (visit) => showCharge(visit), 'read'),
  exportRoute(EXPORT, {
    name: 'charges',
    file: ({ app, caller, query }) => exportCharges(app, caller, chargeFilter(query)),
    again: showCharges,
  }),
  form(NEW_CHARGE, {
    async submit(visit, { phone = '', reference = '', ...values }) {
      const input = readBody(ChargeCreateShape, {
        amount: amountOf(values, 'amount'),
        channel: 'op1_momo',
        customer: { phone },
        reference,
      })
      const { caller, requestId } = visit
      const id = createdId(await createCharge(visit.app, { caller, requestId, input, ...onceOf(visit) }))
      return doneTo(visit.to(`/charges/${id}`), CHARGES.create.done)
    },
    again: showCharges,
  }),
  form(REFUND, {
    async submit(visit) {
      const { charge, payout } = await refundCharge(visit.app, visit.caller, {
        chargeId: visit.params.id ?? '',
      })
      const message = payout === null ? CHARGES.refund.doneToCard : CHARGES.refund.done
      return doneTo(visit.to(`/charges/${charge.id}`), message)
    },
    again: showCharge,
  }),
]
