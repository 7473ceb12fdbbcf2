import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { domainRefusal, invalidRequest } from '../../platform/refusal.ts'
import { type ApiKeyKind, hashApiKey, newApiKey } from '../../platform/text/api-key-format.ts'
import { echo, hasForbiddenControl } from '../../platform/text/text.ts'
import type { App } from '../../program/app.ts'
import { ACCOUNT_STATE, type AccountState } from './account-state.ts'
import { allowKeyKind } from './allow-key.ts'
import { directoryChanged } from './authenticate.ts'
import { closeRevokedKeys } from './close-revoked-keys.ts'
import { findCommand, storeCommand } from './command-keys.ts'
import { makeOwnerMails } from './mail-owners.ts'
import { closedMerchant } from './set-merchant.ts'

/** The column in the binding of a key's sealed copy, beside its merchant and kind. */
export const CELL_KEY_COLUMN = 'api_keys.ciphertext'

type KeyMerchant = { id: number }
type KeyInput = {
  holder: KeyMerchant
  kind: ApiKeyKind
  name?: string | null
  commandKey?: string | undefined
}
/** `by`: who made it. */
type NewApiKey = { kind: ApiKeyKind; key: string; at: Date; name?: string | null; by?: string | null }

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
  `insert into api_keys (merchant_id, id, kind, last4, ciphertext, created_at, name, created_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
)
const INHERIT_LIMIT = statement(
  'limit of new cell key',
  `insert into key_limits (merchant_id, key_id, daily_limit, changed_at)
   select l.merchant_id, $3, l.daily_limit, $4 from key_limits l
   where l.merchant_id = $1 and l.daily_limit is not null and l.key_id =
     (select id from api_keys where merchant_id = $1 and kind = $2 and id <> $3 order by created_at desc, id desc limit 1)
   on conflict do nothing`,
)
const REVOKE_ONE = statement<{ id: string }>(
  'revoke directory key',
  `update api_keys set revoked_at = coalesce(revoked_at, $3) where merchant_id = $1 and id = $2 returning id`,
)
const REVOKE_ALL = statement<{ id: string }>(
  'end all directory keys',
  'update api_keys set revoked_at = $2 where merchant_id = $1 and revoked_at is null returning id',
)
const FIND_ACCOUNT_STATE = statement<{ account: AccountState; forTests: boolean }>(
  'account of holder',
  `select ${ACCOUNT_STATE} as account, parent_id is not null as "forTests" from merchants where id = $1`,
)
const LOCK_HOLDER = statement('lock holder of keys', 'select id from merchants where id = $1 for no key update')
const COUNT_OPEN_OF_KIND = statement<{ count: number }>(
  'open keys of kind',
  `select count(*) as count from api_keys where merchant_id = $1 and kind = $2 and revoked_at is null`,
)
// A replaced key must not come back without the rules that its owner had set.
const INHERIT_RULES = statement(
  'rules of new directory key',
  `update api_keys k set allowed_from = earlier.allowed_from, daily_limit = earlier.daily_limit, signed_by = earlier.signed_by
   from (select allowed_from, daily_limit, signed_by from api_keys where merchant_id = $1 and kind = $2 and id <> $3
     order by created_at desc, id desc limit 1) earlier
   where k.merchant_id = $1 and k.id = $3`,
)

// Two keys are enough to change over without a gap; more keys would only be forgotten (reliability.md 8.1).
const MAX_KEYS_PER_KIND = 2

const MAX_NAME_CHARACTERS = 60

/** Adds the directory row by which a key is found: its SHA-256, never the key. */
export const addDirectoryKey = (holder: KeyMerchant, { kind, key, at }: NewApiKey): Call =>
  call(ADD_DIRECTORY, hashApiKey(key), holder.id, makeKeyId(key), kind, at.toISOString())

/** Adds the sealed copy of a key to its cell, for checking signatures made with it (contract.md 3 q). */
export function addCellKey(app: App, holder: KeyMerchant, { kind, key, at, name, by }: NewApiKey): Call {
  const sealed = app.vault.seal(key, { merchantId: holder.id, purpose: kind, column: CELL_KEY_COLUMN })
  const facts = [at.toISOString(), name ?? null, by ?? null]
  return call(ADD_CELL, holder.id, makeKeyId(key), kind, key.slice(-4), sealed, ...facts)
}

/** Makes a new key of this kind. Every older one of the kind is refused from the commit on, in all processes within a second (G60). */
export async function rotateKey(app: App, actor: Actor, { holder, kind, commandKey }: KeyInput): Promise<string> {
  allow(actor, 'key.rotate', holder.id)
  allowKeyKind(actor, { merchantId: holder.id, kind })
  await refuseKey(app, holder, kind)
  const command = { command: 'keys rotate', input: { merchant: holder.id, kind } }
  const earlier =
    commandKey === undefined ? null : await findCommand<{ key: string }>(app, { ...command, key: commandKey })
  if (earlier !== null) return earlier.key
  const at = app.clock.now()
  const key = newApiKey(kind)
  const keep = commandKey === undefined ? [] : [storeCommand(app, { ...command, key: commandKey }, { key })]
  const act = { actor, action: 'key.rotate', at, merchantId: holder.id, subject: makeKeyId(key) } as const
  const row = auditRow({ ...act, after: { kind, ends: key.slice(-4) } })
  const secretAct = { merchantId: holder.id, actor, act: 'key-replaced', ends: key.slice(-4) } as const
  const mails = await makeOwnerMails(app, secretAct)
  await storeInCell(app, addCellKey(app, holder, { kind, key, at, by: actorName(actor) }), [
    inheritLimit(holder, { kind, key, at }),
    row,
  ])
  await app.directory.transaction(async (tx) => {
    // Locked, so that keys of a merchant are made one after the other.
    const revoke = call(REVOKE_DIRECTORY, holder.id, kind, at.toISOString(), hashApiKey(key))
    await tx.send(call(LOCK_HOLDER, holder.id), revoke)
    const add = addDirectoryKey(holder, { kind, key, at })
    const inherit = call(INHERIT_RULES, holder.id, kind, makeKeyId(key))
    return { value: null, last: [add, inherit, directoryChanged(), ...keep, row, ...mails] }
  })
  crashPoint('key.revoked')
  await closeRevokedKeys(app)
  app.keyRing.forget()
  return key
}

/** Makes a second key of a kind, for a change without a gap. Refuses a third. */
export async function createKey(
  app: App,
  actor: Actor,
  { holder, kind, name = null, commandKey }: KeyInput,
): Promise<{ id: string; key: string }> {
  allow(actor, 'key.create', holder.id)
  allowKeyKind(actor, { merchantId: holder.id, kind })
  await refuseKey(app, holder, kind)
  checkName(name)
  const command = {
    command: 'keys create',
    input: { merchant: holder.id, kind, ...(name === null ? {} : { name }) },
  }
  const earlier =
    commandKey === undefined ? null : await findCommand<{ key: string }>(app, { ...command, key: commandKey })
  if (earlier !== null) return { id: makeKeyId(earlier.key), key: earlier.key }
  const newKey: NewApiKey = { kind, key: newApiKey(kind), at: app.clock.now(), name, by: actorName(actor) }
  const keep = commandKey === undefined ? [] : [storeCommand(app, { ...command, key: commandKey }, { key: newKey.key })]
  refuseThird(await app.directory.query(COUNT_OPEN_OF_KIND, [holder.id, kind]), kind)
  const act = { actor, action: 'key.create', at: newKey.at, merchantId: holder.id } as const
  const row = auditRow({
    ...act,
    subject: makeKeyId(newKey.key),
    after: { kind, ends: newKey.key.slice(-4) },
  })
  const secretAct = { merchantId: holder.id, actor, act: 'key-made', ends: newKey.key.slice(-4) } as const
  const mails = await makeOwnerMails(app, secretAct)
  await storeInCell(app, addCellKey(app, holder, newKey), [inheritLimit(holder, newKey), row])
  await app.directory.transaction(async (tx) => {
    await tx.send(call(LOCK_HOLDER, holder.id))
    const [open] = await tx.send(call(COUNT_OPEN_OF_KIND, holder.id, kind))
    refuseThird(open, kind)
    const inherit = call(INHERIT_RULES, holder.id, kind, makeKeyId(newKey.key))
    return {
      value: null,
      last: [addDirectoryKey(holder, newKey), inherit, directoryChanged(), ...keep, row, ...mails],
    }
  })
  app.keyRing.forget()
  return { id: makeKeyId(newKey.key), key: newKey.key }
}

function checkName(name: string | null): void {
  if (name === null) return
  if (name.trim() === '' || [...name].length > MAX_NAME_CHARACTERS || hasForbiddenControl(name, false))
    throw invalidRequest(`name must be 1 to ${MAX_NAME_CHARACTERS} characters`, 'name')
}

function refuseThird([open]: readonly { count: number }[], kind: ApiKeyKind): void {
  if ((open?.count ?? 0) >= MAX_KEYS_PER_KIND)
    throw domainRefusal(
      'too_many_keys',
      `there are ${MAX_KEYS_PER_KIND} keys of kind ${kind} already: revoke one first`,
    )
}

/**
 * Revokes a key: it is refused from the commit on, in all processes within a second. A repeat changes nothing. Refuses an unknown
 * id.
 */
export async function revokeKey(
  app: App,
  actor: Actor,
  { holder, id }: { holder: KeyMerchant; id: string },
): Promise<void> {
  allow(actor, 'key.revoke', holder.id)
  const at = app.clock.now()
  const mails = await makeOwnerMails(app, { merchantId: holder.id, actor, act: 'key-revoked' })
  await app.directory.transaction(async (tx) => {
    const [revoked] = await tx.send(call(REVOKE_ONE, holder.id, id, at.toISOString()))
    if (revoked.length === 0) throw domainRefusal('not_found', `this merchant has no key with the id ${echo(id)}`)
    const row = auditRow({ actor, action: 'key.revoke', at, merchantId: holder.id, subject: id })
    return { value: null, last: [directoryChanged(), row, ...mails] }
  })
  crashPoint('key.revoked')
  await closeRevokedKeys(app)
  app.keyRing.forget()
}

const inheritLimit = (holder: KeyMerchant, { kind, key, at }: NewApiKey): Call =>
  call(INHERIT_LIMIT, holder.id, kind, makeKeyId(key), at.toISOString())

/** Writes the cell before the directory, so that every key in the directory has its sealed copy. */
async function storeInCell(app: App, add: Call, last: Call[]): Promise<void> {
  await app.db.transaction(async (tx) => {
    await tx.send(add)
    return { value: null, last }
  })
}

/** Revokes every key of a merchant whose account is closed. The caller's audit row records the closing. */
export const revokeAllKeys = (merchantId: number, at: Date): Call<{ id: string }> =>
  call(REVOKE_ALL, merchantId, at.toISOString())

/** Refuses a new key for a closed account, and one for real money for a business that was made for tests. */
async function refuseKey(app: App, { id }: KeyMerchant, kind: ApiKeyKind): Promise<void> {
  const [holder] = await app.db.query(FIND_ACCOUNT_STATE, [id])
  if (holder?.account === 'closed') throw closedMerchant()
  if (holder?.forTests === true && kind.startsWith('live'))
    throw domainRefusal('bad_request', 'this business was made for tests: it has no live keys')
}

/** Derives a key's public id from the key, so that directory and cell agree on it. */
export const makeKeyId = (key: string) => `key_${hashApiKey(key).toString('hex').slice(0, 24)}`
