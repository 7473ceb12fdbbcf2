import type { Call } from '../platform/db/database.ts'
import { bigint, copyInto, integer, mode, text, time } from '../platform/db/wire/copy.ts'
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

/** The release or direct credit of one subaccount's shares: a record of its own, of kind `split_sweep`. */
export type ShareSettlement = Omit<Settlement, 'kind'> & { subaccountId: string }

const SETTLEMENTS = copyInto<Omit<Settlement, 'kind'> & { kind: string; subaccountId: string | null }>(
  'add settlements',
  'settlements',
  {
    merchant_id: bigint((settlement) => settlement.merchantId),
    id: text((settlement) => settlement.id),
    mode: mode((settlement) => settlement.mode),
    kind: text((settlement) => settlement.kind),
    subaccount_id: text((settlement) => settlement.subaccountId),
    amount: bigint((settlement) => settlement.amount),
    charge_count: integer((settlement) => settlement.chargeCount),
    created_at: time((settlement) => settlement.createdAt),
  },
)

/** Adds the records of releases, in the commit that moves the money. They are never changed afterwards. */
export const addSettlements = (settlements: readonly Settlement[]): Call[] =>
  SETTLEMENTS.rows(settlements.map((settlement) => ({ ...settlement, subaccountId: null })))

export const addShareSettlements = (settlements: readonly ShareSettlement[]): Call[] =>
  SETTLEMENTS.rows(settlements.map((settlement) => ({ ...settlement, kind: 'split_sweep' })))
