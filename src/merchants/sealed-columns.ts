import { statement } from '../platform/db/statement.ts'
import type { SealedColumn } from '../platform/rewrap.ts'
import { CELL_KEY_COLUMN } from './api-keys.ts'
import { COMMAND_BINDING } from './command-keys.ts'

/** API keys, which are sealed for the check of signatures made with them. */
export const SEALED_KEYS: SealedColumn = {
  name: 'api_keys.ciphertext',
  find: statement(
    'sealed before: api_keys.ciphertext',
    `select merchant_id as "merchantId", id || ' ' || kind as part, ciphertext from api_keys
     where substr(ciphertext, 1, length($1::bytea)) <> $1 limit $2`,
  ),
  replace: statement(
    'seal again: api_keys.ciphertext',
    `update api_keys t set ciphertext = n.after
     from unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]) as n (merchant_id, part, before, after)
     where t.merchant_id = n.merchant_id and t.id = split_part(n.part, ' ', 1) and t.ciphertext = n.before`,
  ),
  bindingOf: ({ merchantId, part }) => ({
    merchantId,
    purpose: part.split(' ')[1] ?? '',
    column: CELL_KEY_COLUMN,
  }),
}

/** Answers of commands under a key of their own. */
export const SEALED_ANSWERS: SealedColumn = {
  name: 'command_keys.answer',
  find: statement(
    'sealed before: command_keys.answer',
    `select null::bigint as "merchantId", key as part, answer as ciphertext from command_keys
     where answer is not null and substr(answer, 1, length($1::bytea)) <> $1 limit $2`,
  ),
  replace: statement(
    'seal again: command_keys.answer',
    `update command_keys t set answer = n.after
     from unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]) as n (merchant_id, part, before, after)
     where t.key = n.part and t.answer = n.before`,
  ),
  bindingOf: () => COMMAND_BINDING,
}
