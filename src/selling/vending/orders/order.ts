import { Type } from 'typebox'
import { type Metadata, MetadataShape, presentMetadata } from '../../../api/http/bodies/metadata.ts'
import { expandedMember } from '../../../api/http/expand.ts'
import type { EventType } from '../../../merchants/webhooks/events.ts'
import type { ChargeStatus } from '../../../payments/charges/charge.ts'
import { type Mode, ModeShape } from '../../../platform/mode.ts'
import type { Moves } from '../../../platform/moves.ts'
import type { ExactNumber } from '../../../platform/text/exact-json.ts'
import { linkUrl } from '../../payment-links/payment-link.ts'

/** The state of dispensing (spec 3.4). */
export type VendingStatus = 'pending' | 'dispensing' | 'dispensed' | 'failed'
export type PaymentStatus = 'unpaid' | 'pending' | 'succeeded' | 'failed'

/** The one table of moves (contract.md G29a); the database refuses every other (trigger vending_moves_forward). */
export const VENDING_MOVES = {
  // `failed` before anything was commanded: the order was taken back or not paid in time. No event.
  pending: { dispensing: null, failed: null },
  dispensing: { dispensed: 'vending.dispensed', failed: 'vending.dispense_failed' },
  failed: { dispensing: null, dispensed: 'vending.dispensed' },
  // Only while no machine has confirmed it: the optimistic profile may be contradicted.
  dispensed: { failed: 'vending.dispense_failed' },
} as const satisfies Moves<VendingStatus, EventType>

/** One product of an order as the merchant gave it; other fields are kept and passed on. */
export type Goods = {
  spbh: string | number | ExactNumber
  spmc?: string
  spdj?: string | number | ExactNumber
}

/** What the machine reports about one product. */
export type ReportedGoods = { spbh?: string; chsl: number; spmc?: string }

/** The attempt on an order. `due`: the part paid by mobile money, in whole UGX; 0 if a gift card covers all. */
export type OrderCharge = { id: string; status: ChargeStatus; due: number }

/** A vending order with its link and the attempt that holds it. Whole UGX; times are UTC. */
export type VendingOrder = {
  merchantId: number
  id: string
  mode: Mode
  amount: number
  description: string | null
  reference: string | null
  successUrl: string | null
  machine: string
  goods: readonly Goods[]
  payAccount: string | null
  vendingStatus: VendingStatus
  vendingError: string | null
  /** Whether a machine or a person has confirmed the status; a confirmed `dispensed` never changes again. */
  confirmed: boolean
  dispenseResult: readonly ReportedGoods[] | null
  unitsDispensed: number | null
  dispensedAt: Date | null
  /** How many commands were claimed; events of the order are numbered by it. */
  attempts: number
  expiresAt: Date
  invalidatedAt: Date | null
  createdAt: Date
  /** Copied to the charge that pays it. */
  metadata: Metadata | null
  /** The attached attempt, unless it was taken back. */
  charge: OrderCharge | null
}

/** Columns of vending_orders o and payment_links l; the charge is looked up separately. */
export const ORDER_COLUMNS = `o.merchant_id as "merchantId", o.id, o.mode, l.amount, l.description, l.reference,
  l.success_url as "successUrl", o.machine, o.goods, o.pay_account as "payAccount", o.vending_status as "vendingStatus",
  o.vending_error as "vendingError", o.confirmed, o.dispense_result as "dispenseResult",
  o.units_dispensed as "unitsDispensed", o.dispensed_at as "dispensedAt", o.attempts, l.expires_at as "expiresAt",
  l.invalidated_at as "invalidatedAt", o.created_at as "createdAt", l.metadata,
  (select json_build_object('id', c.id, 'status', c.status, 'due', c.amount - c.gift_card_amount) from charges c
   where c.merchant_id = l.merchant_id and c.id = l.charge_id and c.voided_at is null) as charge`
export const ORDER_TABLES = 'vending_orders o join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id'

const PAYMENT_STATUS_OF: Record<ChargeStatus, PaymentStatus> = {
  pending: 'pending',
  authorized: 'pending',
  succeeded: 'succeeded',
  refunded: 'succeeded',
  failed: 'failed',
}

/** Computes the payment status from the attached charge; it is never stored (VE1). */
export const paymentStatus = ({ charge }: Pick<VendingOrder, 'charge'>): PaymentStatus =>
  charge === null ? 'unpaid' : PAYMENT_STATUS_OF[charge.status]

