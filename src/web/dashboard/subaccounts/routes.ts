import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { PREPARED_PREFIX } from '../../../payments/payouts/prepared/prepared-payout.ts'
import { requestSubaccountPayout } from '../../../payments/payouts/prepared/request-subaccount-payout.ts'
import { createSubaccount } from '../../../payments/subaccounts/create-subaccount.ts'
import { setSubaccountStatus } from '../../../payments/subaccounts/set-subaccount-status.ts'
import { SubaccountCreateShape, type SubaccountStatus } from '../../../payments/subaccounts/subaccount.ts'
import { getCreatedId } from '../../parts/created.ts'
import { type FormSpec, getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { getObjectPath } from '../object-link.tsx'
import { SUBACCOUNTS } from '../texts/subaccounts.ts'
import type { DashboardRoute } from '../visit.ts'
import { CREATE_SUBACCOUNT, showNewSubaccount, showSubaccounts } from './subaccount-list.tsx'
import { ACTIVATE_SUBACCOUNT, DEACTIVATE_SUBACCOUNT, PAY_OUT_SUBACCOUNT, showSubaccount } from './subaccount-page.tsx'

const statusRoute = (spec: FormSpec, status: SubaccountStatus, message: string): DashboardRoute =>
  formRoute(spec, {
    async submit(visit) {
      const id = visit.params.id ?? ''
      await setSubaccountStatus(visit.app, visit.caller, { merchantId: visit.merchant.id, id, status })
      return redirectDone(visit.to(`/subaccounts/${id}`), message)
    },
    showRefused: showSubaccount,
  })

/** Subaccounts: the list, a new one, one with its balances and payouts. */
export const SUBACCOUNT_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/subaccounts', showSubaccounts, 'shop.read'),
  pageRoute(CREATE_SUBACCOUNT.path, showNewSubaccount, CREATE_SUBACCOUNT.action),
  pageRoute('/subaccounts/:id', showSubaccount, 'shop.read'),
  formRoute(CREATE_SUBACCOUNT, {
    async submit(visit, { name, phone, ref }) {
      const { app, caller, requestId } = visit
      const given = parseBody(SubaccountCreateShape, { name, payout_phone: phone, external_ref: ref })
      const id = getCreatedId(await createSubaccount(app, { caller, requestId, given, idempotency: getOnce(visit) }))
      return redirectDone(visit.to(`/subaccounts/${id}`), SUBACCOUNTS.create.done)
    },
    showRefused: showNewSubaccount,
  }),
  formRoute(PAY_OUT_SUBACCOUNT, {
    async submit(visit, values) {
      const { app, caller, requestId, params } = visit
      const payout = { subaccountId: params.id ?? '', amount: getAmount(values, 'amount') }
      const id = getCreatedId(await requestSubaccountPayout(app, { ...payout, caller, requestId, ...getOnce(visit) }))
      const waits = id.startsWith(PREPARED_PREFIX)
      const { prepared, done } = SUBACCOUNTS.payOut
      return redirectDone(visit.to(getObjectPath(id)), waits ? prepared : done)
    },
    showRefused: showSubaccount,
  }),
  statusRoute(ACTIVATE_SUBACCOUNT, 'active', SUBACCOUNTS.activate.done),
  statusRoute(DEACTIVATE_SUBACCOUNT, 'inactive', SUBACCOUNTS.deactivate.done),
]
