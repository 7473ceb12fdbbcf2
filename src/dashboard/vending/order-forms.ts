import { readBody } from '../../http/read-body.ts'
import { createdId } from '../../pages/created.ts'
import { amountOf } from '../../pages/form-spec.ts'
import { onceOf } from '../../pages/route.ts'
import { doneTo } from '../../pages/shown.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { exportOrders } from '../../reports/exports/export-orders.ts'
import { type Decision, decideOrder } from '../../vending/dispensing/decide-order.ts'
import { retryDispense } from '../../vending/dispensing/retry-dispense.ts'
import { createOrder } from '../../vending/orders/create-order.ts'
import { getOrder } from '../../vending/orders/find-orders.ts'
import { invalidateOrder } from '../../vending/orders/invalidate-order.ts'
import { VendingOrderCreateShape } from '../../vending/orders/order-request.ts'
import { exportRoute } from '../lists/exports.tsx'
import { VENDING } from '../texts/vending.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { EXPORT, NEW_ORDER, orderFilter, showOrders } from './order-list.tsx'
import { DELIVERED, INVALIDATE, NOT_DELIVERED, RETRY, showOrder } from './order-page.tsx'

const { orders: words } = VENDING

/** Orders of machines: the list, a test order, one with the forms that decide about it. */
export const ORDER_ROUTES: readonly DashboardRoute[] = [
  page('/orders', (visit) => showOrders(visit), 'read'),
  page('/orders/:id', (visit) => showOrder(visit), 'read'),
  exportRoute(EXPORT, {
    name: 'orders',
    file: ({ app, caller, query }) => exportOrders(app, caller, orderFilter(query)),
    again: showOrders,
  }),
  form(NEW_ORDER, {
    async submit(visit, { machine = '', product = '', ...values }) {
      if (visit.mode === 'live') throw domainRefusal('test_only', 'live orders come from machines')
      const amount = amountOf(values, 'amount')
      const goods = [{ spbh: '1', spmc: product, spdj: amount }]
      const given = readBody(VendingOrderCreateShape, { machine, amount, goods })
      const { caller, requestId } = visit
      const id = createdId(
        await createOrder(visit.app, { caller, requestId, given, idempotency: onceOf(visit) }),
      )
      return doneTo(visit.to(`/orders/${id}`), words.create.done)
    },
    again: showOrders,
  }),
  form(RETRY, {
    async submit({ app, caller, params, to }) {
      const { ok, order } = await retryDispense(app, caller, params.id ?? '')
      return doneTo(to(`/orders/${order.id}`), ok ? words.retry.done : words.retry.failed)
    },
    again: showOrder,
  }),
  form(DELIVERED, { submit: (visit) => decided(visit, 'delivered'), again: showOrder }),
  form(NOT_DELIVERED, { submit: (visit) => decided(visit, 'not-delivered'), again: showOrder }),
  form(INVALIDATE, {
    async submit({ app, caller, params, to }) {
      const { id } = await invalidateOrder(app, caller, params.id ?? '')
      return doneTo(to(`/orders/${id}`), words.invalidate.done)
    },
    again: showOrder,
  }),
]

async function decided({ app, caller, params, to }: DashboardVisit, decision: Decision) {
  const { id, merchantId } = await getOrder(app, caller, params.id ?? '')
  await decideOrder(app, caller, { merchantId, id, decision })
  return doneTo(to(`/orders/${id}`), words.decided)
}
