import type { Mode } from '../../merchants/merchant.ts'
import { statement } from '../../platform/db/statement.ts'
import { ownerOf, type SealedColumn } from '../../platform/rewrap.ts'
import { dispenseSecretBinding } from '../callbacks/dispense-secret.ts'
import { supplierBinding } from './vending-settings.ts'

/** Keys of machine suppliers, to be sealed again when the master key changes. */
export const SEALED_SUPPLIER_KEYS: SealedColumn = {
  name: 'vending_suppliers.key_ciphertext',
  find: statement(
    'sealed before: vending_suppliers.key_ciphertext',
    `select merchant_id as "merchantId", merchant_id::text as part, key_ciphertext as ciphertext from vending_suppliers
     where substr(key_ciphertext, 1, length($1::bytea)) <> $1 limit $2`,
  ),
  replace: statement(
    'seal again: vending_suppliers.key_ciphertext',
    `update vending_suppliers t set key_ciphertext = n.after
     from unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]) as n (merchant_id, part, before, after)
     where t.merchant_id = n.merchant_id and t.merchant_id::text = n.part and t.key_ciphertext = n.before`,
  ),
  bindingOf: (row) => supplierBinding(ownerOf(row), 'key'),
}

/** Secrets of machine suppliers. */
export const SEALED_SUPPLIER_SECRETS: SealedColumn = {
  name: 'vending_suppliers.secret_ciphertext',
  find: statement(
    'sealed before: vending_suppliers.secret_ciphertext',
    `select merchant_id as "merchantId", merchant_id::text as part, secret_ciphertext as ciphertext from vending_suppliers
     where substr(secret_ciphertext, 1, length($1::bytea)) <> $1 limit $2`,
  ),
  replace: statement(
    'seal again: vending_suppliers.secret_ciphertext',
    `update vending_suppliers t set secret_ciphertext = n.after
     from unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]) as n (merchant_id, part, before, after)
     where t.merchant_id = n.merchant_id and t.merchant_id::text = n.part and t.secret_ciphertext = n.before`,
  ),
  bindingOf: (row) => supplierBinding(ownerOf(row), 'secret'),
}

/** Dispense secrets. The part is the mode, which the database checks. */
export const SEALED_DISPENSE_SECRETS: SealedColumn = {
  name: 'dispense_secrets.ciphertext',
  find: statement(
    'sealed before: dispense_secrets.ciphertext',
    `select merchant_id as "merchantId", mode::text as part, ciphertext as ciphertext from dispense_secrets
     where substr(ciphertext, 1, length($1::bytea)) <> $1 limit $2`,
  ),
  replace: statement(
    'seal again: dispense_secrets.ciphertext',
    `update dispense_secrets t set ciphertext = n.after
     from unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]) as n (merchant_id, part, before, after)
     where t.merchant_id = n.merchant_id and t.mode::text = n.part and t.ciphertext = n.before`,
  ),
  bindingOf: (row) => dispenseSecretBinding({ merchantId: ownerOf(row), mode: row.part as Mode }),
}
