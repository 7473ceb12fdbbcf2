import { crc32 } from 'node:zlib'
import type { KeyHolder } from '../http/frame.ts'
import { hashApiKey, type KeyKind, readApiKey } from '../platform/api-key-format.ts'
import { type Batch, batch } from '../platform/batch.ts'
import { done, failed, type Outcome } from '../platform/batch-run.ts'
import { rowsOf } from '../platform/db/columns.ts'
import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'

type Found = { hash: Buffer; merchantId: number; tag: string; cell: string; keyId: string }
type Asked = { token: string; kind: KeyKind; hash: Buffer; address: string }

// A burst of new connections is usually smaller, and a statement of so many keys takes some milliseconds.
const MOST_AT_ONCE = 500

/** Finds the holder of a key; null when there is none. Throws 503 when too many look-ups wait, and DatabaseAway. */
type FindKeyHolder = (token: string, clientAddress: string) => Promise<KeyHolder | null>

const HOLDERS = statement<Found>(
  'holders of api keys',
  `select k.hash, k.merchant_id as "merchantId", m.tag, m.cell, k.id as "keyId"
   from ${rowsOf('bytea')} as n (hash) join api_keys k on k.hash = n.hash join merchants m on m.id = k.merchant_id
   where k.revoked_at is null`,
)

/**
 * Looks keys up in the directory, with one statement for all that arrived while the previous one was running: a burst of new connections
 * needs only one database connection. Each statement is divided among client addresses: an address that floods wrong keys gets at most a
 * quarter of it while others wait, and is refused first when too many look-ups wait.
 */
export function findKeyHolders(directory: Database): FindKeyHolder {
  const lookups: Batch<Asked, KeyHolder | null> = batch({
    // No single key can make the statement fail, so none is retried on its own.
    run: (batched) => find(directory, batched).catch((error) => batched.map(() => failed(error))),
    laneOf: ({ address }) => crc32(address),
    beside: false,
    max: MOST_AT_ONCE,
  })
  return (token, address) => {
    const parsed = readApiKey(token)
    if (parsed === null) return Promise.resolve(null)
    return lookups.add({ token, kind: parsed.kind, hash: hashApiKey(token), address })
  }
}

async function find(directory: Database, lookups: readonly Asked[]): Promise<Outcome<KeyHolder | null>[]> {
  const rows = await directory.query(HOLDERS, [lookups.map(({ hash }) => hash)])
  const byHash = new Map(rows.map((row) => [row.hash.toString('hex'), row]))
  return lookups.map((lookup) => {
    const row = byHash.get(lookup.hash.toString('hex'))
    return done(row === undefined ? null : holderOf(lookup, row))
  })
}

const holderOf = ({ token, kind }: Asked, { merchantId, tag, cell, keyId }: Found): KeyHolder => ({
  ...{ kind: 'key', merchantId, tag, cell, keyId, keyLast4: token.slice(-4) },
  mode: kind.startsWith('test') ? 'test' : 'live',
  scope: kind.endsWith('collections') ? 'collections' : 'full',
})
