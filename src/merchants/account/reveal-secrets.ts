import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { ApiKeyKind } from '../../platform/text/api-key-format.ts'
import { echo } from '../../platform/text/text.ts'
import type { App } from '../../program/app.ts'
import { allowKeyKind } from './allow-key.ts'
import { CELL_KEY_COLUMN } from './api-keys.ts'
import { mailOwners } from './mail-owners.ts'
import { openSecret, type SecretPurpose } from './secrets.ts'

type SealedApiKey = { kind: ApiKeyKind; ciphertext: Buffer; revokedAt: Date | null }
type SealedWebhookSecret = { purpose: SecretPurpose; ciphertext: Buffer }

const FIND_SEALED_KEY = statement<SealedApiKey>(
  'sealed key',
  'select kind, ciphertext, revoked_at as "revokedAt" from api_keys where merchant_id = $1 and id = $2',
)
const FIND_SEALED_SECRET = statement<SealedWebhookSecret>(
  'sealed webhook secret',
  `select purpose, ciphertext from merchant_secrets where merchant_id = $1 and purpose = 'webhook'`,
)
const FIND_SECRET_TIMES = statement<{ purpose: SecretPurpose; createdAt: Date; expiresAt: Date | null }>(
  'times of webhook secrets',
  `select purpose, created_at as "createdAt", expires_at as "expiresAt" from merchant_secrets
   where merchant_id = $1 and (expires_at is null or expires_at > $2)`,
)

/** Returns a whole key to a person who has just given the second factor (contract.md 3 q). Refuses revoked and unknown ones. */
export async function revealKey(
  app: App,
  actor: Actor,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<{ kind: ApiKeyKind; key: string }> {
  allow(actor, 'key.reveal', merchantId)
  const sealed = await app.db.transaction(async (tx) => {
    const [[row]] = await tx.send(call(FIND_SEALED_KEY, merchantId, id))
    if (!row) throw domainRefusal('not_found', `this merchant has no key with the id ${echo(id)}`)
    allowKeyKind(actor, { merchantId, kind: row.kind })
    if (row.revokedAt !== null) throw domainRefusal('revoked', 'this key is revoked')
    const act = { actor, action: 'key.reveal', at: app.clock.now(), merchantId, subject: id } as const
    return { value: row, last: [auditRow(act)] }
  })
  const { kind, ciphertext } = sealed
  const key = app.vault.open(ciphertext, { merchantId, purpose: kind, column: CELL_KEY_COLUMN })
  await mailOwners(app, { merchantId, actor, act: 'key-shown', ends: key.slice(-4) })
  return { kind, key }
}

/** Returns the secret that signs webhooks now to a person who has just given the second factor. */
export async function revealWebhookSecret(app: App, actor: Actor, merchantId: number): Promise<string> {
  allow(actor, 'webhook.reveal', merchantId)
  const sealed = await app.db.transaction(async (tx) => {
    const [[row]] = await tx.send(call(FIND_SEALED_SECRET, merchantId))
    assert(row, 'a merchant has a webhook secret')
    const act = { actor, action: 'webhook.reveal', at: app.clock.now(), merchantId } as const
    return { value: row, last: [auditRow(act)] }
  })
  await mailOwners(app, { merchantId, actor, act: 'secret-shown' })
  return openSecret(app, { merchantId, ...sealed })
}

/** Reads since when the secret is in force, and until when the previous one signs too; null when it does not. */
export async function readWebhookSecretTimes(
  app: App,
  merchantId: number,
): Promise<{ since: Date | null; previousUntil: Date | null }> {
  const rows = await app.db.query(FIND_SECRET_TIMES, [merchantId, app.clock.now().toISOString()])
  const of = (purpose: SecretPurpose) => rows.find((row) => row.purpose === purpose)
  return {
    since: of('webhook')?.createdAt ?? null,
    previousUntil: of('webhook_previous')?.expiresAt ?? null,
  }
}

const FIND = statement<{ ciphertext: Buffer }>(
  'first test key',
  `select ciphertext from api_keys where merchant_id = $1 and kind = 'test' and revoked_at is null
   order by created_at, id limit 1`,
)

/**
 * Finds the test key that a sign-up has made, for the page after it. No audit row of its own: the creation of the account covers it. Null
 * once the key was revoked.
 */
export async function findFirstTestKey(app: App, merchantId: number): Promise<string | null> {
  const [row] = await app.db.query(FIND, [merchantId])
  if (!row) return null
  return app.vault.open(row.ciphertext, { merchantId, purpose: 'test', column: CELL_KEY_COLUMN })
}
