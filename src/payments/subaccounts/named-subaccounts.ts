import { numberColumn, textColumn } from '../../platform/db/columns.ts'
import { call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { listNamedSubaccounts, type SubaccountStatuses } from './split.ts'
import type { SubaccountStatus } from './subaccount.ts'

type SplitRequest = { merchantId: number; tag: string; split: readonly unknown[] }

const LOCK_NAMED = statement<{ merchantId: number; id: string; status: SubaccountStatus }>(
  'lock named subaccounts',
  `select merchant_id as "merchantId", id, status from subaccounts
   where (merchant_id, id) in (select * from unnest($1::bigint[], $2::text[])) order by merchant_id, id for share`,
)

/**
 * Locks the subaccounts that these splits name, so that their status cannot change until the transaction ends, and returns
 * them by merchant. Unknown names and those of other merchants are left out.
 */
export async function lockNamedSubaccounts(
  tx: Tx,
  requests: readonly SplitRequest[],
): Promise<Map<number, SubaccountStatuses>> {
  const names = requests.flatMap(({ merchantId, tag, split }) =>
    listNamedSubaccounts(split)
      .filter((name) => parseTag('sub_', name) === tag)
      .map((id) => ({ merchantId, id })),
  )
  if (names.length === 0) return new Map()
  const merchants = numberColumn(names.map((name) => name.merchantId))
  const [rows] = await tx.send(call(LOCK_NAMED, merchants, textColumn(names.map((name) => name.id))))
  const byMerchant = new Map<number, Map<string, SubaccountStatus>>()
  for (const { merchantId, id, status } of rows) {
    const own = byMerchant.get(merchantId) ?? new Map<string, SubaccountStatus>()
    byMerchant.set(merchantId, own.set(id, status))
  }
  return byMerchant
}
