import { Type } from 'typebox'
import { tagEndpoints } from '../../api/http/endpoint.ts'
import { objectEndpoint } from '../../api/http/read-endpoints.ts'
import { actEndpoint, createEndpoint } from '../../api/http/write-endpoints.ts'
import type { App } from '../../program/app.ts'
import { DirectDispenseAnswerShape } from './dispensing/direct-answer.ts'
import { dispenseDirect } from './dispensing/direct-dispense.ts'
import { DirectDispenseShape } from './dispensing/dispense-request.ts'
import { type RetryResult, retryDispense } from './dispensing/retry-dispense.ts'
import { createOrder } from './orders/create-order.ts'
import { getOrder } from './orders/find-orders.ts'
import { parseExactGoods } from './orders/goods.ts'
import { invalidateOrder } from './orders/invalidate-order.ts'
import { OrderShape, presentOrder, type VendingOrder } from './orders/order.ts'
import { VendingOrderCreateShape } from './orders/order-request.ts'

const ORDER_ID = 'the `order_id`, starts with `lnk_`'
const RetryResultShape = Type.Object(
  {
    ok: Type.Boolean({ description: 'true: the machine has been told, or has dispensed before' }),
    ...OrderShape.properties,
  },
  { $id: 'VendingDispense' },
)

const present = (app: App, order: VendingOrder) => presentOrder(order, { baseUrl: app.baseUrl, at: app.clock.now() })

const withExactGoods = <Given extends { goods: unknown }, Post extends { given: Given }>(
  post: Post,
  bytes: Buffer,
): Post => ({
  ...post,
  given: { ...post.given, goods: parseExactGoods(post.given.goods, bytes) },
})

export const vendingEndpoints = tagEndpoints('Vending', [
  createEndpoint<App, typeof VendingOrderCreateShape>({
    path: '/v1/vending/orders',
    name: 'createVendingOrder',
    summary: 'Create an order that a machine dispenses once it is paid',
    description:
      'Show its `display_url`, or its QR. When the customer has paid, your machine is told to dispense, once; `vending.dispensed` or `vending.dispense_failed` says what it reported. Unpaid, the order ends at `expires_at`.',
    action: 'order.create',
    rate: 'vending_orders',
    body: VendingOrderCreateShape,
    answers: { 201: { description: 'created', schema: OrderShape } },
    refusals: {
      403: 'vending_disabled: vending is off for this merchant',
      404: 'not_found: machine not registered to this merchant',
    },
    make: (app, request, bytes) => createOrder(app, withExactGoods(request, bytes)),
  }),
  objectEndpoint<App, VendingOrder>({
    path: '/v1/vending/orders/:id',
    name: 'getVendingOrder',
    summary: 'Read one vending order',
    description: 'Whether it is paid stands in `payment_status`, whether the product came out in `vending_status`.',
    id: ORDER_ID,
    shape: { description: 'the order', schema: OrderShape },
    find: getOrder,
    present: (order, app) => present(app, order),
  }),
  actEndpoint<App, VendingOrder>({
    path: '/v1/vending/orders/:id/invalidate',
    name: 'invalidateVendingOrder',
    summary: 'Take back an order that nobody pays',
    description: 'At once: its QR is worth nothing from then on. Refused while a payment is attached.',
    action: 'order.invalidate',
    rate: 'invalidate_order',
    id: ORDER_ID,
    shape: { description: 'taken back, or over before', schema: OrderShape },
    refusals: { 409: 'conflict: a payment is already attached to this order' },
    act: invalidateOrder,
    present: (order, app) => present(app, order),
  }),
  actEndpoint<App, RetryResult & { id: string }>({
    path: '/v1/vending/orders/:id/dispense',
    name: 'retryVendingDispense',
    summary: 'Dispense a paid order whose dispense has failed',
    description:
      'Never dispenses twice: an order that was dispensed is answered as it is. A supplier that refuses again is a 200 with `ok` false and the reason in `vending_error`.',
    action: 'order.dispense',
    rate: 'retry_dispense',
    id: ORDER_ID,
    shape: { description: 'what became of it', schema: RetryResultShape },
    refusals: {
      403: 'vending_disabled: vending is off for this merchant',
      409: 'conflict: a dispense attempt is already in progress',
    },
    async act(app, caller, id) {
      return { id, ...(await retryDispense(app, caller, id)) }
    },
    present: ({ ok, order }, app) => ({ ok, ...present(app, order) }),
  }),
  createEndpoint<App, typeof DirectDispenseShape>({
    path: '/v1/vending/dispense',
    name: 'dispense',
    summary: 'Spend a succeeded charge of your own on one dispense',
    description:
      'For payment flows of your own. One succeeded charge pays for one dispense, for ever; only a supplier that refuses the command, or a jam, frees it again.',
    action: 'order.dispense',
    rate: 'direct_dispense',
    body: DirectDispenseShape,
    answers: { 200: { description: 'the machine has been told', schema: DirectDispenseAnswerShape } },
    refusals: {
      403: 'vending_disabled: vending is off for this merchant',
      404: 'not_found: charge not found, or machine not registered to this merchant',
      409: 'conflict: this charge has already paid for a dispense',
      502: 'supplier_error: the machine supplier refused; charge and key are free again',
    },
    make: (app, request, bytes) => dispenseDirect(app, withExactGoods(request, bytes)),
  }),
])
