import { bigint, copyInto, integer, mode, text, time } from '../platform/db/copy.ts'
import type { Call } from '../platform/db/database.ts'
import type { Mode } from '../platform/mode.ts'

/** A release from hold to available, or the direct credit of one charge without hold. `amount` is whole UGX. */
export type Settlement = {
  merchantId: number
  id: string
  mode: Mode
  kind: 'sweep' | 'instant'
  amount: number
  chargeCount: number
  createdAt: Date
}

/** The same for one subaccount's shares: a separate record of kind `split_sweep`. */
export type ShareSettlement = Omit<Settlement, 'kind'> & { subaccountId: string }

const SETTLEMENTS = copyInto<Omit<Settlement, 'kind'> & { kind: string; subaccountId: string | null }>(
  'add settlements',
  'settlements',
  {
    merchant_id: bigint((one) => one.merchantId),
    id: text((one) => one.id),
    mode: mode((one) => one.mode),
    kind: text((one) => one.kind),
    subaccount_id: text((one) => one.subaccountId),
    amount: bigint((one) => one.amount),
    charge_count: integer((one) => one.chargeCount),
    created_at: time((one) => one.createdAt),
  },
)

/** The records of releases, written in the commit that moves the money. Never changed afterwards. */
export const addSettlements = (settlements: readonly Settlement[]): Call[] =>
  SETTLEMENTS.rows(settlements.map((settlement) => ({ ...settlement, subaccountId: null })))

export const addShareSettlements = (settlements: readonly ShareSettlement[]): Call[] =>
  SETTLEMENTS.rows(settlements.map((settlement) => ({ ...settlement, kind: 'split_sweep' })))
