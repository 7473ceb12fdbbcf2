import type { AuditedAction } from '../../../src/api/access/actions.ts'
import { auditRow } from '../../../src/api/access/audit-row.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { BY_HAND } from './actors.ts'
import type { TestService } from './test-service.ts'

/** What a test has written into a merchant's row itself, as if it had been done: `verify` looks for who did. */
export async function auditedAs(
  { gateway, clock }: TestService,
  publicId: string,
  [action, after]: readonly [action: AuditedAction, after: object],
): Promise<void> {
  const { app, merchant } = await getMerchantNamed(gateway, publicId)
  await app.db.transaction(async (tx) => {
    await tx.send(auditRow({ actor: BY_HAND, action, at: clock.now(), merchantId: merchant.id, after }))
    return { value: null }
  })
}
