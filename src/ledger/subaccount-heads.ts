import { assert } from '../platform/assert.ts'
import { callForRows, columnsOf } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { MerchantMode, Mode } from '../platform/mode.ts'
import { type Account, subaccountPart } from './accounts.ts'

/** The locked row with the balances of one subaccount in one mode. Whole UGX. */
export type SubaccountHead = {
  merchantId: number
  mode: Mode
  subaccountId: string
  available: number
  pending: number
}
export type SubaccountPlace = Pick<SubaccountHead, 'merchantId' | 'mode' | 'subaccountId'>

// A missing row cannot be locked, so it is inserted first, once for each subaccount and mode.
const MAKE = statement<SubaccountHead>(
  'make subaccount heads',
  `insert into subaccount_heads (merchant_id, mode, subaccount_id)
   select * from unnest($1::bigint[], $2::mode[], $3::text[]) on conflict do nothing`,
)
const LOCK = statement<SubaccountHead>(
  'lock subaccount heads',
  `select merchant_id as "merchantId", mode, subaccount_id as "subaccountId", available, pending from subaccount_heads
   where (merchant_id, mode, subaccount_id) in (select * from unnest($1::bigint[], $2::mode[], $3::text[]))
   order by merchant_id, mode, subaccount_id for no key update`,
)
const WRITE = statement(
  'write subaccount heads',
  `update subaccount_heads h set available = n.available, pending = n.pending
   from unnest($1::bigint[], $2::mode[], $3::text[], $4::bigint[], $5::bigint[])
     as n (merchant_id, mode, subaccount_id, available, pending)
   where h.merchant_id = n.merchant_id and h.mode = n.mode and h.subaccount_id = n.subaccount_id`,
)
const BALANCES = statement<SubaccountHead>(
  'subaccount balances',
  `select merchant_id as "merchantId", mode, subaccount_id as "subaccountId", available, pending from subaccount_heads
   where merchant_id = $1 and mode = $2 and subaccount_id = $3`,
)

/**
 * Inserts the missing heads of these subaccounts and locks all of them. Always goes after lockHeads. The second call returns the
 * locked rows. `keys` may repeat.
 */
export function lockSubaccountHeads(
  keys: readonly SubaccountPlace[],
): [make: Call<SubaccountHead>, lock: Call<SubaccountHead>] {
  const distinct = new Map(keys.map((key) => [nameOf(key), key]))
  const sorted = [...distinct.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)
  const each = columnsOf(sorted)
  const names = [...each.numbers('merchantId'), ...each.modes('mode'), ...each.words('subaccountId')]
  return [call(MAKE, ...names), call(LOCK, ...names)]
}

/** Reads the balances of one subaccount for the API; no row means that nothing has ever moved. */
export const subaccountBalances = ({
  merchantId,
  mode,
  subaccountId,
}: SubaccountPlace): Call<SubaccountHead> => call(BALANCES, merchantId, mode, subaccountId)

/** Makes the part of a book that keeps the balances of locked subaccounts. */
export function subaccountBook(heads: readonly SubaccountHead[]) {
  const byName = new Map(heads.map((head) => [nameOf(head), head]))
  const touched = new Set<SubaccountHead>()

  function head(merchantId: number, mode: Mode, subaccountId: string): SubaccountHead {
    const row = byName.get(nameOf({ merchantId, mode, subaccountId }))
    assert(row, `the head of subaccount ${subaccountId} in ${mode} is locked`)
    return row
  }

  return {
    head,
    /** Adds `amount` to the account if it is a subaccount's. Throws when its balance would go below zero. */
    move({ merchantId, mode }: MerchantMode, account: Account, amount: number): void {
      const part = subaccountPart(account)
      if (part === null) return
      const row = head(merchantId, mode, part.subaccountId)
      row[part.balance] += amount
      assert(row[part.balance] >= 0, `${account} keeps its floor`)
      touched.add(row)
    },
    writes: () => writeSubaccountHeads([...touched]),
  }
}

/** Stores the new balances of locked heads. */
const writeSubaccountHeads = (heads: readonly SubaccountHead[]): Call[] =>
  callForRows(WRITE, heads, (each) => [
    ...each.numbers('merchantId'),
    ...each.modes('mode'),
    ...each.words('subaccountId'),
    ...each.numbers('available', 'pending'),
  ])

const nameOf = ({ merchantId, mode, subaccountId }: SubaccountPlace) =>
  `${merchantId} ${mode} ${subaccountId}`
