import { numbers, times, words } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'

/** A release from hold to available, or the direct credit of one charge without hold. `amount` is whole UGX. */
export type Settlement = {
  merchantId: number
  id: string
  mode: 'test' | 'live'
  kind: 'sweep' | 'instant'
  amount: number
  chargeCount: number
  createdAt: Date
}

const ADD_SETTLEMENTS = statement(
  'add settlements',
  `insert into settlements (merchant_id, id, mode, kind, amount, charge_count, created_at)
   select * from unnest($1::bigint[], $2::text[], $3::mode[], $4::text[], $5::bigint[], $6::int[], $7::timestamptz[])`,
)

/** The same for one subaccount's shares: a separate record of kind `split_sweep`. */
export type ShareSettlement = Omit<Settlement, 'kind'> & { subaccountId: string }

const ADD_SHARE_SETTLEMENTS = statement(
  'add share settlements',
  `insert into settlements (merchant_id, id, mode, kind, subaccount_id, amount, charge_count, created_at)
   select merchant_id, id, mode, 'split_sweep', subaccount_id, amount, charge_count, created_at
   from unnest($1::bigint[], $2::text[], $3::mode[], $4::text[], $5::bigint[], $6::int[], $7::timestamptz[])
     as n (merchant_id, id, mode, subaccount_id, amount, charge_count, created_at)`,
)

/** The records of releases, written in the commit that moves the money. Never changed afterwards. */
export function addSettlements(settlements: readonly Settlement[]): Call[] {
  if (settlements.length === 0) return []
  return [
    call(
      ADD_SETTLEMENTS,
      numbers(settlements.map((one) => one.merchantId)),
      words(settlements.map((one) => one.id)),
      words(settlements.map((one) => one.mode)),
      words(settlements.map((one) => one.kind)),
      numbers(settlements.map((one) => one.amount)),
      numbers(settlements.map((one) => one.chargeCount)),
      times(settlements.map((one) => one.createdAt)),
    ),
  ]
}

export function addShareSettlements(settlements: readonly ShareSettlement[]): Call[] {
  if (settlements.length === 0) return []
  return [
    call(
      ADD_SHARE_SETTLEMENTS,
      numbers(settlements.map((one) => one.merchantId)),
      words(settlements.map((one) => one.id)),
      words(settlements.map((one) => one.mode)),
      words(settlements.map((one) => one.subaccountId)),
      numbers(settlements.map((one) => one.amount)),
      numbers(settlements.map((one) => one.chargeCount)),
      times(settlements.map((one) => one.createdAt)),
    ),
  ]
}
