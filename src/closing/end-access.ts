import { serviceActor } from '../actors/actor.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { revokeAllKeys } from '../merchants/api-keys.ts'
import { directoryChanged } from '../merchants/authenticate.ts'
import { closeRevokedKeys } from '../merchants/close-revoked-keys.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { voidMerchantLinks } from '../people/links.ts'
import { endSessionsAt } from '../people/write-sessions.ts'

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
