import { defineSealedColumn } from '../../platform/rewrap.ts'
import { CELL_KEY_COLUMN } from './api-keys.ts'
import { COMMAND_BINDING } from './command-keys.ts'

/** API keys, sealed so that signatures made with them can be checked. */
export const SEALED_KEYS = defineSealedColumn({
  table: 'api_keys',
  column: 'ciphertext',
  part: "t.id || ' ' || t.kind",
  bindingOf: ({ merchantId, part }) => ({
    merchantId,
    purpose: part.split(' ')[1] ?? '',
    column: CELL_KEY_COLUMN,
  }),
})

/** Answers of commands under a key of their own. */
export const SEALED_ANSWERS = defineSealedColumn({
  table: 'command_keys',
  column: 'answer',
  part: 't.key',
  owned: false,
  bindingOf: () => COMMAND_BINDING,
})
