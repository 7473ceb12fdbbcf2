import { readBody } from '../../http/read-body.ts'
import { createdId } from '../../pages/created.ts'
import { amountOf, type FormSpec } from '../../pages/form-spec.ts'
import { onceOf } from '../../pages/route.ts'
import { doneTo } from '../../pages/shown.ts'
import { PREPARED_PREFIX } from '../../payouts/prepared/prepared-payout.ts'
import { requestSubaccountPayout } from '../../payouts/prepared/request-subaccount-payout.ts'
import { createSubaccount } from '../../subaccounts/create-subaccount.ts'
import { setSubaccountStatus } from '../../subaccounts/set-subaccount-status.ts'
import { SubaccountCreateShape, type SubaccountStatus } from '../../subaccounts/subaccount.ts'
import { SUBACCOUNTS } from '../texts/subaccounts.ts'
import { type DashboardRoute, form, page } from '../visit.ts'
import { CREATE, showSubaccounts } from './subaccount-list.tsx'
import { ACTIVATE, DEACTIVATE, PAY_OUT, showSubaccount } from './subaccount-page.tsx'

const sets = (spec: FormSpec, status: SubaccountStatus, message: string): DashboardRoute =>
  form(spec, {
    async submit(visit) {
      const id = visit.params.id ?? ''
      await setSubaccountStatus(visit.app, visit.caller, { merchantId: visit.merchant.id, id, status })
      return doneTo(visit.to(`/subaccounts/${id}`), message)
    },
    again: showSubaccount,
  })

/** Subaccounts: the list, a new one, one with its balances and payouts. */
export const SUBACCOUNT_ROUTES: readonly DashboardRoute[] = [
  page('/subaccounts', (visit) => showSubaccounts(visit)),
  page('/subaccounts/:id', (visit) => showSubaccount(visit)),
  form(CREATE, {
    async submit(visit, { name, phone, ref }) {
      const { app, caller, requestId } = visit
      const given = readBody(SubaccountCreateShape, { name, payout_phone: phone, external_ref: ref })
      const id = createdId(
        await createSubaccount(app, { caller, requestId, given, idempotency: onceOf(visit) }),
      )
      return doneTo(visit.to(`/subaccounts/${id}`), SUBACCOUNTS.create.done)
    },
    again: showSubaccounts,
  }),
  form(PAY_OUT, {
    async submit(visit, values) {
      const { app, caller, requestId, params } = visit
      const payout = { subaccountId: params.id ?? '', amount: amountOf(values, 'amount') }
      const id = createdId(
        await requestSubaccountPayout(app, { ...payout, caller, requestId, ...onceOf(visit) }),
      )
      const waits = id.startsWith(PREPARED_PREFIX)
      const { prepared, done } = SUBACCOUNTS.payOut
      return doneTo(visit.to(waits ? `/payouts/prepared/${id}` : `/payouts/${id}`), waits ? prepared : done)
    },
    again: showSubaccount,
  }),
  sets(ACTIVATE, 'active', SUBACCOUNTS.activate.done),
  sets(DEACTIVATE, 'inactive', SUBACCOUNTS.deactivate.done),
]
