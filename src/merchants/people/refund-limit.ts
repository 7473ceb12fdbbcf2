import type { PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'

const MAX_REFUND_LIMIT = 1_000_000_000_000

const FIND = statement<{ limit: number }>(
  'refund limit of cashiers',
  'select cashier_refund_limit as "limit" from merchant_rules where merchant_id = $1',
)
const SET = statement(
  'set refund limit of cashiers',
  `insert into merchant_rules (merchant_id, cashier_refund_limit) values ($1, $2)
   on conflict (merchant_id) do update set cashier_refund_limit = excluded.cashier_refund_limit`,
)

/** Reads the largest charge that cashiers of this merchant may refund, in whole UGX; 0: none. */
export const readRefundLimit = async ({ directory }: Gateway, merchantId: number): Promise<number> =>
  (await firstRow(directory.query(FIND, [merchantId])))?.limit ?? 0

/** Sets the largest charge that cashiers may refund. It applies from a cashier's next page on. Throws 400. */
export async function setRefundLimit(
  gateway: Gateway,
  caller: PersonCaller,
  { merchantId, limit }: { merchantId: number; limit: number },
): Promise<void> {
  allow(caller, 'people.limit', merchantId)
  if (!Number.isInteger(limit) || limit < 0 || limit > MAX_REFUND_LIMIT)
    throw invalidRequest(`limit must be a whole number from 0 to ${MAX_REFUND_LIMIT}`, 'limit')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[before]] = await tx.send(call(FIND, merchantId))
    const act = { actor: caller, action: 'people.limit', at, merchantId } as const
    const row = auditRow({ ...act, before: { limit: before?.limit ?? 0 }, after: { limit } })
    return { value: null, last: [call(SET, merchantId, limit), row] }
  })
}
