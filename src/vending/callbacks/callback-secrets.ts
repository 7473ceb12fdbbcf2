import type { App } from '../../app.ts'
import { CELL_KEY_COLUMN } from '../../merchants/api-keys.ts'
import type { Mode } from '../../merchants/merchant.ts'
import { modes, numbers, rowsOf } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { supplierBinding } from '../suppliers/vending-settings.ts'
import { dispenseSecretBinding } from './dispense-secret.ts'

/** What a callback may be signed with (contract.md 6.3 step 5, 3 q). */
export type SecretKind = 'dispense_secret' | 'operator_secret' | 'api_secret' | 'collections_key'
export type CallbackSecret = { kind: SecretKind; secret: string }

type Owner = { merchantId: number; mode: Mode }
type Sealed = Owner & { kind: string; ciphertext: Buffer }

// API keys only if the merchant has not switched them off (contract.md 3 q).
const SEALED = statement<Sealed>(
  'sealed secrets of callbacks',
  `with owners as (select * from ${rowsOf('bigint', 'mode')} as n (merchant_id, mode))
   select n.merchant_id as "merchantId", n.mode, s.kind, s.ciphertext from owners n cross join lateral (
     select 'dispense_secret' as kind, d.ciphertext from dispense_secrets d
     where d.merchant_id = n.merchant_id and d.mode = n.mode
     union all
     select 'operator_secret', o.secret_ciphertext from vending_suppliers o where o.merchant_id = n.merchant_id
     union all
     select k.kind, k.ciphertext from api_keys k where k.merchant_id = n.merchant_id
       and k.kind in (n.mode::text, n.mode::text || '_collections') and k.revoked_at is null
       and not exists (select 1 from vending_profiles p where p.merchant_id = n.merchant_id and not p.accept_api_secret)) s`,
)
const RECOMMENDED: readonly SecretKind[] = [
  'dispense_secret',
  'operator_secret',
  'api_secret',
  'collections_key',
]

/** Every secret that may have signed a callback of this merchant and mode, the recommended one first. */
export async function callbackSecrets(app: App, owner: Owner): Promise<CallbackSecret[]> {
  const { statement, values } = sealedSecrets([owner])
  return openSecrets(app, [owner], await app.db.query(statement, values)).get(ownerName(owner)) ?? []
}

/** The key of an owner in a map. */
export const ownerName = ({ merchantId, mode }: Owner): string => `${merchantId} ${mode}`

/** Reads the secrets of several owners, as `openSecrets` takes them. */
export function sealedSecrets(owners: readonly Owner[]): Call<Sealed> {
  const each = [...new Map(owners.map((owner) => [ownerName(owner), owner])).values()]
  return call(SEALED, numbers(each.map(({ merchantId }) => merchantId)), modes(each.map(({ mode }) => mode)))
}

/** Every secret of these owners by `ownerName`, the recommended one first. */
export function openSecrets(
  app: App,
  owners: readonly Owner[],
  sealed: readonly Sealed[],
): Map<string, CallbackSecret[]> {
  const secrets = new Map(owners.map((owner): [string, CallbackSecret[]] => [ownerName(owner), []]))
  for (const row of sealed) secrets.get(ownerName(row))?.push(open(app, row))
  for (const own of secrets.values())
    own.sort((a, b) => RECOMMENDED.indexOf(a.kind) - RECOMMENDED.indexOf(b.kind))
  return secrets
}

function open({ vault }: App, { merchantId, mode, kind, ciphertext }: Sealed): CallbackSecret {
  switch (kind) {
    case 'dispense_secret':
      return { kind, secret: vault.open(ciphertext, dispenseSecretBinding({ merchantId, mode })) }
    case 'operator_secret':
      return { kind, secret: vault.open(ciphertext, supplierBinding(merchantId, 'secret')) }
    default: {
      const secret = vault.open(ciphertext, { merchantId, purpose: kind, column: CELL_KEY_COLUMN })
      return { kind: kind === mode ? 'api_secret' : 'collections_key', secret }
    }
  }
}