/** Whether an order can no longer be paid: expired or invalidated, with no payment under way (G41a). */
export function isExpired(order: Pick<VendingOrder, 'charge' | 'invalidatedAt' | 'expiresAt'>, at: Date): boolean {
  if (order.invalidatedAt !== null) return true
  const status = paymentStatus(order)
  return order.expiresAt <= at && (status === 'unpaid' || status === 'failed')
}

const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])
const time = Type.String({ format: 'date-time' })
const goodsShape = Type.Unsafe<Goods>(
  Type.Object(
    {
      spbh: Type.Union([Type.String(), Type.Integer()], { description: 'slot or product number' }),
      spmc: Type.Optional(Type.String({ description: 'name' })),
      spdj: Type.Optional(Type.Union([Type.Integer(), Type.String()], { description: 'unit price' })),
    },
    { $id: 'VendingGoods' },
  ),
)
const reportedShape = Type.Unsafe<ReportedGoods>(
  Type.Object(
    {
      spbh: Type.String(),
      chsl: Type.Integer({ minimum: 0, description: 'units dispensed' }),
      spmc: Type.Optional(Type.String()),
    },
    { $id: 'DispensedGoods' },
  ),
)

/** The order as the API and its events show it (contract.md 2.6). */
export const OrderShape = Type.Object(
  {
    order_id: Type.String({ description: 'starts with `lnk_`' }),
    mode: ModeShape,
    amount: Type.Integer({ minimum: 1, description: 'whole UGX' }),
    currency: Type.Literal('UGX'),
    machine: Type.String(),
    goods: Type.Array(goodsShape),
    description: nullable(Type.String()),
    reference: nullable(Type.String()),
    success_url: nullable(Type.String()),
    charge_id: nullable(Type.String({ description: 'the attempt attached at the moment' })),
    charge: expandedMember('Charge'),
    payment_status: Type.Enum(['unpaid', 'pending', 'succeeded', 'failed'], {
      $id: 'VendingPaymentStatus',
    }),
    vending_status: Type.Enum(['pending', 'dispensing', 'dispensed', 'failed'], { $id: 'VendingStatus' }),
    vending_error: nullable(Type.String()),
    refunded: Type.Boolean(),
    expired: Type.Boolean(),
    expires_at: time,
    invalidated_at: nullable(time),
    created_at: time,
    dispensed_at: nullable(time),
    dispense_result: Type.Union([Type.Array(reportedShape), Type.Null()]),
    units_dispensed: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    qr_png_url: Type.String({ format: 'uri', description: 'public' }),
    qr_svg_url: Type.String({ format: 'uri', description: 'public' }),
    pay_url: Type.String({ format: 'uri', description: 'the page on which the customer pays' }),
    status_url: Type.String({ format: 'uri', description: 'this order; needs a key' }),
    state_url: Type.String({ format: 'uri', description: 'public state document of the machine screen' }),
    display_url: Type.String({ format: 'uri', description: 'page for the machine screen' }),
    qr_content: Type.String({ description: 'content to draw the QR code yourself' }),
    metadata: MetadataShape,
    hint: Type.Optional(
      Type.String({
        description:
          'only in the answer that made it, where no customer can pay its amount: why, for a person; its words may change',
      }),
    ),
  },
  { $id: 'VendingOrder' },
)

/** Formats an order for the API. `baseUrl` has no slash at its end. */
export function presentOrder(order: VendingOrder, { baseUrl, at }: { baseUrl: string; at: Date }) {
  const url = linkUrl(order, baseUrl)
  const display = `${baseUrl}/vending/display/${order.id}`
  return {
    order_id: order.id,
    mode: order.mode,
    amount: order.amount,
    currency: 'UGX',
    machine: order.machine,
    goods: order.goods,
    description: order.description,
    reference: order.reference,
    success_url: order.successUrl,
    charge_id: order.charge?.id ?? null,
    payment_status: paymentStatus(order),
    vending_status: order.vendingStatus,
    vending_error: order.vendingError,
    refunded: order.charge?.status === 'refunded',
    expired: isExpired(order, at),
    expires_at: order.expiresAt.toISOString(),
    invalidated_at: order.invalidatedAt?.toISOString() ?? null,
    created_at: order.createdAt.toISOString(),
    dispensed_at: order.dispensedAt?.toISOString() ?? null,
    dispense_result: order.dispenseResult,
    units_dispensed: order.unitsDispensed,
    qr_png_url: `${url}/qr.png`,
    qr_svg_url: `${url}/qr.svg`,
    pay_url: url,
    status_url: `${baseUrl}/v1/vending/orders/${order.id}`,
    state_url: `${display}/state.json`,
    display_url: display,
    qr_content: url,
    metadata: presentMetadata(order.metadata),
  }
}
