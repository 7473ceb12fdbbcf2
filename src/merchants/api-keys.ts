import type { App } from '../app.ts'
import { hashApiKey, type KeyKind, newApiKey } from '../platform/api-key-format.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { directoryChanged } from './authenticate.ts'
import { findCommand, keepCommand } from './command-keys.ts'

type Holder = { id: number }
type NewKey = { kind: KeyKind; key: string; at: Date }

const ADD_DIRECTORY = statement(
  'add directory key',
  `insert into api_keys (hash, merchant_id, id, kind, created_at) values ($1, $2, $3, $4, $5) on conflict do nothing`,
)
const REVOKE_DIRECTORY = statement(
  'revoke directory keys',
  `update api_keys set revoked_at = $3 where merchant_id = $1 and kind = $2 and revoked_at is null and hash <> $4`,
)
const ADD_CELL = statement(
  'add cell key',
  `insert into api_keys (merchant_id, id, kind, last4, ciphertext, created_at) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
)
const REVOKE_CELL = statement(
  'revoke cell keys',
  `update api_keys set revoked_at = $4 where merchant_id = $1 and kind = $2 and revoked_at is null and id <> $3`,
)

/** The row by which a key is found: its SHA-256, never the key. */
export const addDirectoryKey = (holder: Holder, { kind, key, at }: NewKey): Call =>
  call(ADD_DIRECTORY, hashApiKey(key), holder.id, keyIdOf(key), kind, at.toISOString())

/** The sealed copy, for checking signatures made with it (contract.md 3 q). */
export function addCellKey(app: App, holder: Holder, { kind, key, at }: NewKey): Call {
  const sealed = app.vault.seal(key, { merchantId: holder.id, purpose: kind, column: 'api_keys.ciphertext' })
  return call(ADD_CELL, holder.id, keyIdOf(key), kind, key.slice(-4), sealed, at.toISOString())
}

/** A new key of this kind; every older one of the kind is refused from the commit on, in all processes within a second (G60). */
export async function rotateKey(
  app: App,
  holder: Holder,
  { kind, commandKey }: { kind: KeyKind; commandKey?: string | undefined },
): Promise<string> {
  const command = { command: 'keys rotate', input: { merchant: holder.id, kind } }
  const seen =
    commandKey === undefined ? null : await findCommand<{ key: string }>(app, { ...command, key: commandKey })
  if (seen !== null) return seen.key
  const at = app.clock.now()
  const key = newApiKey(kind)
  const keep = commandKey === undefined ? [] : [keepCommand(app, { ...command, key: commandKey }, { key })]
  await app.db.transaction(async (tx) => {
    await tx.send(addCellKey(app, holder, { kind, key, at }))
    return { value: null }
  })
  await app.directory.transaction(async (tx) => {
    await tx.send(call(REVOKE_DIRECTORY, holder.id, kind, at.toISOString(), hashApiKey(key)))
    return { value: null, last: [addDirectoryKey(holder, { kind, key, at }), directoryChanged(), ...keep] }
  })
  crashPoint('key.revoked')
  await app.db.query(REVOKE_CELL, [holder.id, kind, keyIdOf(key), at.toISOString()])
  app.keyRing.forget()
  return key
}

/** A key's public id follows from the key, so that the directory and the cell agree on it. */
const keyIdOf = (key: string) => `key_${hashApiKey(key).toString('hex').slice(0, 24)}`
