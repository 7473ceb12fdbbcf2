import { serviceActor } from '../../api/access/actor.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { revokeAllKeys } from '../../merchants/account/api-keys.ts'
import { directoryChanged } from '../../merchants/account/authenticate.ts'
import { closeRevokedKeys } from '../../merchants/account/close-revoked-keys.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { voidMerchantLinks } from '../../merchants/people/links.ts'
import { endSessionsAt } from '../../merchants/people/write-sessions.ts'
import type { App } from '../../program/app.ts'

/** Ends every key, session, invitation and till of a merchant. Its people may sign in again and read. Writes nothing if none is left. */
export async function endAccess(app: App, { id: merchantId, publicId: subject }: Merchant): Promise<void> {
  const at = app.clock.now()
  await app.directory.transaction(async (tx) => {
    const [keys] = await tx.send(revokeAllKeys(merchantId, at))
    const accessEnds = [endSessionsAt(merchantId), voidMerchantLinks(merchantId, at)]
    if (keys.length === 0) return { value: null, last: accessEnds }
    const act = {
      actor: serviceActor('close-accounts'),
      action: 'merchant.close',
      at,
      merchantId,
      subject,
    } as const
    const row = auditRow({ ...act, after: { keys_ended: keys.length } })
    return { value: null, last: [...accessEnds, directoryChanged(), row] }
  })
  await closeRevokedKeys(app)
  app.keyRing.forget()
}
