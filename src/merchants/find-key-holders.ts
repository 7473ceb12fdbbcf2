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

/** Finds the holder of a key, null when there is none. Throws 503 when too many wait, DatabaseAway. */
export type FindKeyHolder = (token: string, clientAddress: string) => Promise<KeyHolder | null>

const HOLDERS = statement<Found>(
  'holders of api keys',
  `select k.hash, k.merchant_id as "merchantId", m.tag, m.cell, k.id as "keyId"
   from ${rowsOf('bytea')} as n (hash) join api_keys k on k.hash = n.hash join merchants m on m.id = k.merchant_id
   where k.revoked_at is null`,
)

/**
 * Looks keys up in the directory, with one statement for all that arrived while the one before was running: a burst of new
 * connections needs one connection of the database. Places are shared out by address: one that sends a flood of wrong keys fills
 * a quarter of a statement while others wait, and is refused first when too many do.
 */
export function findKeyHolders(directory: Database): FindKeyHolder {
  const looking: Batch<Asked, KeyHolder | null> = batch({
    // What makes the statement fail is no single key, so none is looked up again on its own.
    run: (asked) => find(directory, asked).catch((error) => asked.map(() => failed(error))),
    laneOf: ({ address }) => crc32(address),
    beside: false,
    max: MOST_AT_ONCE,
  })
  return (token, address) => {
    const form = readApiKey(token)
    if (form === null) return Promise.resolve(null)
    return looking.add({ token, kind: form.kind, hash: hashApiKey(token), address })
  }
}

async function find(directory: Database, asked: readonly Asked[]): Promise<Outcome<KeyHolder | null>[]> {
  const rows = await directory.query(HOLDERS, [asked.map(({ hash }) => hash)])
  const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]))
  return asked.map((one) => {
    const row = found.get(one.hash.toString('hex'))
    return done(row === undefined ? null : holderOf(one, row))
  })
}

const holderOf = ({ token, kind }: Asked, { merchantId, tag, cell, keyId }: Found): KeyHolder => ({
  ...{ kind: 'key', merchantId, tag, cell, keyId, keyLast4: token.slice(-4) },
  mode: kind.startsWith('test') ? 'test' : 'live',
  scope: kind.endsWith('collections') ? 'collections' : 'full',
})
