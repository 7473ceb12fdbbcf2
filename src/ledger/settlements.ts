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
