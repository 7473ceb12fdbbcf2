import type { App, Gateway } from '../app.ts'
import { findMerchantOfTag } from '../merchants/set-merchant.ts'
import type { Database } from '../platform/db/database.ts'
import { tagOf } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { APPROVAL_PREFIX, PLATFORM_TAG } from './approval.ts'

/** Where an approval lies: in the cell of its merchant, or in the directory. */
export type ApprovalPlace = { app: App | null; db: Database; merchantId: number; id: string }

/** The place that an id names. Throws 404. */
export async function placeOfApproval(gateway: Gateway, id: string): Promise<ApprovalPlace> {
  if (id.startsWith(`${APPROVAL_PREFIX}${PLATFORM_TAG}`))
    return { app: null, db: gateway.directory, merchantId: 0, id }
  const tag = tagOf(APPROVAL_PREFIX, id)
  if (tag === null) throw notFound('approval')
  const { app, merchant } = await findMerchantOfTag(gateway, { tag, noun: 'approval' })
  return { app, db: app.db, merchantId: merchant.id, id }
}
