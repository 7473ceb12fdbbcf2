import type { App } from '../app.ts'
import type { Charge } from '../charges/charge.ts'
import { lockCharges } from '../charges/lock-charges.ts'
import { type MerchantTerms, type Mode, termsOf } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { addEvents, type Happening, inKeyOrder } from '../webhooks/events.ts'
import { judgeMove, type MoveFacts, type NewestClaim } from './judge-move.ts'
import { unlessSeen } from './move-order.ts'
import { unitsOf } from './move-writes.ts'
import type { Goods } from './order.ts'
import type { OrderMove, OrderMoved } from './order-move.ts'
import { addCallbacks, ordersOfSigns } from './vendor-callbacks.ts'

/** What a machine says of what this charge has paid for directly, or the answer of a supplier that never reports. */
export type DirectMove = Omit<OrderMove, 'id'> & { chargeId: string }

/** The newest direct dispense of a charge as its claim has it: there is no order row. */
type Direct = NewestClaim & {
  mode: Mode
  orderId: string
  goods: readonly Goods[]
  status: 'dispensing' | 'dispensed' | 'failed'
  claimedAt: Date
  /** How often `vending.dispensed` was told of it. */
  dispensedTold: number
}

// The one that is not released is the newest, whatever the clock has said since.
const NEWEST = statement<Direct>(
  'newest direct dispense',
  `select k.id, k.mode, k.order_id as "orderId", k.machine, k.goods, k.state, k.vending_status as status,
     k.claimed_at as "claimedAt", k.commanded_at as "commandedAt", (select count(*)::int from events e
       where e.merchant_id = k.merchant_id and e.subject = k.id and e.type = 'vending.dispensed') as "dispensedTold"
   from dispense_claims k where k.merchant_id = $1 and k.charge_id = $2 and k.kind = 'direct'
   order by k.released_at is null desc, k.claimed_at desc, k.attempt desc limit 1 for no key update`,
)
const COMMANDS = statement<Pick<MoveFacts, 'commands' | 'commandedAt'>>(
  'commands that a charge has paid for directly',
  `select count(k.commanded_at)::int as commands, max(k.commanded_at) as "commandedAt" from dispense_claims k
   where k.merchant_id = $1 and k.charge_id = $2 and k.kind = 'direct'`,
)
const MOVE = statement(
  'move direct dispense',
  `update dispense_claims set vending_status = $3, state = coalesce($4, state), optimistic = optimistic or $4 is null,
     released_at = case $4 when 'released' then $5::timestamptz end, answered_at = coalesce(answered_at, $5), lease_until = null,
     reports_at = null, dispense_result = $6, units_dispensed = $7
   where merchant_id = $1 and id = $2`,
)

/**
 * What `moveOrder` is for orders, for a direct dispense (contract.md G36a): claim, event and delivery in one commit, on locked
 * rows and by the same rules. A jam frees the charge for another dispense; a delivery that is reported after it takes the
 * charge again, and stops the next command where that has not been sent yet.
 */
export async function moveDirect(app: App, move: DirectMove): Promise<OrderMoved> {
  const moved = await unlessSeen(() => judgeAndMove(app, move))
  if (moved === 'moved') app.nudge('send-deliveries')
  return moved
}

function judgeAndMove(app: App, move: DirectMove): Promise<OrderMoved> {
  const at = app.clock.now()
  const { merchantId, chargeId, said } = move
  return app.db.transaction(async (tx): Promise<{ value: OrderMoved; last?: readonly Call[] }> => {
    const [[charge], [direct], [sent], [terms], ...seen] = await tx.send(
      lockCharges([{ merchantId, id: chargeId }]),
      call(NEWEST, merchantId, chargeId),
      call(COMMANDS, merchantId, chargeId),
      termsOf([merchantId]),
      ...(said === undefined ? [] : [ordersOfSigns([{ merchantId, sign: said.sign }])]),
    )
    if (seen.flat().length > 0) return { value: 'seen' }
    assert(charge && direct && sent && terms, 'neither a charge nor a claim on it is ever deleted')
    const verdict = judgeMove(standingOf(direct, charge, sent.commands), move, { ...sent, newest: direct })
    const kept = said === undefined ? [] : [addCallbacks([said.kept(verdict)])]
    const writes = verdict === 'moved' ? writesOf({ direct, charge, move, terms, at }) : []
    return { value: verdict, last: [...kept, ...writes] }
  })
}

/** As an order would stand. A claim that is not under way any more has been confirmed, one way or the other. */
const standingOf = ({ state, status }: Direct, charge: Charge, commands: number) => ({
  vendingStatus: status,
  confirmed: state === 'delivered' || state === 'released',
  attempts: commands,
  charge,
})

type Writing = { direct: Direct; charge: Charge; move: DirectMove; terms: MerchantTerms; at: Date }

function writesOf({ direct, charge, move, terms, at }: Writing): Call[] {
  const { to, merchantId } = move
  const result = to.result === null ? null : JSON.stringify(to.result)
  const data = {
    ...present(direct, { charge, to, at }),
    merchant_reference: charge.reference,
    source: move.source,
  }
  const dispensed = to.status === 'dispensed'
  const happening: Happening = {
    merchantId,
    tag: terms.tag,
    mode: direct.mode,
    type: dispensed ? 'vending.dispensed' : 'vending.dispense_failed',
    // The merchant's own number may come again; a claim never does.
    subject: direct.id,
    // Twice only after an optimistic success was contradicted, and that in its turn.
    occurrence: dispensed ? direct.dispensedTold : 0,
    data: inKeyOrder(data),
    hasWebhookUrl: terms.hasWebhookUrl,
  }
  return [
    call(MOVE, merchantId, direct.id, to.status, stateOf(to), at.toISOString(), result, unitsOf(to.result)),
    // Seen before: an optimistic success that the machine now confirms is no new event.
    ...addEvents(direct.status === to.status ? [] : [happening], at),
    ...(move.alongside ?? []),
  ]
}

/** Null leaves it: nobody has confirmed the delivery yet. */
function stateOf(to: DirectMove['to']): 'released' | 'delivered' | null {
  if (to.status === 'failed') return 'released'
  return to.confirmed ? 'delivered' : null
}

/** The fields of an order, as far as a direct dispense has them: it has no page, no QR code and no end. */
function present(direct: Direct, { charge, to, at }: { charge: Charge; to: DirectMove['to']; at: Date }) {
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
    units_dispensed: unitsOf(to.result),
    qr_png_url: null,
    qr_svg_url: null,
    pay_url: null,
    status_url: null,
    state_url: null,
    display_url: null,
    qr_content: null,
  }
}
