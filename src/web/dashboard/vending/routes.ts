import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { exportOrders } from '../../../reports/exports/export-selling.ts'
import { decideOrder, type OrderDecision } from '../../../selling/vending/dispensing/decide-order.ts'
import { retryDispense } from '../../../selling/vending/dispensing/retry-dispense.ts'
import { createOrder } from '../../../selling/vending/orders/create-order.ts'
import { getOrder } from '../../../selling/vending/orders/find-orders.ts'
import { invalidateOrder } from '../../../selling/vending/orders/invalidate-order.ts'
import { VendingOrderCreateShape } from '../../../selling/vending/orders/order-request.ts'
import { getCreatedId } from '../../parts/created.ts'
import { getAmount } from '../../parts/forms/form-spec.ts'
import { getOnce } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { exportRoute } from '../lists/exports.tsx'
import { VENDING } from '../texts/vending.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { EXPORT_ORDERS, NEW_ORDER, parseOrderFilter, showOrders } from './order-list.tsx'
import { INVALIDATE_ORDER, MARK_DELIVERED, MARK_NOT_DELIVERED, RETRY_DISPENSE, showOrder } from './order-page.tsx'

const { orders: words } = VENDING

/** Orders of machines: the list, a test order, one with the forms that decide about it. */
export const ORDER_ROUTES: readonly DashboardRoute[] = [
  page('/orders', (visit) => showOrders(visit), 'read'),
  page('/orders/:id', (visit) => showOrder(visit), 'read'),
  exportRoute(EXPORT_ORDERS, {
    name: 'orders',
    file: ({ app, caller, query }) => exportOrders(app, caller, parseOrderFilter(query)),
    again: showOrders,
  }),
  form(NEW_ORDER, {
    async submit(visit, { machine = '', product = '', ...values }) {
      if (visit.mode === 'live') throw domainRefusal('test_only', 'live orders come from machines')
      const amount = getAmount(values, 'amount')
      const goods = [{ spbh: '1', spmc: product, spdj: amount }]
      const given = parseBody(VendingOrderCreateShape, { machine, amount, goods })
      const { caller, requestId } = visit
      const id = getCreatedId(await createOrder(visit.app, { caller, requestId, given, idempotency: getOnce(visit) }))
      return redirectDone(visit.to(`/orders/${id}`), words.create.done)
    },
    showRefused: showOrders,
  }),
  form(RETRY_DISPENSE, {
    async submit({ app, caller, params, to }) {
      const { ok, order } = await retryDispense(app, caller, params.id ?? '')
      return redirectDone(to(`/orders/${order.id}`), ok ? words.retry.done : words.retry.failed)
    },
    showRefused: showOrder,
  }),
  form(MARK_DELIVERED, { submit: (visit) => submitDecision(visit, 'delivered'), showRefused: showOrder }),
  form(MARK_NOT_DELIVERED, {
    submit: (visit) => submitDecision(visit, 'not-delivered'),
    showRefused: showOrder,
  }),
  form(INVALIDATE_ORDER, {
    async submit({ app, caller, params, to }) {
      const { id } = await invalidateOrder(app, caller, params.id ?? '')
      return redirectDone(to(`/orders/${id}`), words.invalidate.done)
    },
    showRefused: showOrder,
  }),
]

async function submitDecision({ app, caller, params, to }: DashboardVisit, decision: OrderDecision) {
  const { id, merchantId } = await getOrder(app, caller, params.id ?? '')
  await decideOrder(app, caller, { merchantId, id, decision })
  return redirectDone(to(`/orders/${id}`), words.decided)
}
