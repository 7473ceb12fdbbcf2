import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { mailOwners } from '../../account/mail-owners.ts'
import { newWebhookSecret, ROTATION_OVERLAP_MS, rotateWebhookSecret } from '../../account/rotate-webhook-secret.ts'
import { bindAddressSecret, firstAddressId, type WebhookAddress } from './address.ts'
import { refuseKey, requireActiveKey } from './change-addresses.ts'
import { addressNotFound, getAddress } from './find-addresses.ts'

const LOCK_SECRET = statement<{ secret: Buffer }>(
  'lock secret of webhook address',
  `select secret from webhook_addresses where merchant_id = $1 and id = $2 and mode = $3 and removed_at is null for no key update`,
)
const ROTATE = statement(
  'rotate secret of webhook address',
  `update webhook_addresses set secret = $3, secret_since = $4, previous_secret = $5, previous_until = $6
   where merchant_id = $1 and id = $2`,
)

type Rotation = { id: string; atOnce: boolean }

/**
 * Gives an address a new secret, which is shown this once and signs from the commit on. For 24 h the standard header carries a signature by
 * the old one too, unless `atOnce`. Throws 403, 404.
 */
export async function rotateAddressSecret(
  app: App,
  caller: Caller,
  { id, atOnce }: Rotation,
): Promise<{ address: WebhookAddress; secret: string }> {
  const { merchantId } = caller
  allow(caller, 'webhook.rotate', merchantId)
  await requireActiveKey(app, caller)
  await getAddress(app, caller, id)
  if (id === firstAddressId(caller.tag)) {
    refuseKey(caller)
    const { secret } = await rotateWebhookSecret(app, caller, { merchant: { id: merchantId }, atOnce })
    return { address: await getAddress(app, caller, id), secret }
  }
  const secret = newWebhookSecret()
  await storeSecret(app, caller, { id, atOnce, secret })
  await mailOwners(app, { merchantId, actor: caller, act: 'secret-changed' })
  return { address: await getAddress(app, caller, id), secret }
}

async function storeSecret(
  app: App,
  caller: Caller,
  { id, atOnce, secret }: Rotation & { secret: string },
): Promise<void> {
  const { merchantId, mode } = caller
  const row = { merchantId, id }
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    const [[current]] = await tx.send(call(LOCK_SECRET, merchantId, id, mode))
    if (!current) throw addressNotFound()
    const old = app.vault.open(current.secret, bindAddressSecret(row, 'secret'))
    const previous = atOnce ? null : app.vault.seal(old, bindAddressSecret(row, 'previous_secret'))
    const until = atOnce ? null : addMs(at, ROTATION_OVERLAP_MS).toISOString()
    const sealed = app.vault.seal(secret, bindAddressSecret(row, 'secret'))
    const after = { at_once: atOnce }
    const act = auditRow({ actor: caller, action: 'webhook.rotate', at, merchantId, mode, subject: id, after })
    return { value: null, last: [call(ROTATE, merchantId, id, sealed, at.toISOString(), previous, until), act] }
  })
}
