import { crc32 } from 'node:zlib'
import type { KeyHolder } from '../../api/http/frame.ts'
import { readPublicKey } from '../../api/http/signatures/judge-signature.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { type ItemOutcome, itemDone, itemFailed } from '../../platform/batches/batch-run.ts'
import { unnestColumns } from '../../platform/db/columns.ts'
import type { Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { parseStoredRanges } from '../../platform/text/address-ranges.ts'
import { type ApiKeyKind, hashApiKey, parseApiKey } from '../../platform/text/api-key-format.ts'

type HolderRow = {
  hash: Buffer
  merchantId: number
  tag: string
  cell: string
  keyId: string
  allowedFrom: string[] | null
  signedBy: Buffer[] | null
  limited: boolean
  expiresAt: Date | null
}
type KeyLookup = { token: string; kind: ApiKeyKind; hash: Buffer; address: string }

// A burst of new connections is usually smaller, and a statement of so many keys takes some milliseconds.
const MAX_KEYS_PER_STATEMENT = 500

/** Finds the holder of a key; null when there is none. Throws 503 when too many look-ups wait, and DatabaseAway. */
type FindKeyHolder = (token: string, clientAddress: string) => Promise<KeyHolder | null>

const FIND_HOLDERS = statement<HolderRow>(
  'holders of api keys',
  `select k.hash, k.merchant_id as "merchantId", m.tag, m.cell, k.id as "keyId",
     k.allowed_from::text[] as "allowedFrom", k.signed_by as "signedBy", k.daily_limit is not null as limited,
     m.expires_at as "expiresAt"
   from ${unnestColumns('bytea')} as n (hash) join api_keys k on k.hash = n.hash join merchants m on m.id = k.merchant_id
   where k.revoked_at is null`,
)

/**
 * Looks keys up in the directory, with one statement for all that arrived while the previous one was running: a burst of new connections
 * needs only one database connection. Each statement is divided among client addresses: an address that floods wrong keys gets at most a
 * quarter of it while others wait, and is refused first when too many look-ups wait.
 */
export function findKeyHolders(directory: Database): FindKeyHolder {
  const lookups: Batch<KeyLookup, KeyHolder | null> = newBatch({
    // No single key can make the statement fail, so none is retried on its own.
    run: (batched) => findHolders(directory, batched).catch((error) => batched.map(() => itemFailed(error))),
    keyOf: ({ address }) => crc32(address),
    beside: false,
    max: MAX_KEYS_PER_STATEMENT,
  })
  return (token, address) => {
    const parsed = parseApiKey(token)
    if (parsed === null) return Promise.resolve(null)
    return lookups.add({ token, kind: parsed.kind, hash: hashApiKey(token), address })
  }
}

async function findHolders(
  directory: Database,
  lookups: readonly KeyLookup[],
): Promise<ItemOutcome<KeyHolder | null>[]> {
  const rows = await directory.query(FIND_HOLDERS, [lookups.map(({ hash }) => hash)])
  const byHash = new Map(rows.map((row) => [row.hash.toString('hex'), row]))
  return lookups.map((lookup) => {
    const row = byHash.get(lookup.hash.toString('hex'))
    return itemDone(row === undefined ? null : toKeyHolder(lookup, row))
  })
}

const toKeyHolder = (
  { token, kind }: KeyLookup,
  { merchantId, tag, cell, keyId, allowedFrom, signedBy, limited, expiresAt }: HolderRow,
): KeyHolder => ({
  ...{ kind: 'key', merchantId, tag, cell, keyId, keyLast4: token.slice(-4), limited },
  allowedFrom: allowedFrom === null ? null : parseStoredRanges(allowedFrom),
  signedBy: signedBy === null ? null : signedBy.map(readPublicKey),
  expiresAtMs: expiresAt?.getTime() ?? null,
  mode: kind.startsWith('test') ? 'test' : 'live',
  scope: kind.endsWith('collections') ? 'collections' : 'full',
})
