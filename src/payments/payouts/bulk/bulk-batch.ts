import type { Metadata } from '../../../api/http/bodies/metadata.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { latestPlausibleTime } from '../../../platform/db/due-times.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Mode } from '../../../platform/mode.ts'
import { shortDigestSql } from '../../../platform/text/short-digest.ts'
import { addMs } from '../../../platform/time/clock.ts'

/** One stored item of a bulk call: its fields, or its problem. Its reference is never null. */
export type StoredBulkItem = { reference: string } & (
  | { amount: number; phone: string; name: string | null; channel: string; metadata?: Metadata }
  | { error: string }
)

/** A stored call of POST /v1/payouts/bulk. `done` counts its items with a result, `accepted` those of them with a payout. */
export type BulkBatch = {
  merchantId: number
  id: string
  mode: Mode
  key: string
  items: StoredBulkItem[]
  total: number
  done: number
  accepted: number
  createdAt: Date
  /** The API key whose limit of the day its items count against; null: none. */
  limitedKey: string | null
}

/**
 * A batch that made no progress for this long has lost its process and is finished by the sweep. Each chunk renews the
 * lease. Two runners at once do no harm, so a process that was only slow loses nothing.
 */
export const BULK_LEASE_MS = 8000
const RETRY_AFTER_MS = 2000

const COLUMNS = `b.merchant_id as "merchantId", b.id, b.mode, b.key, b.items, b.total, b.done, b.accepted,
  b.created_at as "createdAt", b.limited_key as "limitedKey"`
const ADD_BATCH = statement(
  'add bulk batch',
  `insert into bulk_batches (merchant_id, id, mode, key, items, total, lease_until, created_at, limited_key, digest)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${shortDigestSql('$5::jsonb::text')})`,
)
const LOCK_BATCH = statement<BulkBatch>(
  'lock bulk batch',
  `select ${COLUMNS} from bulk_batches b where b.merchant_id = $1 and b.id = $2 for no key update`,
)
const ADVANCE_BATCH = statement(
  'advance bulk batch',
  `update bulk_batches set done = $3, accepted = $4, lease_until = case when $3 = total then null else $5::timestamptz end
   where merchant_id = $1 and id = $2`,
)
// A lease that ends later than a lease of now could was given before the clock stepped back.
const TAKE_STALLED_BATCH = statement<Pick<BulkBatch, 'merchantId' | 'id' | 'mode' | 'key'>>(
  'take left bulk batch',
  `update bulk_batches b set lease_until = $2
   from (select merchant_id, id from bulk_batches where lease_until < $1 or lease_until > $3
     order by lease_until limit 1 for no key update skip locked) left_alone
   where b.merchant_id = left_alone.merchant_id and b.id = left_alone.id
   returning b.merchant_id as "merchantId", b.id, b.mode, b.key`,
)
const GIVE_BACK_BATCH = statement(
  'give back bulk batch',
  'update bulk_batches set lease_until = $3 where merchant_id = $1 and id = $2 and lease_until > $3',
)
export const addBatch = (batch: BulkBatch, leaseUntil: Date): Call =>
  call(
    ADD_BATCH,
    batch.merchantId,
    batch.id,
    batch.mode,
    batch.key,
    JSON.stringify(batch.items),
    batch.total,
    leaseUntil.toISOString(),
    batch.createdAt.toISOString(),
    batch.limitedKey,
  )

export const lockBatch = (merchantId: number, id: string): Call<BulkBatch> => call(LOCK_BATCH, merchantId, id)
/** Takes, under a new lease, the batch whose lease ran out first; no row when there is none. */
export const takeStalledBatch = (now: Date) =>
  call(
    TAKE_STALLED_BATCH,
    now.toISOString(),
    addMs(now, BULK_LEASE_MS).toISOString(),
    latestPlausibleTime(now, BULK_LEASE_MS).toISOString(),
  )
/** Shortens the lease of a batch that could not be run, so that it is taken again in two seconds. */
export const giveBackBatch = ({ merchantId, id }: Pick<BulkBatch, 'merchantId' | 'id'>, now: Date): Call =>
  call(GIVE_BACK_BATCH, merchantId, id, addMs(now, RETRY_AFTER_MS).toISOString())

/** Stores the progress of a batch, with a new lease while it has items left. */
export const advanceBatch = (
  { merchantId, id }: Pick<BulkBatch, 'merchantId' | 'id'>,
  { done, accepted, leaseUntil }: Pick<BulkBatch, 'done' | 'accepted'> & { leaseUntil: Date },
): Call => call(ADVANCE_BATCH, merchantId, id, done, accepted, leaseUntil.toISOString())
