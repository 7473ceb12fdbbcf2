import { callForRows } from '../platform/db/columns.ts'
import type { Call } from '../platform/db/database.ts'
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
export const addSettlements = (settlements: readonly Settlement[]): Call[] =>
  callForRows(ADD_SETTLEMENTS, settlements, (each) => [
    ...each.numbers('merchantId'),
    ...each.words('id', 'mode', 'kind'),
    ...each.numbers('amount', 'chargeCount'),
    ...each.times('createdAt'),
  ])

export const addShareSettlements = (settlements: readonly ShareSettlement[]): Call[] =>
  callForRows(ADD_SHARE_SETTLEMENTS, settlements, (each) => [
    ...each.numbers('merchantId'),
    ...each.words('id', 'mode', 'subaccountId'),
    ...each.numbers('amount', 'chargeCount'),
    ...each.times('createdAt'),
  ])
