import type { App } from '../app.ts'
import type { ChargeStatus } from '../charges/charge.ts'
import { lockCharges } from '../charges/lock-charges.ts'
import type { Mode } from '../merchants/merchant.ts'
import { lockLink } from '../payment-links/hold-link.ts'
import { assert } from '../platform/assert.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { writeExact } from '../platform/exact-json.ts'
import { newId } from '../platform/ids.ts'
import { lockOrder, orderById } from './find-orders.ts'
import type { Goods, VendingOrder } from './order.ts'

/** The right to command one dispense for one succeeded charge; whoever holds its lease sends the command. */
export type Claim = {
  merchantId: number
  id: string
  mode: Mode
  chargeId: string
  kind: 'order' | 'direct'
  orderId: string
  machine: string
  goods: readonly Goods[]
  payAccount: string | null
  attempt: number
}

/** `claimed`: nothing was sent; `commanding`: it may have left. The rest is what was heard of it, or decided. */
export type ClaimState = 'claimed' | 'commanding' | 'accepted' | 'ambiguous' | 'delivered' | 'released'

/** `claimed`: the claim is stored, nothing has been sent. The rest has written nothing. */
export type Claimed =
  | { kind: 'claimed'; claim: Claim; order: VendingOrder }
  | { kind: 'off' }
  | { kind: 'dispensed'; order: VendingOrder }
  | { kind: 'in_progress' }
  | { kind: 'unpaid'; status: ChargeStatus | 'unpaid' }
  /** Another claim on this charge stands in the way. */
  | { kind: 'spoken_for' }

// Calls about one charge wait for each other's locks; what suppliers and machines have said needs connections meanwhile.
export const CLAIMS_AT_ONCE = 3
/** How long a claim that was not commanded belongs to the process that made it. */
export const CLAIM_LEASE_MS = 60_000

export const CLAIM_COLUMNS = `k.merchant_id as "merchantId", k.id, k.mode, k.charge_id as "chargeId", k.kind,
  k.order_id as "orderId", k.machine, k.goods, k.pay_account as "payAccount", k.attempt`

const VENDING_OF = statement<{ vendingEnabled: boolean; tag: string }>(
  'vending of merchant',
  'select vending_enabled as "vendingEnabled", tag from merchants where id = $1',
)
const ADD_CLAIM = statement<{ id: string }>(
  'add dispense claim',
  `insert into dispense_claims (merchant_id, id, mode, charge_id, kind, order_id, machine, goods, pay_account, attempt, state,
     lease_until, claimed_at, vending_status)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'claimed', $11, $12, case $5 when 'direct' then 'dispensing' end)
   on conflict (merchant_id, charge_id) where released_at is null do nothing returning id`,
)
const START_DISPENSING = statement(
  'start dispensing order',
  // What the machine said of the command before, and the refund that was due for it, are over: the merchant tries again.
  `update vending_orders set vending_status = 'dispensing', vending_error = null, attempts = $3, watched = false,
     confirmed = false, dispense_result = null, units_dispensed = null, refund_due_at = null, refund_until = null,
     refund_wanted = null
   where merchant_id = $1 and id = $2`,
)

/**
 * Claims the dispense of an order (ledger.md 5: link, order, charge, claim): one commit, before anything is sent. At most one
 * claim stands for a charge, whoever asks at the same moment; a refund and a claim of one charge are ordered by its row.
 */
export function claimOrder(
  app: App,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<Claimed> {
  return app.claimTurns.take(merchantId, () => claimPaidOrder(app, { merchantId, id }))
}

function claimPaidOrder(app: App, { merchantId, id }: { merchantId: number; id: string }): Promise<Claimed> {
  const at = app.clock.now()
  return app.db.transaction(async (tx): Promise<{ value: Claimed; last?: readonly Call[] }> => {
    const [, , [before]] = await tx.send(
      lockLink(merchantId, id),
      lockOrder(merchantId, id),
      orderById(merchantId, id),
    )
    assert(before, 'an order is never deleted')
    if (before.charge !== null) await tx.send(lockCharges([{ merchantId, id: before.charge.id }]))
    // The charge as it is behind its lock.
    const [[merchant], [order]] = await tx.send(call(VENDING_OF, merchantId), orderById(merchantId, id))
    assert(merchant && order, 'neither was deleted meanwhile')
    const refused = refusalOf(order, merchant.vendingEnabled)
    if (refused !== null) return { value: refused }
    const claim = claimFor(order, merchant.tag)
    const [[added]] = await tx.send(addClaim(claim, at))
    if (!added) return { value: { kind: 'spoken_for' } }
    const started = call(START_DISPENSING, merchantId, id, claim.attempt)
    return { value: { kind: 'claimed', claim, order }, last: [started] }
  })
}

/** In the order of contract.md G31. */
function refusalOf(order: VendingOrder, enabled: boolean): Exclude<Claimed, { kind: 'claimed' }> | null {
  if (!enabled) return { kind: 'off' }
  if (order.vendingStatus === 'dispensed') return { kind: 'dispensed', order }
  if (order.vendingStatus === 'dispensing') return { kind: 'in_progress' }
  const status = order.charge?.status ?? 'unpaid'
  return status === 'succeeded' ? null : { kind: 'unpaid', status }
}

function claimFor(order: VendingOrder, tag: string): Claim {
  assert(order.charge, 'what is claimed was paid')
  return {
    merchantId: order.merchantId,
    id: newId('dclm_', tag),
    mode: order.mode,
    chargeId: order.charge.id,
    kind: 'order',
    orderId: order.id,
    machine: order.machine,
    goods: order.goods,
    payAccount: order.payAccount,
    attempt: order.attempts + 1,
  }
}

/** Stores a claim on a charge that the transaction has locked; no row when another claim stands in its way. */
export const addClaim = (claim: Claim, at: Date): Call<{ id: string }> =>
  call(
    ADD_CLAIM,
    claim.merchantId,
    claim.id,
    claim.mode,
    claim.chargeId,
    claim.kind,
    claim.orderId,
    claim.machine,
    writeExact(claim.goods),
    claim.payAccount,
    claim.attempt,
    new Date(at.getTime() + CLAIM_LEASE_MS).toISOString(),
    at.toISOString(),
  )
