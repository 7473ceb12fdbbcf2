import { toColumns } from '../../platform/db/columns.ts'
import type { Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'

/** One use of a key, from an address as limits count it. */
export type ApiKeyUse = { merchantId: number; keyId: string; from: string; atMs: number }

/** Writes uses of keys, and remembers which ones this process has written. */
type KeyUses = { write(app: { db: Pick<Database, 'query'> }, uses: readonly ApiKeyUse[]): Promise<void> }

const MINUTE_MS = 60_000
// Enough for the servers of a shop; the page of the key shows them all.
const MAX_ADDRESSES = 5
const MAX_REMEMBERED_KEYS = 50_000

// The newest first. A slice (`[1:5]`) of an array that an update sets ends the server process of a node of Citus.
const NEWEST = 'array_prepend(n.origin, array_remove(k.used_from, n.origin))'

const RECORD_USES = statement(
  'keys were used',
  `update api_keys k set last_used_at = greatest(k.last_used_at, n.at),
     used_from = trim_array(${NEWEST}, greatest(cardinality(${NEWEST}) - ${MAX_ADDRESSES}, 0))
   from unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[]) as n (merchant_id, id, origin, at)
   where k.merchant_id = n.merchant_id and k.id = n.id`,
)

/** Records when keys were last used, and from where, to the minute: a key in constant use is written once a minute. */
export function keyUses(): KeyUses {
  const written = new Map<string, number>()
  return {
    async write(app, uses) {
      const newest = new Map<string, ApiKeyUse>()
      for (const use of uses)
        if (use.atMs - (written.get(use.keyId) ?? Number.NEGATIVE_INFINITY) >= MINUTE_MS) newest.set(use.keyId, use)
      if (newest.size === 0) return
      // Sorted, so that two processes never lock each other's rows in a circle.
      const rows = [...newest.values()]
        .sort((a, b) => a.merchantId - b.merchantId || (a.keyId < b.keyId ? -1 : 1))
        .map((use) => ({ ...use, at: new Date(use.atMs) }))
      const each = toColumns(rows)
      await app.db.query(RECORD_USES, [
        ...each.numbers('merchantId'),
        ...each.texts('keyId'),
        ...each.texts('from'),
        ...each.times('at'),
      ])
      if (written.size > MAX_REMEMBERED_KEYS) written.clear()
      for (const { keyId, atMs } of rows) written.set(keyId, atMs)
    },
  }
}
