import type { Mode } from '../../../platform/mode.ts'
import { defineSealedColumn, getRowMerchant } from '../../../platform/rewrap.ts'
import { dispenseSecretBinding } from '../callbacks/dispense-secret.ts'
import { supplierBinding } from './vending-settings.ts'

// A merchant has one supplier.
const SUPPLIER_TABLE = { table: 'vending_suppliers', part: 't.merchant_id::text' }

/** The keys of machine suppliers, which are sealed anew when the master key changes. */
export const SEALED_SUPPLIER_KEYS = defineSealedColumn({
  ...SUPPLIER_TABLE,
  column: 'key_ciphertext',
  bindingOf: (row) => supplierBinding(getRowMerchant(row), 'key'),
})

/** The secrets of machine suppliers. */
export const SEALED_SUPPLIER_SECRETS = defineSealedColumn({
  ...SUPPLIER_TABLE,
  column: 'secret_ciphertext',
  bindingOf: (row) => supplierBinding(getRowMerchant(row), 'secret'),
})

/** The dispense secrets. `part` is the mode, whose values the database checks. */
export const SEALED_DISPENSE_SECRETS = defineSealedColumn({
  table: 'dispense_secrets',
  column: 'ciphertext',
  part: `case when t.mode = 'test' then 'test' else 'live' end`,
  bindingOf: (row) => dispenseSecretBinding({ merchantId: getRowMerchant(row), mode: row.part as Mode }),
})
