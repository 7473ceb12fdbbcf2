import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { defineSealedColumn, getRowMerchant } from '../../platform/rewrap.ts'
import type { App } from '../../program/app.ts'

export type SecretPurpose = 'webhook' | 'webhook_previous'

const ADD = statement(
  'add merchant secret',
  `insert into merchant_secrets (merchant_id, purpose, ciphertext, expires_at, created_at) values ($1, $2, $3, $4, $5)
   on conflict (merchant_id, purpose) do update
     set ciphertext = excluded.ciphertext, expires_at = excluded.expires_at, created_at = excluded.created_at`,
)
const FIND = statement<{ merchantId: number; purpose: SecretPurpose; ciphertext: Buffer }>(
  'find webhook secrets',
  `select merchant_id as "merchantId", purpose, ciphertext from merchant_secrets
   where merchant_id = any($1::bigint[]) and (expires_at is null or expires_at > $2)`,
)

/** Stores a secret sealed, bound to its merchant and purpose; replaces an older one of the same purpose. */
export function addSecret(
  app: App,
  secret: { merchantId: number; purpose: SecretPurpose; plain: string; expiresAt: Date | null },
): Call {
  const sealed = app.vault.seal(secret.plain, bindingOf(secret))
  const at = app.clock.now().toISOString()
  return call(ADD, secret.merchantId, secret.purpose, sealed, secret.expiresAt?.toISOString() ?? null, at)
}

/** Reads the webhook secrets of these merchants in force now: the current one first, then the previous one during its overlap. */
export async function readWebhookSecrets(app: App, merchantIds: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await app.db.query(FIND, [merchantIds, app.clock.now().toISOString()])
  const secrets = new Map<number, string[]>()
  for (const row of rows.sort((a, b) => (a.purpose < b.purpose ? -1 : 1))) {
    const plain = openSecret(app, row)
    secrets.set(row.merchantId, [...(secrets.get(row.merchantId) ?? []), plain])
  }
  return secrets
}

/** Decrypts the secret of a row. */
export const openSecret = (app: App, row: { merchantId: number; purpose: SecretPurpose; ciphertext: Buffer }): string =>
  app.vault.open(row.ciphertext, bindingOf(row))

const bindingOf = ({ merchantId, purpose }: { merchantId: number; purpose: SecretPurpose }) => ({
  merchantId,
  purpose,
  column: 'merchant_secrets.ciphertext',
})

/** Webhook secrets, for a change of the master key. The purpose is a checked column. */
export const SEALED_SECRETS = defineSealedColumn({
  table: 'merchant_secrets',
  column: 'ciphertext',
  part: 't.purpose::text',
  bindingOf: (row) => bindingOf({ merchantId: getRowMerchant(row), purpose: row.part as SecretPurpose }),
})
