import { randomBytes } from 'node:crypto'
import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { draftOnce } from './command-keys.ts'
import { mailOwners } from './mail-owners.ts'
import { addSecret, openSecret } from './secrets.ts'

/** The new secret, and until when the previous one also signs. */
type RotatedSecret = { secret: string; previousUntil: Date }
/** `atOnce`: the old secret has leaked, so there is no overlap. */
type RotationInput = { merchant: { id: number }; commandKey?: string | undefined; atOnce?: boolean }
type SecretDraft = { secret: string; atMs: number }
type RotationCommand = Parameters<typeof draftOnce>[1]

const HOUR_MS = 3_600_000
/** How long the secret before signs too. No overlap is longer (reliability.md 8.2). */
export const ROTATION_OVERLAP_MS = 24 * HOUR_MS

const LOCK_CURRENT = statement<{ ciphertext: Buffer; createdAt: Date }>(
  'lock webhook secret',
  `select ciphertext, created_at as "createdAt" from merchant_secrets
   where merchant_id = $1 and purpose = 'webhook' for update`,
)
const FORGET_PREVIOUS = statement(
  'forget previous webhook secret',
  `delete from merchant_secrets where merchant_id = $1 and purpose = 'webhook_previous'`,
)
const FORGET_EXPIRED = statement<{ merchantId: number }>(
  'forget expired webhook secrets',
  `delete from merchant_secrets where purpose = 'webhook_previous' and expires_at <= $1 returning merchant_id as "merchantId"`,
)

/** Makes a secret that decodes to 32 bytes, as Standard Webhooks requires. */
export const newWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/**
 * Changes the webhook secret: attempts are signed with a new one from the commit on (contract.md section 5). For 24 h the standard header carries a second
 * signature with the old one, so that a receiver changes over without losing an event (reliability.md 7.1).
 */
export async function rotateWebhookSecret(
  app: App,
  actor: Actor,
  { merchant, commandKey, atOnce = false }: RotationInput,
): Promise<RotatedSecret> {
  allow(actor, 'webhook.rotate', merchant.id)
  const command = { key: commandKey, command: 'webhooks rotate-secret', input: { merchant: merchant.id } }
  const { draft, again } = await draftSecret(app, command)
  const changed = await app.db.transaction(async (tx) => {
    const [[current]] = await tx.send(call(LOCK_CURRENT, merchant.id))
    assert(current, 'a merchant has a webhook secret')
    const before = openSecret(app, { merchantId: merchant.id, purpose: 'webhook', ...current })
    // A repeat finishes a rotation that a crash cut off, and never restores a secret that a later rotation replaced.
    const isDone = before === draft.secret || (again && current.createdAt.getTime() >= draft.atMs)
    const forget = atOnce ? [call(FORGET_PREVIOUS, merchant.id)] : []
    if (isDone) return { value: false, last: forget }
    const act = { actor, action: 'webhook.rotate', at: app.clock.now(), merchantId: merchant.id } as const
    const row = auditRow({ ...act, after: { at_once: atOnce } })
    const old = { merchantId: merchant.id, purpose: 'webhook_previous', plain: before } as const
    const next = { merchantId: merchant.id, purpose: 'webhook', plain: draft.secret } as const
    const expiresAt = new Date(draft.atMs + ROTATION_OVERLAP_MS)
    return {
      value: true,
      last: [addSecret(app, { ...old, expiresAt }), addSecret(app, { ...next, expiresAt: null }), ...forget, row],
    }
  })
  if (changed) await mailOwners(app, { merchantId: merchant.id, actor, act: 'secret-changed' })
  return { secret: draft.secret, previousUntil: new Date(draft.atMs + ROTATION_OVERLAP_MS) }
}

/** Deletes previous secrets whose overlap is over. Returns how many. */
export async function forgetExpiredSecrets(app: App): Promise<number> {
  return (await app.db.query(FORGET_EXPIRED, [app.witness.earlier().toISOString()])).length
}

/** Makes a new secret, or finds the one that this command has made under the same key before (`again`). */
export const draftSecret = (app: App, rotation: RotationCommand): Promise<{ draft: SecretDraft; again: boolean }> =>
  draftOnce(app, rotation, () => ({ secret: newWebhookSecret(), atMs: app.clock.nowMs() }))
