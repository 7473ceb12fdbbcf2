import { numberColumn, textColumn, timeColumn, unnestColumns } from '../../../platform/db/columns.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { bigint, copyInto, text, time } from '../../../platform/db/wire/copy.ts'
import { newId } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import type { DispenseVerdict } from '../dispensing/dispense-move.ts'
import type { MachineCallback } from './callback-body.ts'

/** The outcome of a verified callback. */
export type CallbackOutcome =
  | 'dispensed'
  | 'jam'
  | 'not_finished'
  | 'mismatch'
  | 'unpaid'
  | 'refunded'
  | 'contradiction'

/** The merchant and order of a callback. */
export type CallbackOrder = { merchantId: number; tag: string; orderId: string; chargeId: string | null }

const CALLBACK_KEPT_MS = 90 * 86_400_000
const ROWS_PER_DELETE = 1000

// A signature counts for one order. Stored in the order of the signatures, so that two batches with the same ones cannot
// deadlock.
const COPY_CALLBACKS = copyInto<StoredCallback>('add vendor callbacks', 'vendor_callbacks', {
  merchant_id: bigint((stored) => stored.merchantId),
  id: text((stored) => stored.id),
  order_id: text((stored) => stored.orderId),
  charge_id: text((stored) => stored.chargeId),
  machine: text(({ callback }) => callback.machine),
  sign: text(({ callback }) => callback.sign),
  outcome: text((stored) => stored.outcome),
  body: text(({ callback }) => callback.kept),
  received_at: time((stored) => stored.at),
})
const ADD_NEW_CALLBACKS = statement(
  'add new vendor callbacks',
  `insert into vendor_callbacks (merchant_id, id, order_id, charge_id, machine, sign, outcome, body, received_at)
   select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
     $9::timestamptz[]) as n (merchant_id, id, order_id, charge_id, machine, sign, outcome, body, received_at)
   order by n.merchant_id, n.sign on conflict (merchant_id, sign) do nothing`,
)
const ORDERS_BY_SIGN = statement<SignKey & { orderId: string }>(
  'vendor callbacks by sign',
  `select n.merchant_id as "merchantId", n.sign, v.order_id as "orderId"
   from ${unnestColumns('bigint', 'text')} as n (merchant_id, sign) cross join lateral (select k.order_id from vendor_callbacks k
     where k.merchant_id = n.merchant_id and k.sign = n.sign offset 0) v`,
)
const PRUNE_CALLBACKS = statement<{ id: string }>(
  'prune vendor callbacks',
  `delete from vendor_callbacks where (merchant_id, id) in (
     select merchant_id, id from vendor_callbacks where received_at < $1 limit $2) returning id`,
)

/** A verified callback with its outcome, as it is stored. */
export type StoredCallback = CallbackOrder & {
  id: string
  callback: MachineCallback
  outcome: CallbackOutcome
  at: Date
}

export const newStoredCallback = (
  { merchantId, tag, orderId, chargeId }: CallbackOrder,
  facts: { callback: MachineCallback; outcome: CallbackOutcome; at: Date },
): StoredCallback => ({ merchantId, tag, orderId, chargeId, id: newId('vcb_', tag), ...facts })

/** Stores callbacks. Fails the transaction if a signature was stored before, so that its decision is not applied twice. */
export const addCallbacks = (kept: readonly StoredCallback[]): Call[] =>
  COPY_CALLBACKS.rows([...kept].sort(compareBySign))

const compareBySign = (a: StoredCallback, b: StoredCallback) =>
  a.merchantId - b.merchantId || (a.callback.sign < b.callback.sign ? -1 : 1)

/** Stores the callbacks whose signature was not stored before. */
export const addNewCallbacks = (kept: readonly StoredCallback[]): Call =>
  call(ADD_NEW_CALLBACKS, ...callbackColumns(kept))

const callbackColumns = (kept: readonly StoredCallback[]) => [
  numberColumn(kept.map(({ merchantId }) => merchantId)),
  textColumn(kept.map(({ id }) => id)),
  kept.map(({ orderId }) => orderId),
  kept.map(({ chargeId }) => chargeId),
  kept.map(({ callback }) => callback.machine),
  textColumn(kept.map(({ callback }) => callback.sign)),
  textColumn(kept.map(({ outcome }) => outcome)),
  kept.map(({ callback }) => callback.kept),
  timeColumn(kept.map(({ at }) => at)),
]

/** The key of a signature by a merchant's supplier. */
export type SignKey = { merchantId: number; sign: string }
export const formatSignKey = ({ merchantId, sign }: SignKey): string => `${merchantId} ${sign}`

/** Reads the order for which each of these signatures was accepted; no row for a new one. */
export const ordersBySign = (signs: readonly SignKey[]): Call<SignKey & { orderId: string }> =>
  call(
    ORDERS_BY_SIGN,
    numberColumn(signs.map(({ merchantId }) => merchantId)),
    textColumn(signs.map(({ sign }) => sign)),
  )

/** The outcome to store for a report, from the verdict on its move. */
export function toCallbackOutcome(verdict: DispenseVerdict, reported: 'dispensed' | 'failed'): CallbackOutcome {
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

/** Deletes callbacks after 90 days; their effect stays on the orders. */
export async function pruneCallbacks(app: App): Promise<number> {
  const before = new Date(app.witness.earlierMs() - CALLBACK_KEPT_MS).toISOString()
  let total = 0
  for (;;) {
    const deleted = await app.db.query(PRUNE_CALLBACKS, [before, ROWS_PER_DELETE])
    total += deleted.length
    if (deleted.length < ROWS_PER_DELETE) return total
  }
}
