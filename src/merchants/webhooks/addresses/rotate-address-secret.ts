import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { mailOwners } from '../../account/mail-owners.ts'
import { draftSecret, ROTATION_OVERLAP_MS, rotateWebhookSecret } from '../../account/rotate-webhook-secret.ts'
import { bindAddressSecret, firstAddressId, type WebhookAddress } from './address.ts'
import { refuseKey, requireActiveKey } from './change-addresses.ts'
import { addressNotFound, getAddress } from './find-addresses.ts'

const LOCK_SECRET = statement<{ secret: Buffer; since: Date }>(
  'lock secret of webhook address',
  `select secret, secret_since as since from webhook_addresses where merchant_id = $1 and id = $2 and mode = $3 and removed_at is null for no key update`,
)
const ROTATE = statement(
  'rotate secret of webhook address',
  `update webhook_addresses set secret = $3, secret_since = $4, previous_secret = $5, previous_until = $6
   where merchant_id = $1 and id = $2`,
)

type Rotation = { id: string; atOnce: boolean; commandKey?: string | undefined }
type Drafted = Awaited<ReturnType<typeof draftSecret>>

/**
 * Gives an address a new secret, which is shown this once and signs from the commit on. For 24 h the standard header carries a signature by
 * the old one too, unless `atOnce`. With `commandKey` a repeat changes nothing and returns the same secret. Throws 403, 404.
 */
export async function rotateAddressSecret(
  app: App,
  caller: Caller,
  { id, atOnce, commandKey }: Rotation,
): Promise<{ address: WebhookAddress; secret: string }> {
  const { merchantId } = caller
  allow(caller, 'webhook.rotate', merchantId)
  await requireActiveKey(app, caller)
  await getAddress(app, caller, id)
  if (id === firstAddressId(caller.tag)) {
    refuseKey(caller)
    const { secret } = await rotateWebhookSecret(app, caller, { merchant: { id: merchantId }, atOnce, commandKey })
    return { address: await getAddress(app, caller, id), secret }
  }
  const input = { merchant: merchantId, address: id }
  const drafted = await draftSecret(app, { key: commandKey, command: 'webhooks rotate-address-secret', input })
  const changed = await storeSecret(app, caller, { id, atOnce, drafted })
  if (changed) await mailOwners(app, { merchantId, actor: caller, act: 'secret-changed' })
  return { address: await getAddress(app, caller, id), secret: drafted.draft.secret }
}

/** Stores a secret in the place of the current one. Returns whether it was not there yet. */
async function storeSecret(
  app: App,
  caller: Caller,
  { id, atOnce, drafted: { draft, again } }: Rotation & { drafted: Drafted },
): Promise<boolean> {
  const { merchantId, mode } = caller
  const row = { merchantId, id }
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[current]] = await tx.send(call(LOCK_SECRET, merchantId, id, mode))
    if (!current) throw addressNotFound()
    const old = app.vault.open(current.secret, bindAddressSecret(row, 'secret'))
    // A repeat finishes a rotation that a crash cut off, and never restores a secret that a later one replaced.
    if (old === draft.secret || (again && current.since.getTime() >= draft.atMs)) return { value: false }
    const previous = atOnce ? null : app.vault.seal(old, bindAddressSecret(row, 'previous_secret'))
    const until = atOnce ? null : addMs(at, ROTATION_OVERLAP_MS).toISOString()
    const sealed = app.vault.seal(draft.secret, bindAddressSecret(row, 'secret'))
    const after = { at_once: atOnce }
    const act = auditRow({ actor: caller, action: 'webhook.rotate', at, merchantId, mode, subject: id, after })
    return { value: true, last: [call(ROTATE, merchantId, id, sealed, at.toISOString(), previous, until), act] }
  })
}
