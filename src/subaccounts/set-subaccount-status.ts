import type { App } from '../app.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { notFound } from '../platform/refusal.ts'
import { SUBACCOUNT_COLUMNS, type Subaccount, type SubaccountStatus } from './subaccount.ts'

const SET_STATUS = statement<Subaccount>(
  'set subaccount status',
  `update subaccounts s set status = $3 where s.merchant_id = $1 and s.id = $2 returning ${SUBACCOUNT_COLUMNS}`,
)

/**
 * Activates or deactivates a subaccount. It waits for splits that are being stored or paid; after it returns, no further
 * charge names or pays an inactive one. Throws 404 `subaccount not found`.
 */
export function setSubaccountStatus(
  app: App,
  merchantId: number,
  { id, status }: { id: string; status: SubaccountStatus },
): Promise<Subaccount> {
  return app.db.transaction(async (tx) => {
    const [[subaccount]] = await tx.send(call(SET_STATUS, merchantId, id, status))
    if (!subaccount) throw notFound('subaccount')
    return { value: subaccount }
  })
}
