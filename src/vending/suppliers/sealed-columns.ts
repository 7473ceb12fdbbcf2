import type { Mode } from '../../platform/mode.ts'
import { ownerOf, sealedColumn } from '../../platform/rewrap.ts'
import { dispenseSecretBinding } from '../callbacks/dispense-secret.ts'
import { supplierBinding } from './vending-settings.ts'

// A merchant has one supplier.
const SUPPLIER = { table: 'vending_suppliers', part: 't.merchant_id::text' }

/** The keys of machine suppliers, which are sealed anew when the master key changes. */
export const SEALED_SUPPLIER_KEYS = sealedColumn({
  ...SUPPLIER,
  column: 'key_ciphertext',
  bindingOf: (row) => supplierBinding(ownerOf(row), 'key'),
})

/** The secrets of machine suppliers. */
export const SEALED_SUPPLIER_SECRETS = sealedColumn({
  ...SUPPLIER,
  column: 'secret_ciphertext',
  bindingOf: (row) => supplierBinding(ownerOf(row), 'secret'),
})

/** The dispense secrets. `part` is the mode, whose values the database checks. */
export const SEALED_DISPENSE_SECRETS = sealedColumn({
  table: 'dispense_secrets',
  column: 'ciphertext',
  part: 't.mode::text',
  bindingOf: (row) => dispenseSecretBinding({ merchantId: ownerOf(row), mode: row.part as Mode }),
})
