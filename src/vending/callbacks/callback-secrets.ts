import type { App } from '../../app.ts'
import { CELL_KEY_COLUMN } from '../../merchants/api-keys.ts'
import { numbers, rowsOf } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { oneInEachCell } from '../../platform/lane.ts'
import type { MerchantMode, Mode } from '../../platform/mode.ts'
import type { Binding } from '../../platform/secrets.ts'
import { supplierBinding } from '../suppliers/vending-settings.ts'
import { dispenseSecretBinding } from './dispense-secret.ts'

/** The kinds of secrets that may sign a callback (contract.md 6.3 step 5, 3 q). */
export type SecretKind = 'dispense_secret' | 'operator_secret' | 'api_secret' | 'collections_key'
export type CallbackSecret = { kind: SecretKind; secret: string }

/** A stored secret. A `mode` of null means that the secret is for both modes, or that its `kind` names the mode. */
export type SealedSecret = { merchantId: number; mode: Mode | null; kind: string; ciphertext: Buffer }

// API keys only if the merchant has not switched them off (contract.md 3 q).
const SEALED = statement<SealedSecret>(
  'sealed secrets of callbacks',
  `with owners as (select * from ${rowsOf('bigint')} as n (merchant_id))
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
const MOST_OPENED = 1000
const RECOMMENDED: readonly SecretKind[] = [
  'dispense_secret',
  'operator_secret',
  'api_secret',
  'collections_key',
]

/** Reads every secret that may have signed a callback of this merchant and mode, the recommended kind first. */
export async function callbackSecrets(app: App, owner: MerchantMode): Promise<CallbackSecret[]> {
  const { statement, values } = sealedSecrets([owner.merchantId])
  return openSecrets(app, owner, await app.db.query(statement, values))
}

/** Reads the secrets of several merchants in both modes. */
export const sealedSecrets = (merchantIds: readonly number[]): Call<SealedSecret> =>
  call(SEALED, numbers([...new Set(merchantIds)]))

/** Opens those of a merchant's secrets that may have signed a callback in this mode, the recommended kind first. */
export const openSecrets = (
  app: App,
  owner: MerchantMode,
  sealed: readonly SealedSecret[],
): CallbackSecret[] =>
  sealed
    .flatMap((sealedSecret) => open(app, owner, sealedSecret) ?? [])
    .sort((a, b) => RECOMMENDED.indexOf(a.kind) - RECOMMENDED.indexOf(b.kind))

/** Opens a secret; null if it signs nothing in this mode. */
function open(app: App, { merchantId, mode }: MerchantMode, secret: SealedSecret): CallbackSecret | null {
  const { kind, ciphertext } = secret
  const opened = (binding: Binding) => openOnce(app, ciphertext, binding)
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

const openedIn = oneInEachCell(() => new Map<string, string>())

/** Caches only the decryption. The sealed secret is read for every batch, so a replaced one stops counting at once. */
function openOnce(app: App, sealed: Buffer, binding: Binding): string {
  const opened = openedIn(app)
  const key = `${sealed.toString('latin1')} ${binding.merchantId} ${binding.purpose} ${binding.column}`
  const cached = opened.get(key)
  if (cached !== undefined) return cached
  const secret = app.vault.open(sealed, binding)
  if (opened.size >= MOST_OPENED) opened.clear()
  opened.set(key, secret)
  return secret
}
