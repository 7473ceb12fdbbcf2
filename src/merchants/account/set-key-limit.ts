import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal, invalidRequest } from '../../platform/refusal.ts'
import type { ApiKeyKind } from '../../platform/text/api-key-format.ts'
import { echo } from '../../platform/text/text.ts'
import type { App } from '../../program/app.ts'
import { allowKeyKind } from './allow-key.ts'
import { directoryChanged } from './authenticate.ts'
import { makeOwnerMails } from './mail-owners.ts'

/** `limit`: whole UGX a day, without fees; null: none. */
type KeyLimitInput = { holder: { id: number }; id: string; limit: number | null }

const FIND_KEY = statement<{ kind: ApiKeyKind; revokedAt: Date | null; dailyLimit: number | null }>(
  'find key to limit',
  'select kind, revoked_at as "revokedAt", daily_limit as "dailyLimit" from api_keys where merchant_id = $1 and id = $2',
)
const SET_CELL = statement(
  'set limit of key',
  `insert into key_limits (merchant_id, key_id, daily_limit, changed_at) values ($1, $2, $3, $4)
   on conflict (merchant_id, key_id) do update set daily_limit = excluded.daily_limit, changed_at = excluded.changed_at`,
)
const LOCK_DIRECTORY = statement<{ dailyLimit: number | null }>(
  'lock limit of directory key',
  'select daily_limit as "dailyLimit" from api_keys where merchant_id = $1 and id = $2 for no key update',
)
const SET_DIRECTORY = statement(
  'set limit of directory key',
  'update api_keys set daily_limit = $3 where merchant_id = $1 and id = $2',
)

// Each look but the first means that somebody else has set it meanwhile.
const MAX_LOOKS = 10

/** Above every amount that a balance can hold no limit means anything. Whole UGX. */
export const MAX_KEY_LIMIT = 1_000_000_000_000

/**
 * Says how much a key may send in a day. It counts from the commit on in all processes within a second, and begins to count what the key
 * sends then: what it has sent before on this day without a limit is not known. Throws Refusal.
 */
export async function setKeyLimit(app: App, actor: Actor, { holder, id, limit }: KeyLimitInput): Promise<void> {
  allow(actor, 'key.restrict', holder.id)
  if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 0 && limit <= MAX_KEY_LIMIT))
    throw invalidRequest(`limit must be a whole number of shillings from 0 to ${MAX_KEY_LIMIT}`, 'limit')
  const [key] = await app.directory.query(FIND_KEY, [holder.id, id])
  if (!key) throw domainRefusal('not_found', `this merchant has no key with the id ${echo(id)}`)
  allowKeyKind(actor, { merchantId: holder.id, kind: key.kind })
  if (key.revokedAt !== null) throw domainRefusal('revoked', 'this key is revoked')
  if (key.kind.endsWith('collections'))
    throw domainRefusal('no_money_out', 'a collections-only key sends no money: it needs no limit')
  const at = app.clock.now()
  const mails = await makeOwnerMails(app, { merchantId: holder.id, actor, act: 'key-limit' })
  const setCell = () => app.db.query(SET_CELL, [holder.id, id, limit, at.toISOString()])
  // The cell judges. Where this ends half way, it must not allow more than what is shown: it hears of less first, of more last.
  const allowsMore = (limit ?? Infinity) > (key.dailyLimit ?? Infinity)
  if (!allowsMore) await setCell()
  await app.directory.transaction(async (tx) => {
    const [[row]] = await tx.send(call(LOCK_DIRECTORY, holder.id, id))
    const before = row?.dailyLimit ?? null
    if (before === limit) return { value: null }
    const act = { actor, action: 'key.restrict', at, merchantId: holder.id, subject: id } as const
    const audit = auditRow({ ...act, before: { daily_limit: before }, after: { daily_limit: limit } })
    return { value: null, last: [call(SET_DIRECTORY, holder.id, id, limit), directoryChanged(), audit, ...mails] }
  })
  await settleCell(app, { holder, id }, at)
  app.keyRing.forget()
}

/**
 * Brings the cell to what the directory has, and looks again: of owners who set it at the same moment the one that ends last leaves both
 * alike, whoever was first in which.
 */
async function settleCell(app: App, { holder, id }: Pick<KeyLimitInput, 'holder' | 'id'>, at: Date): Promise<void> {
  let stored: number | null | undefined
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const [key] = await app.directory.query(FIND_KEY, [holder.id, id])
    if (!key || key.dailyLimit === stored) return
    stored = key.dailyLimit
    await app.db.query(SET_CELL, [holder.id, id, stored, at.toISOString()])
  }
}
