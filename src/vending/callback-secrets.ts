import type { App } from '../app.ts'
import type { Mode } from '../merchants/merchant.ts'
import { statement } from '../platform/db/statement.ts'
import { dispenseSecretBinding } from './dispense-secret.ts'
import { supplierAccess } from './vending-settings.ts'

/** What a callback may be signed with (contract.md 6.3 step 5, 3 q). */
export type SecretKind = 'dispense_secret' | 'operator_secret' | 'api_secret' | 'collections_key'
export type CallbackSecret = { kind: SecretKind; secret: string }

// The keys only where the merchant has not switched them off (contract.md 3 q).
const SEALED = statement<{ kind: string; ciphertext: Buffer }>(
  'sealed secrets of callbacks',
  `select 'dispense_secret' as kind, d.ciphertext from dispense_secrets d where d.merchant_id = $1 and d.mode = $2::mode
   union all
   select k.kind, k.ciphertext from api_keys k where k.merchant_id = $1 and k.kind = any($3::text[]) and k.revoked_at is null
     and not exists (select 1 from vending_profiles p where p.merchant_id = $1 and not p.accept_api_secret)`,
)

/** Every secret that may have signed a callback of this merchant and mode, the recommended one first. */
export async function callbackSecrets(
  app: App,
  owner: { merchantId: number; mode: Mode },
): Promise<CallbackSecret[]> {
  const { merchantId, mode } = owner
  const [rows, supplier] = await Promise.all([
    app.db.query(SEALED, [merchantId, mode, [mode, `${mode}_collections`]]),
    supplierAccess(app, merchantId),
  ])
  const operator = supplier === null ? [] : [{ kind: 'operator_secret', secret: supplier.secret } as const]
  const [own, keys] = [rows.filter(isDispenseSecret), rows.filter((row) => !isDispenseSecret(row))]
  return [
    ...own.map(
      ({ ciphertext }): CallbackSecret => ({
        kind: 'dispense_secret',
        secret: app.vault.open(ciphertext, dispenseSecretBinding(owner)),
      }),
    ),
    ...operator,
    ...keys.map(
      ({ kind, ciphertext }): CallbackSecret => ({
        kind: kind === mode ? 'api_secret' : 'collections_key',
        secret: app.vault.open(ciphertext, { merchantId, purpose: kind, column: 'api_keys.ciphertext' }),
      }),
    ),
  ]
}

const isDispenseSecret = ({ kind }: { kind: string }) => kind === 'dispense_secret'
