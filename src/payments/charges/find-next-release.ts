import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'

const NEXT_RELEASE = statement<{ holdUntil: Date }>(
  'next release of charges',
  `select hold_until as "holdUntil" from charges
   where merchant_id = $1 and mode = $2 and hold_until is not null and settled_at is null order by hold_until limit 1`,
)

/** Finds when the next part of a pending balance becomes available; null when nothing is pending. */
export async function findNextRelease(app: App, { merchantId, mode }: MerchantMode): Promise<Date | null> {
  const [row] = await app.db.query(NEXT_RELEASE, [merchantId, mode])
  return row?.holdUntil ?? null
}
