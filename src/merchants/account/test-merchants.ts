import type { Actor } from '../../api/access/actor.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { retryOnUniqueViolation } from '../../platform/db/unique-violation.ts'
import type { ApiKeyKind } from '../../platform/text/api-key-format.ts'
import { newTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { addDirectoryKey, CELL_KEY_COLUMN, revokeAllKeys } from './api-keys.ts'
import { directoryChanged } from './authenticate.ts'
import { closeRevokedKeys } from './close-revoked-keys.ts'
import { drawDraft, type MerchantDraft, type MerchantFacts, makeCreationAct, registerDraft } from './merchant-draft.ts'

// Businesses that merchants make for their tests: merchants of their own, with keys of test mode alone, that live for a day.

const KEY_KINDS = ['test', 'test_collections'] as const
type TestKeyKind = (typeof KEY_KINDS)[number]

const FORGET = statement('forget test merchant', 'delete from merchants where id = $1 and parent_id is not null')
const LOCK_ALIVE = statement<{ hasKeys: boolean }>(
  'lock test merchant that lives',
  `select exists (select from api_keys k where k.merchant_id = m.id) as "hasKeys"
   from merchants m where m.id = $1 and m.expires_at > $2 for no key update of m`,
)
const EXPIRE = statement(
  'test merchant expires',
  'update merchants set expires_at = least(expires_at, $2) where id = $1 and parent_id is not null',
)
const CLOSE = statement(
  'close test merchant',
  `update merchants set active = false, closed_at = $2, inactive_since = $2, inactive_for = 'its day is over',
     webhook_changed_at = case when webhook_url is null then webhook_changed_at else $2 end, webhook_url = null
   where id = $1 and parent_id is not null`,
)
const FIND_SEALED_KEYS = statement<{ kind: ApiKeyKind; ciphertext: Buffer; createdAt: Date }>(
  'sealed keys of test merchant',
  `select distinct on (kind) kind, ciphertext, created_at as "createdAt" from api_keys where merchant_id = $1
   order by kind, created_at, id`,
)

/** Registers a business for tests in the directory. Until it is stored in its cell nothing leads to it. */
export function registerTestMerchant(
  app: App,
  actor: Actor,
  { facts, at }: { facts: MerchantFacts; at: Date },
): Promise<MerchantDraft & { id: number }> {
  return retryOnUniqueViolation(() => {
    // A handle of its own form takes no name that a business could want.
    const draft = drawDraft(`test-${newTag()}-${newTag()}`, KEY_KINDS)
    return app.directory.transaction(async (tx) => {
      const [[row]] = await tx.send(registerDraft(draft, { cell: app.cell, at, test: facts.test }))
      assert(row, 'a merchant that was registered has an id')
      const merchant = { ...draft, id: row.id }
      return { value: merchant, last: [auditRow(makeCreationAct({ actor, at, merchant, facts }))] }
    })
  })
}

/** Removes the registration of a business that was not stored in its cell. */
export async function forgetTestMerchant(app: App, id: number): Promise<void> {
  await app.directory.query(FORGET, [id])
}

/**
 * Opens the keys with which a business for tests was made, and lets them in where a call that was cut has not: not after its end. No process
 * has heard of a new key, so none has to forget what it has cached.
 */
export async function admitTestKeys(app: App, id: number): Promise<Record<TestKeyKind, string>> {
  const sealed = await app.db.query(FIND_SEALED_KEYS, [id])
  const keys = sealed.map(({ kind, ciphertext, createdAt }) => ({
    ...{ kind, at: createdAt },
    key: app.vault.open(ciphertext, { merchantId: id, purpose: kind, column: CELL_KEY_COLUMN }),
  }))
  await app.directory.transaction(async (tx) => {
    const [[alive]] = await tx.send(call(LOCK_ALIVE, id, app.clock.now().toISOString()))
    const isNew = alive !== undefined && !alive.hasKeys
    return { value: null, last: isNew ? keys.map((key) => addDirectoryKey({ id }, key)) : [] }
  })
  return Object.fromEntries(keys.map(({ kind, key }) => [kind, key])) as Record<TestKeyKind, string> // It has one of each kind.
}

/** Ends the keys of a business for tests, in all processes within a second. A repeat changes nothing. */
export async function endTestKeys(
  app: App,
  actor: Actor,
  { id, publicId, at }: { id: number; publicId: string; at: Date },
): Promise<void> {
  await app.directory.transaction(async (tx) => {
    const [, keys] = await tx.send(call(EXPIRE, id, at.toISOString()), revokeAllKeys(id, at))
    const act = { actor, action: 'merchant.close', at, merchantId: id, subject: publicId } as const
    const row = auditRow({ ...act, after: { keys_ended: keys.length } })
    return { value: null, last: keys.length === 0 ? [] : [directoryChanged(), row] }
  })
  await closeRevokedKeys(app)
  app.keyRing.forget()
}

/** Closes a business for tests whose row is locked: it takes nothing more, and what it has stays. */
export const closeTestMerchant = (
  actor: Actor,
  { id, publicId, at }: { id: number; publicId: string; at: Date },
): Call[] => {
  const act = { actor, action: 'merchant.close', at, merchantId: id, subject: publicId } as const
  const after = { active: false, account: 'closed', webhookUrl: null }
  return [call(CLOSE, id, at.toISOString()), auditRow({ ...act, before: { active: true, account: 'open' }, after })]
}
