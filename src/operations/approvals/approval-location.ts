import { getMerchantOfTag } from '../../merchants/account/set-merchant.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App, Gateway } from '../../program/app.ts'
import { APPROVAL_PREFIX, PLATFORM_TAG } from './approval.ts'

/** The database that holds an approval: the cell of its merchant, or the directory (`app` null, `merchantId` 0). */
export type ApprovalLocation = { app: App | null; db: Database; merchantId: number; id: string }

/** Finds the database of an approval by its id. Throws 404. */
export async function locateApproval(gateway: Gateway, id: string): Promise<ApprovalLocation> {
  if (id.startsWith(`${APPROVAL_PREFIX}${PLATFORM_TAG}`)) return { app: null, db: gateway.directory, merchantId: 0, id }
  const tag = parseTag(APPROVAL_PREFIX, id)
  if (tag === null) throw notFound('approval')
  const { app, merchant } = await getMerchantOfTag(gateway, { tag, noun: 'approval' })
  return { app, db: app.db, merchantId: merchant.id, id }
}
