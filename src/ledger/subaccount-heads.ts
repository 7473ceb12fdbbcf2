import { assert } from '../platform/assert.ts'
import { callForRows, toColumns } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { MerchantMode, Mode } from '../platform/mode.ts'
import { type LedgerAccount, parseSubaccountAccount } from './accounts.ts'

/** The locked row with the balances of one subaccount in one mode. Whole UGX. */
export type SubaccountHead = {
  merchantId: number
  mode: Mode
  subaccountId: string
  available: number
  pending: number
}
export type SubaccountKey = Pick<SubaccountHead, 'merchantId' | 'mode' | 'subaccountId'>

// A missing row cannot be locked, so it is inserted first, once for each subaccount and mode.
const MAKE_SUBACCOUNT_HEADS = statement<SubaccountHead>(
  'make subaccount heads',
  `insert into subaccount_heads (merchant_id, mode, subaccount_id)
   select * from unnest($1::bigint[], $2::mode[], $3::text[]) on conflict do nothing`,
)
const LOCK_SUBACCOUNT_HEADS = statement<SubaccountHead>(
  'lock subaccount heads',
  `select merchant_id as "merchantId", mode, subaccount_id as "subaccountId", available, pending from subaccount_heads
   where (merchant_id, mode, subaccount_id) in (select * from unnest($1::bigint[], $2::mode[], $3::text[]))
   order by merchant_id, mode, subaccount_id for no key update`,
)
const WRITE_SUBACCOUNT_HEADS = statement(
  'write subaccount heads',
  `update subaccount_heads h set available = n.available, pending = n.pending
   from unnest($1::bigint[], $2::mode[], $3::text[], $4::bigint[], $5::bigint[])
     as n (merchant_id, mode, subaccount_id, available, pending)
   where h.merchant_id = n.merchant_id and h.mode = n.mode and h.subaccount_id = n.subaccount_id`,
)
const SUBACCOUNT_BALANCES = statement<SubaccountHead>(
  'subaccount balances',
  `select merchant_id as "merchantId", mode, subaccount_id as "subaccountId", available, pending from subaccount_heads
   where merchant_id = $1 and mode = $2 and subaccount_id = $3`,
)

/**
 * Inserts the missing heads of these subaccounts and locks all of them. Always goes after lockHeads. The second call returns the
 * locked rows. `keys` may repeat.
 */
export function lockSubaccountHeads(
  keys: readonly SubaccountKey[],
): [make: Call<SubaccountHead>, lock: Call<SubaccountHead>] {
  const distinct = new Map(keys.map((key) => [subaccountKey(key), key]))
  const sorted = [...distinct.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)
  const each = toColumns(sorted)
  const names = [...each.numbers('merchantId'), ...each.modes('mode'), ...each.texts('subaccountId')]
  return [call(MAKE_SUBACCOUNT_HEADS, ...names), call(LOCK_SUBACCOUNT_HEADS, ...names)]
}

/** Reads the balances of one subaccount for the API; no row means that nothing has ever moved. */
export const subaccountBalances = ({ merchantId, mode, subaccountId }: SubaccountKey): Call<SubaccountHead> =>
  call(SUBACCOUNT_BALANCES, merchantId, mode, subaccountId)

/** Makes the part of a book that keeps the balances of locked subaccounts. */
export function subaccountBook(heads: readonly SubaccountHead[]) {
  const byName = new Map(heads.map((head) => [subaccountKey(head), head]))
  const touched = new Set<SubaccountHead>()

  function head(merchantId: number, mode: Mode, subaccountId: string): SubaccountHead {
    const row = byName.get(subaccountKey({ merchantId, mode, subaccountId }))
    assert(row, `the head of subaccount ${subaccountId} in ${mode} is locked`)
    return row
  }

  return {
    head,
    /** Adds `amount` to the account if it is a subaccount's. Throws when its balance would go below zero. */
    move({ merchantId, mode }: MerchantMode, account: LedgerAccount, amount: number): void {
      const part = parseSubaccountAccount(account)
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
  callForRows(WRITE_SUBACCOUNT_HEADS, heads, (each) => [
    ...each.numbers('merchantId'),
    ...each.modes('mode'),
    ...each.texts('subaccountId'),
    ...each.numbers('available', 'pending'),
  ])

const subaccountKey = ({ merchantId, mode, subaccountId }: SubaccountKey) => `${merchantId} ${mode} ${subaccountId}`
