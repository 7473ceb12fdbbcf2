import { presentMetadata } from '../../../api/http/bodies/metadata.ts'
import type { Charge } from '../../../payments/charges/charge.ts'
import { lockCharges } from '../../../payments/charges/lock-charges.ts'
import { assert } from '../../../platform/assert.ts'
import { toColumns, unnestColumns } from '../../../platform/db/columns.ts'
import { type Call, call, type Tx } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Mode } from '../../../platform/mode.ts'
import type { Goods } from '../orders/order.ts'
import { sumUnits } from './delivered-products.ts'
import { type DispenseKey, type DispenseMove, dispenseName, type LockedRows } from './dispense-move.ts'
import type { DispenseState, MoveFacts, NewestClaim } from './judge-move.ts'

/** The newest direct dispense of a charge, read from its claim because there is no order row. */
type DirectRow = NewestClaim & {
  merchantId: number
  mode: Mode
  chargeId: string
  orderId: string
  goods: readonly Goods[]
  vendingStatus: 'dispensing' | 'dispensed' | 'failed'
  claimedAt: Date
  /** How often the event `vending.dispensed` was sent for it. */
  timesDispensed: number
}
/** The facts of all direct dispenses of a charge together. */
type PaidFacts = Pick<MoveFacts, 'tag' | 'hasWebhookUrl' | 'commands' | 'commandedAt'> & {
  merchantId: number
  chargeId: string
}

/** A locked direct dispense in the form of an order, with the charge that pays it. */
export type LockedDirect = {
  kind: 'direct'
  order: DispenseState & DirectRow & { charge: Charge }
  facts: MoveFacts
}

// A claim that is not released is the newest, even if a clock was wrong. It is locked until the commit.
const LOCK_NEWEST_DIRECTS = statement<DirectRow>(
  'lock newest direct dispenses',
  `select k.merchant_id as "merchantId", k.id, k.mode, k.charge_id as "chargeId", k.order_id as "orderId", k.machine, k.goods,
     k.state, k.vending_status as "vendingStatus", k.claimed_at as "claimedAt", k.commanded_at as "commandedAt",
     (select count(*)::int from events e where e.merchant_id = k.merchant_id and e.subject = k.id
       and e.type = 'vending.dispensed') as "timesDispensed"
   from dispense_claims k where (k.merchant_id, k.id) in (
     select n.merchant_id, newest.id from ${unnestColumns('bigint', 'text')} as n (merchant_id, charge_id)
     cross join lateral (select d.id from dispense_claims d
       where d.merchant_id = n.merchant_id and d.charge_id = n.charge_id and d.kind = 'direct'
       order by d.released_at is null desc, d.claimed_at desc, d.attempt desc limit 1) newest)
   order by k.merchant_id, k.id for no key update`,
)
const PAID_BY_CHARGES = statement<PaidFacts>(
  'what charges have paid for directly',
  `select n.merchant_id as "merchantId", n.charge_id as "chargeId", m.tag, m.webhook_url is not null as "hasWebhookUrl",
     sent.commands, sent."commandedAt"
   from ${unnestColumns('bigint', 'text')} as n (merchant_id, charge_id) join merchants m on m.id = n.merchant_id
   cross join lateral (select count(k.commanded_at)::int as commands, max(k.commanded_at) as "commandedAt" from dispense_claims k
     where k.merchant_id = n.merchant_id and k.charge_id = n.charge_id and k.kind = 'direct') sent`,
)

/** Locks direct dispenses by the charges that pay them, as `lockOrders` does orders. `also` is read behind the locks. */
export async function lockDirects<Row>(
  tx: Tx,
  keys: readonly DispenseKey[],
  also: readonly Call<Row>[],
): Promise<LockedRows<LockedDirect, Row>> {
  const each = toColumns(keys)
  const columns = [...each.numbers('merchantId'), ...each.values('id')]
  const [charges, newest, paid, ...rest] = await tx.send(
    lockCharges(keys),
    call(LOCK_NEWEST_DIRECTS, ...columns),
    call(PAID_BY_CHARGES, ...columns),
    ...also,
  )
  const chargeOf = new Map(charges.map((charge) => [dispenseName(charge), charge]))
  const paidBy = new Map(paid.map((paid) => [dispenseName({ ...paid, id: paid.chargeId }), paid]))
  const dispenses = newest.map((direct): [string, LockedDirect] => {
    const name = dispenseName({ ...direct, id: direct.chargeId })
    return [name, newLockedDirect(direct, { charge: chargeOf.get(name), paid: paidBy.get(name) })]
  })
  return { dispenses: new Map(dispenses), also: rest.flat() }
}

/** A claim that is delivered or released counts as confirmed. The jam of a direct dispense is never refunded automatically. */
function newLockedDirect(
  direct: DirectRow,
  { charge, paid }: { charge: Charge | undefined; paid: PaidFacts | undefined },
): LockedDirect {
  assert(charge && paid, 'neither a charge nor its merchant is ever deleted')
  const confirmed = direct.state === 'delivered' || direct.state === 'released'
  const dispensedTold = direct.timesDispensed > 0
  return {
    kind: 'direct',
    order: { ...direct, confirmed, attempts: paid.commands, charge },
    facts: { ...paid, autoRefundOnJam: 'off', newest: direct, dispensedTold },
  }
}

/** Formats a direct dispense with the fields of an order. It has no page, no QR code and no expiry. */
export function presentDirect(direct: LockedDirect['order'], to: DispenseMove['to'], at: Date) {
  const { charge } = direct
  return {
    order_id: direct.orderId,
    mode: direct.mode,
    amount: charge.amount,
    currency: 'UGX',
    machine: direct.machine,
    goods: direct.goods,
    description: null,
    reference: charge.reference,
    success_url: null,
    charge_id: charge.id,
    payment_status: 'succeeded',
    vending_status: to.status,
    vending_error: to.status === 'failed' ? to.error : to.note,
    refunded: false,
    expired: false,
    expires_at: null,
    invalidated_at: null,
    created_at: direct.claimedAt.toISOString(),
    dispensed_at: to.status === 'dispensed' ? at.toISOString() : null,
    dispense_result: to.result,
    units_dispensed: sumUnits(to.result),
    qr_png_url: null,
    qr_svg_url: null,
    pay_url: null,
    status_url: null,
    state_url: null,
    display_url: null,
    qr_content: null,
    metadata: presentMetadata(charge.metadata),
  }
}
