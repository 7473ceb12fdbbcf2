import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { SUBACCOUNT_COLUMNS, type Subaccount, type SubaccountStatus } from './subaccount.ts'

const SET_STATUS = statement<Subaccount>(
  'set subaccount status',
  `update subaccounts s set status = $3 where s.merchant_id = $1 and s.id = $2 returning ${SUBACCOUNT_COLUMNS}`,
)

/**
 * Activates or deactivates a subaccount. Waits for splits that are being stored or paid; after this returns, no further
 * charge names or pays an inactive subaccount. Throws 404 `subaccount not found`.
 */
export function setSubaccountStatus(
  app: App,
  actor: Actor,
  { merchantId, id, status }: { merchantId: number; id: string; status: SubaccountStatus },
): Promise<Subaccount> {
  allow(actor, 'subaccount.set', merchantId)
  return app.db.transaction(async (tx) => {
    const [[subaccount]] = await tx.send(call(SET_STATUS, merchantId, id, status))
    if (!subaccount) throw notFound('subaccount')
    const act = { actor, action: 'subaccount.set', at: app.clock.now(), merchantId } as const
    return { value: subaccount, last: [auditRow({ ...act, subject: id, after: { status } })] }
  })
}
