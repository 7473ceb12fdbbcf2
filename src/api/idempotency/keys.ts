import { callForRow, toColumns, unnestColumns } from '../../platform/db/columns.ts'
import { type Call, call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { bigint, bytea, copyInto, mode, smallint, text, time } from '../../platform/db/wire/copy.ts'
import type { Mode } from '../../platform/mode.ts'
import { Refusal } from '../../platform/refusal.ts'

/** A key and its owner: one key belongs to one merchant and mode, whatever the endpoint or the scope (contract.md 3 n). */
export type KeyOwner = { merchantId: number; mode: Mode; key: string }
export type KeyUse = KeyOwner & { fingerprint: Buffer }
/**
 * A key that runs for one object. To finish or free it, name both: a freed key may already run for the next request, and finishing
 * that one by its name would let a third request run.
 */
export type RunningKey = KeyOwner & { objectId: string }

/**
 * A row of the table. Without a status the key is running: reserved, its work not finished. The answer of a live charge is stored with the
 * charge, so its key counts as running too while the charge is `hidden`; null where the object is no charge.
 */
export type KeyRow = KeyOwner & {
  fingerprint: Buffer
  status: number | null
  body: string | null
  objectId: string | null
  hidden: boolean | null
}

/** The first answer, stored to the byte. */
export type StoredAnswer = { status: number; body: string; objectId: string | null }

const FIND = statement<KeyRow>(
  'find idempotency keys',
  `select k.merchant_id as "merchantId", k.mode, k.key, k.fingerprint, k.status, k.body, k.object_id as "objectId",
     (select not c.published from charges c where c.merchant_id = k.merchant_id and c.id = k.object_id) as hidden
   from unnest($1::bigint[], $2::mode[], $3::text[]) as n (merchant_id, mode, key)
   join idempotency_keys k on k.merchant_id = n.merchant_id and k.mode = n.mode and k.key = n.key`,
)
/** A key to be stored, with its answer or still running (`answer` null). */
type KeyToAdd = KeyUse & { answer: StoredAnswer | null; objectId: string | null }

const KEYS = copyInto<{ use: KeyToAdd; at: Date }>('add idempotency keys', 'idempotency_keys', {
  merchant_id: bigint(({ use }) => use.merchantId),
  mode: mode(({ use }) => use.mode),
  key: text(({ use }) => use.key),
  fingerprint: bytea(({ use }) => use.fingerprint),
  object_id: text(({ use }) => use.objectId),
  status: smallint(({ use }) => use.answer?.status ?? null),
  body: text(({ use }) => use.answer?.body ?? null),
  created_at: time(({ at }) => at),
})
const FINISH = statement(
  'finish idempotency keys',
  `update idempotency_keys k set status = n.status, body = n.body
   from ${unnestColumns('bigint', 'mode', 'text', 'text', 'bigint', 'text')} as n (merchant_id, mode, key, object_id, status, body)
   where k.merchant_id = n.merchant_id and k.mode = n.mode and k.key = n.key and k.object_id = n.object_id
     and k.status is null`,
)
const FREE = statement(
  'free idempotency key',
  `delete from idempotency_keys
   where merchant_id = $1 and mode = $2 and key = $3 and object_id = $4 and status is null`,
)
const FREE_ANSWERED = statement(
  'free answered idempotency key',
  `delete from idempotency_keys where merchant_id = $1 and mode = $2 and key = $3 and object_id = $4`,
)
// A header cannot carry a control character, so no API client can use such a key.
const RESERVED = '\u0001'

/** Builds the key of an act of our own that may happen only once, from the words that name what is acted on. */
export const buildReservedKey = (...words: readonly (string | number)[]): string => `${RESERVED}${words.join(' ')}`

export function findKeys(owners: readonly KeyOwner[]): Call<KeyRow> {
  const each = toColumns(owners)
  return call(FIND, ...each.numbers('merchantId'), ...each.modes('mode'), ...each.values('key'))
}

/** Stores keys, answered or still running. A key that another process has stored meanwhile breaks the primary key. */
export const addKeys = (uses: readonly KeyToAdd[], at: Date): Call[] =>
  KEYS.rows([...uses].sort(compareKeyOwners).map((use) => ({ use, at })))

/** Stores the answer of a key that runs for this object. */
export const finishKey = (key: RunningKey, { status, body }: { status: number; body: string }): Call =>
  callForRow(FINISH, { row: { ...key, status, body }, name: formatKeyOwner(key) }, (each) => [
    ...each.numbers('merchantId'),
    ...each.modes('mode'),
    ...each.values('key', 'objectId'),
    ...each.numbers('status'),
    ...each.values('body'),
  ])

/** Frees a key that runs for this object, when its answer may not be stored (contract.md 3 i). */
export const freeKey = ({ merchantId, mode, key, objectId }: RunningKey): Call =>
  call(FREE, merchantId, mode, key, objectId)

/** Frees a key whose answer was stored with its object, in the commit that takes the object back before it was ever shown. */
export const freeAnsweredKey = ({ merchantId, mode, key, objectId }: RunningKey): Call =>
  call(FREE_ANSWERED, merchantId, mode, key, objectId)

/** Returns the stored answer of a used key. Throws 409 when the key was used for another request or is still running. */
export function getReplay(row: KeyRow, fingerprint: Buffer): StoredAnswer {
  if (!row.fingerprint.equals(fingerprint)) throw keyReused()
  const answer = answerIn(row)
  if (answer === null) throw keyInFlight()
  return answer
}

/**
 * The answer stored in a row; null while the key is running. A request that has its own answer late sends the stored one instead,
 * because another process may have taken the key for an orphan and finished it (contract.md G58).
 */
const answerIn = ({ status, body, objectId, hidden }: KeyRow): StoredAnswer | null =>
  status === null || body === null || hidden === true ? null : { status, body, objectId }

/** Reads the answer stored under a key, whatever object it is about; null while the key is running, or when it was freed. */
export async function findStoredAnswer(db: Database, owner: KeyOwner): Promise<StoredAnswer | null> {
  const row = await findKey(db, owner)
  return row === null ? null : answerIn(row)
}

/** Reads the answer stored under the key of this object; null also when the key was freed and belongs to another request now. */
export async function findAnswerForObject(db: Database, key: RunningKey): Promise<StoredAnswer | null> {
  const row = await findKey(db, key)
  return row === null ? null : answerForObject(key, row)
}

/** The answer in this row of the key, if the key still belongs to this object; else null. */
export const answerForObject = ({ objectId }: RunningKey, row: KeyRow): StoredAnswer | null =>
  row.objectId === objectId ? answerIn(row) : null

async function findKey(db: Database, owner: KeyOwner): Promise<KeyRow | null> {
  const find = findKeys([owner])
  const [row] = await db.query(find.statement, find.values)
  return row ?? null
}

export const keyReused = () =>
  new Refusal(409, 'conflict', 'idempotency key reused with different request body', {
    hint: 'a key is for one request of your account and mode, whatever the path: use a new key for a new request',
  })
export const keyInFlight = () =>
  new Refusal(409, 'conflict', 'a request with this Idempotency-Key is still in flight - retry shortly')

export const formatKeyOwner = (owner: KeyOwner) => `${owner.merchantId} ${owner.mode} ${owner.key}`

/** Compares keys by the order in which every transaction takes them, so that two batches of different processes never deadlock. */
export const compareKeyOwners = (a: KeyOwner, b: KeyOwner) =>
  a.merchantId - b.merchantId || (a.mode < b.mode ? -1 : a.mode > b.mode ? 1 : 0) || (a.key < b.key ? -1 : 1)
