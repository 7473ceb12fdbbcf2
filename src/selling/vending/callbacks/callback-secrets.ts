import { CELL_KEY_COLUMN } from '../../../merchants/account/api-keys.ts'
import { oncePerCell } from '../../../platform/batches/lane.ts'
import { numberColumn, unnestColumns } from '../../../platform/db/columns.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { MerchantMode, Mode } from '../../../platform/mode.ts'
import type { SecretBinding } from '../../../platform/secrets.ts'
import type { App } from '../../../program/app.ts'
import { supplierBinding } from '../suppliers/vending-settings.ts'
import { dispenseSecretBinding } from './dispense-secret.ts'

/** The kinds of secrets that may sign a callback (contract.md 6.3 step 5, 3 q). */
export type SecretKind = 'dispense_secret' | 'operator_secret' | 'api_secret' | 'collections_key'
export type CallbackSecret = { kind: SecretKind; secret: string }

/** A stored secret. A `mode` of null means that the secret is for both modes, or that its `kind` names the mode. */
export type SealedCallbackSecret = { merchantId: number; mode: Mode | null; kind: string; ciphertext: Buffer }

// API keys only if the merchant has not switched them off (contract.md 3 q).
const READ_SEALED_SECRETS = statement<SealedCallbackSecret>(
  'sealed secrets of callbacks',
  `with owners as (select * from ${unnestColumns('bigint')} as n (merchant_id))
   select n.merchant_id as "merchantId", s.mode, s.kind, s.ciphertext from owners n cross join lateral (
     select 'dispense_secret' as kind, d.mode, d.ciphertext from dispense_secrets d where d.merchant_id = n.merchant_id
     union all
     select 'operator_secret', null, o.secret_ciphertext from vending_suppliers o where o.merchant_id = n.merchant_id
     union all
     select k.kind, null, k.ciphertext from api_keys k where k.merchant_id = n.merchant_id
       and k.kind in ('test', 'test_collections', 'live', 'live_collections') and k.revoked_at is null
       and not exists (select 1 from vending_profiles p where p.merchant_id = n.merchant_id and not p.accept_api_secret)) s`,
)
// How many opened secrets are kept in memory. Beyond that, all are dropped.
const MAX_OPENED_SECRETS = 1000
const KINDS_BY_PREFERENCE: readonly SecretKind[] = [
  'dispense_secret',
  'operator_secret',
  'api_secret',
  'collections_key',
]

/** Reads every secret that may have signed a callback of this merchant and mode, the recommended kind first. */
export async function readCallbackSecrets(app: App, owner: MerchantMode): Promise<CallbackSecret[]> {
  const { statement, values } = sealedSecrets([owner.merchantId])
  return openSecrets(app, owner, await app.db.query(statement, values))
}

/** Reads the secrets of several merchants in both modes. */
export const sealedSecrets = (merchantIds: readonly number[]): Call<SealedCallbackSecret> =>
  call(READ_SEALED_SECRETS, numberColumn([...new Set(merchantIds)]))

/** Opens those of a merchant's secrets that may have signed a callback in this mode, the recommended kind first. */
export const openSecrets = (app: App, owner: MerchantMode, sealed: readonly SealedCallbackSecret[]): CallbackSecret[] =>
  sealed
    .flatMap((sealedSecret) => openCallbackSecret(app, owner, sealedSecret) ?? [])
    .sort((a, b) => KINDS_BY_PREFERENCE.indexOf(a.kind) - KINDS_BY_PREFERENCE.indexOf(b.kind))

/** Opens a secret; null if it signs nothing in this mode. */
function openCallbackSecret(
  app: App,
  { merchantId, mode }: MerchantMode,
  secret: SealedCallbackSecret,
): CallbackSecret | null {
  const { kind, ciphertext } = secret
  const opened = (binding: SecretBinding) => openOnce(app, ciphertext, binding)
  switch (kind) {
    case 'dispense_secret':
      if (secret.mode !== mode) return null
      return { kind, secret: opened(dispenseSecretBinding({ merchantId, mode })) }
    case 'operator_secret':
      return { kind, secret: opened(supplierBinding(merchantId, 'secret')) }
    case mode:
    case `${mode}_collections`: {
      const secret = opened({ merchantId, purpose: kind, column: CELL_KEY_COLUMN })
      return { kind: kind === mode ? 'api_secret' : 'collections_key', secret }
    }
    default:
      return null
  }
}

const openedSecrets = oncePerCell(() => new Map<string, string>())

/** Caches only the decryption. The sealed secret is read for every batch, so a replaced one stops counting at once. */
function openOnce(app: App, sealed: Buffer, binding: SecretBinding): string {
  const opened = openedSecrets(app)
  const key = `${sealed.toString('latin1')} ${binding.merchantId} ${binding.purpose} ${binding.column}`
  const cached = opened.get(key)
  if (cached !== undefined) return cached
  const secret = app.vault.open(sealed, binding)
  if (opened.size >= MAX_OPENED_SECRETS) opened.clear()
  opened.set(key, secret)
  return secret
}
