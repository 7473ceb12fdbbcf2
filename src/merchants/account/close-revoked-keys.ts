import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'

const FIND_UNCLOSED = statement<{ hash: Buffer; merchantId: number; id: string; revokedAt: Date }>(
  'revoked keys to close in their cell',
  `select k.hash, k.merchant_id as "merchantId", k.id, k.revoked_at as "revokedAt"
   from api_keys k join merchants m on m.id = k.merchant_id
   where k.revoked_at is not null and not k.closed_in_cell and m.cell = $1 limit $2`,
)
const CLOSE = statement(
  'close keys in cell',
  `update api_keys k set revoked_at = coalesce(k.revoked_at, n.revoked_at)
   from unnest($1::bigint[], $2::text[], $3::timestamptz[]) as n (merchant_id, id, revoked_at)
   where k.merchant_id = n.merchant_id and k.id = n.id`,
)
const MARK_CLOSED = statement(
  'keys are closed in their cell',
  'update api_keys set closed_in_cell = true where hash = any($1::bytea[])',
)

const KEYS_PER_RUN = 500

/**
 * Revokes in this cell the keys that the directory has revoked; until then such a key could still sign callbacks. Runs after each
 * revocation and as a background task, because a crash may come between the two commits. Returns how many.
 */
export async function closeRevokedKeys(app: App): Promise<number> {
  const keys = await app.directory.query(FIND_UNCLOSED, [app.cell, KEYS_PER_RUN])
  if (keys.length === 0) return 0
  await app.db.query(CLOSE, [
    keys.map((key) => key.merchantId),
    keys.map((key) => key.id),
    keys.map((key) => key.revokedAt.toISOString()),
  ])
  await app.directory.query(MARK_CLOSED, [keys.map((key) => key.hash)])
  return keys.length
}
