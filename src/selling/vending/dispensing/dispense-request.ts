import { type Static, Type } from 'typebox'
import { parseBody } from '../../../api/http/bodies/parse-body.ts'
import { invalidRequest } from '../../../platform/refusal.ts'
import { checkGoods, GoodsList } from '../orders/goods.ts'
import type { Goods } from '../orders/order.ts'
import { PayAccount } from '../orders/order-request.ts'

const Machine = Type.String({ maxLength: 64 })
const OrderId = Type.String({ maxLength: 64 })
const ChargeId = Type.String()

/** Missing fields are reported in one text (contract.md G36), so the reader of bodies passes them on unchecked. */
export const DirectDispenseShape = Type.Object(
  {
    machine: Type.String({
      maxLength: 64,
      raw: true,
      description: 'number of a machine that is registered to you',
      examples: ['1707100001'],
    }),
    order_id: Type.String({
      maxLength: 64,
      raw: true,
      description: 'your own; the machine reports under it',
      examples: ['order-1001'],
    }),
    goods: GoodsList,
    charge_id: Type.String({
      raw: true,
      description: 'a succeeded charge that has not paid for a dispense yet',
      examples: ['txn_k3x9qzz7c2d4e6f8g1h0j'],
    }),
    pay_account: Type.Optional(Type.Union([PayAccount, Type.Null()])),
  },
  { $id: 'DirectDispenseCreate' },
)

export type DirectDispenseBody = Static<typeof DirectDispenseShape>

/** The checked fields of a direct dispense. Goods keep their exact text. */
export type DirectDispense = {
  machine: string
  orderId: string
  goods: readonly Goods[]
  chargeId: string
  payAccount: string | null
}

const BeforeGoods = Type.Object({ machine: Machine, order_id: OrderId })
const AfterGoods = Type.Object({ charge_id: ChargeId, pay_account: Type.Optional(PayAccount) })

/** Checks the fields that the reader of bodies passed on. Throws `invalid request: ...` with the first fault. */
export function parseDirectDispense(body: DirectDispenseBody): DirectDispense {
  if ([body.machine, body.order_id, body.goods, body.charge_id].some(isMissing))
    throw invalidRequest('machine, order_id, goods and charge_id are required')
  const { machine, order_id: orderId } = parseBody(BeforeGoods, body)
  // Suppliers sign `k=v&k=v`: with these characters the machine's report would be ambiguous and refused.
  if (/[&=]/.test(orderId)) throw invalidRequest('order_id must not contain & or =', 'order_id')
  const goods = checkGoods(body.goods)
  const { charge_id: chargeId, pay_account: payAccount } = parseBody(AfterGoods, body)
  return { machine, orderId, goods, chargeId, payAccount: payAccount ?? null }
}

const isMissing = (value: unknown) =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0)
