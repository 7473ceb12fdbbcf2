import type { App } from '../app.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { newId } from '../platform/ids.ts'
import type { Callback } from './callback-body.ts'
import type { OrderMoved } from './move-order.ts'

/** What became of a believed callback. */
export type CallbackOutcome =
  | 'dispensed'
  | 'jam'
  | 'not_finished'
  | 'mismatch'
  | 'unpaid'
  | 'refunded'
  | 'contradiction'

/** Whose callback it is and which order it is about. */
export type CallbackPlace = { merchantId: number; tag: string; orderId: string; chargeId: string | null }

const KEPT_MS = 90 * 86_400_000
const AT_ONCE = 1000

// A sign serves one order: where it is known already, nothing is written and nothing may happen.
const ADD = statement<{ id: string }>(
  'add vendor callback',
  `insert into vendor_callbacks (merchant_id, id, order_id, charge_id, machine, sign, outcome, body, received_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (merchant_id, sign) do nothing returning id`,
)
const BY_SIGN = statement<{ orderId: string }>(
  'vendor callback by sign',
  'select order_id as "orderId" from vendor_callbacks where merchant_id = $1 and sign = $2',
)
const PRUNE = statement<{ id: string }>(
  'prune vendor callbacks',
  `delete from vendor_callbacks where (merchant_id, id) in (
     select merchant_id, id from vendor_callbacks where received_at < $1 limit $2) returning id`,
)

/** Keeps a believed callback with what became of it; no row when its sign was kept before. */
export const addCallback = (
  { merchantId, tag, orderId, chargeId }: CallbackPlace,
  { callback, outcome, at }: { callback: Callback; outcome: CallbackOutcome; at: Date },
): Call<{ id: string }> =>
  call(
    ADD,
    merchantId,
    newId('vcb_', tag),
    orderId,
    chargeId,
    callback.machine,
    callback.sign,
    outcome,
    callback.kept,
    at.toISOString(),
  )

/** The order for which this sign was accepted, or null. */
export async function orderOfSign(app: App, merchantId: number, sign: string): Promise<string | null> {
  const [kept] = await app.db.query(BY_SIGN, [merchantId, sign])
  return kept?.orderId ?? null
}

/** What is kept of a report that was judged so. */
export function outcomeOf(verdict: OrderMoved, reported: 'dispensed' | 'failed'): CallbackOutcome {
  switch (verdict) {
    case 'moved':
    case 'same':
    case 'seen':
      return reported === 'dispensed' ? 'dispensed' : 'jam'
    case 'final':
      return 'contradiction'
    case 'refunded':
      return 'refunded'
    case 'unpaid':
    case 'never_commanded':
      return 'unpaid'
  }
}

/** Forgets callbacks after 90 days; what they did stays on the orders. */
export async function pruneCallbacks(app: App): Promise<number> {
  const before = new Date(app.clock.nowMs() - KEPT_MS).toISOString()
  let pruned = 0
  for (;;) {
    const gone = await app.db.query(PRUNE, [before, AT_ONCE])
    pruned += gone.length
    if (gone.length < AT_ONCE) return pruned
  }
}
