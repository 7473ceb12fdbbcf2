import { Type } from 'typebox'
import { later } from '../../platform/clock.ts'
import { numbers, times, words } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'

type Mode = 'test' | 'live'

/** One item of a bulk call as it was stored: its fields, or its problem. Its reference is never null. */
export type StoredItem = { reference: string } & (
  | { amount: number; phone: string; name: string | null; channel: string }
  | { error: string }
)

/** A stored call of POST /v1/payouts/bulk. `done`: items with a result; `accepted`: those of them with a payout. */
export type BulkBatch = {
  merchantId: number
  id: string
  mode: Mode
  key: string
  items: StoredItem[]
  total: number
  done: number
  accepted: number
  createdAt: Date
}

/** The result of one item. */
export type ItemResult = { index: number; reference: string } & (
  | { payoutId: string; status: string; replayed: boolean; firstAcceptedAt: Date | null }
  | { error: string; code: string; retryable: boolean }
)

/**
 * A batch that made no progress for this long has lost its process and is finished by the sweep. Each chunk renews the
 * lease. Two runners at once do no harm, so a process that was only slow loses nothing.
 */
export const BULK_LEASE_MS = 8000
const AGAIN_MS = 2000

const COLUMNS = `b.merchant_id as "merchantId", b.id, b.mode, b.key, b.items, b.total, b.done, b.accepted,
  b.created_at as "createdAt"`
const ADD_BATCH = statement(
  'add bulk batch',
  `insert into bulk_batches (merchant_id, id, mode, key, items, total, lease_until, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)
const LOCK_BATCH = statement<BulkBatch>(
  'lock bulk batch',
  `select ${COLUMNS} from bulk_batches b where b.merchant_id = $1 and b.id = $2 for no key update`,
)
const ADVANCE = statement(
  'advance bulk batch',
  `update bulk_batches set done = $3, accepted = $4, lease_until = case when $3 = total then null else $5::timestamptz end
   where merchant_id = $1 and id = $2`,
)
// A lease that ends later than possible was given before the clock stepped back.
const TAKE_LEFT = statement<Pick<BulkBatch, 'merchantId' | 'id' | 'mode' | 'key'>>(
  'take left bulk batch',
  `update bulk_batches b set lease_until = $2
   from (select merchant_id, id from bulk_batches where lease_until < $1 or lease_until > $3
     order by lease_until limit 1 for no key update skip locked) left_alone
   where b.merchant_id = left_alone.merchant_id and b.id = left_alone.id
   returning b.merchant_id as "merchantId", b.id, b.mode, b.key`,
)
const GIVE_BACK = statement(
  'give back bulk batch',
  'update bulk_batches set lease_until = $3 where merchant_id = $1 and id = $2 and lease_until > $3',
)
const ADD_RESULTS = statement(
  'add bulk results',
  `insert into bulk_items (merchant_id, batch_id, item_index, reference, payout_id, replayed, status, first_accepted_at,
     error, code, retryable)
   select $1, $2, * from unnest($3::int[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::timestamptz[], $9::text[],
     $10::text[], $11::boolean[])`,
)
const RESULTS = statement<BulkResultRow>(
  'bulk results',
  `select i.item_index as index, i.reference, i.payout_id as "payoutId", i.replayed, i.status,
     i.first_accepted_at as "firstAcceptedAt", i.error, i.code, i.retryable, p.amount, p.recipient_phone as "recipientPhone"
   from bulk_items i left join payouts p on p.merchant_id = i.merchant_id and p.id = i.payout_id
   where i.merchant_id = $1 and i.batch_id = $2 order by i.item_index`,
)
const SPEND = statement(
  'spend bulk references',
  `insert into bulk_references (merchant_id, mode, reference, payout_id)
   select $1, $2, * from unnest($3::text[], $4::text[])`,
)
// `offset 0` keeps the look-up one by one: otherwise the planner reads every reference the merchant ever spent.
const SPENT = statement<SpentReference>(
  'spent bulk references',
  `select r.reference, p.id as "payoutId", p.status, p.amount, p.channel, p.recipient_phone as "recipientPhone",
     p.created_at as "acceptedAt"
   from unnest($3::text[]) as n (reference) cross join lateral (
     select * from bulk_references b where b.merchant_id = $1 and b.mode = $2 and b.reference = n.reference offset 0) r
   join payouts p on p.merchant_id = r.merchant_id and p.id = r.payout_id`,
)
// References of items without a result in earlier, unfinished batches. There are rarely any.
const WAITING = statement<{ reference: string }>(
  'waiting bulk references',
  `select item.value->>'reference' as reference
   from bulk_batches b cross join lateral jsonb_array_elements(b.items) with ordinality item (value, place)
   where b.merchant_id = $1 and b.mode = $2 and b.lease_until is not null and (b.created_at, b.id) < ($3, $4)
     and item.place > b.done`,
)

export type SpentReference = {
  reference: string
  payoutId: string
  status: string
  amount: number
  channel: string
  recipientPhone: string
  acceptedAt: Date
}
type BulkResultRow = {
  index: number
  reference: string
  payoutId: string | null
  replayed: boolean
  status: string | null
  firstAcceptedAt: Date | null
  error: string | null
  code: string | null
  retryable: boolean
  amount: number | null
  recipientPhone: string | null
}

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
  )

export const lockBatch = (merchantId: number, id: string): Call<BulkBatch> => call(LOCK_BATCH, merchantId, id)
/** Takes the batch that has waited longest for progress, if there is one, under a new lease. */
export const takeLeftBatch = (now: Date) =>
  call(
    TAKE_LEFT,
    now.toISOString(),
    later(now, BULK_LEASE_MS).toISOString(),
    later(now, 2 * BULK_LEASE_MS).toISOString(),
  )
/** Releases a batch that could not be run, if it still has its lease, so that it is taken again soon. */
export const giveBackBatch = ({ merchantId, id }: Pick<BulkBatch, 'merchantId' | 'id'>, now: Date): Call =>
  call(GIVE_BACK, merchantId, id, later(now, AGAIN_MS).toISOString())
export const resultsOf = (merchantId: number, id: string) => call(RESULTS, merchantId, id)

/** The spent references among these items, with their payouts. Sent after the head is locked. */
export const spentReferences = (batch: BulkBatch, references: readonly string[]): Call<SpentReference> =>
  call(SPENT, batch.merchantId, batch.mode, references)
export const waitingReferences = (batch: BulkBatch): Call<{ reference: string }> =>
  call(WAITING, batch.merchantId, batch.mode, batch.createdAt.toISOString(), batch.id)

/** Stores the results of the next items and the progress of the batch. */
export function addResults(batch: BulkBatch, results: readonly ItemResult[], leaseUntil: Date): Call[] {
  const paid = (result: ItemResult) => ('payoutId' in result ? result : null)
  const refused = (result: ItemResult) => ('error' in result ? result : null)
  const fresh = results.flatMap((one) => ('payoutId' in one && !one.replayed ? [one] : []))
  const accepted = batch.accepted + results.filter((one) => 'payoutId' in one).length
  const done = batch.done + results.length
  return [
    ...(fresh.length === 0
      ? []
      : [
          call(
            SPEND,
            batch.merchantId,
            batch.mode,
            fresh.map((one) => one.reference),
            words(fresh.map((one) => one.payoutId)),
          ),
        ]),
    call(
      ADD_RESULTS,
      batch.merchantId,
      batch.id,
      numbers(results.map((one) => one.index)),
      results.map((one) => one.reference),
      words(results.map((one) => paid(one)?.payoutId ?? null)),
      results.map((one) => paid(one)?.replayed ?? false),
      words(results.map((one) => paid(one)?.status ?? null)),
      times(results.map((one) => paid(one)?.firstAcceptedAt ?? null)),
      results.map((one) => refused(one)?.error ?? null),
      words(results.map((one) => refused(one)?.code ?? null)),
      results.map((one) => refused(one)?.retryable ?? false),
    ),
    call(ADVANCE, batch.merchantId, batch.id, done, accepted, leaseUntil.toISOString()),
  ]
}

const Item = Type.Object({
  index: Type.Integer(),
  ok: Type.Boolean(),
  id: Type.Optional(Type.String({ description: 'the payout, where ok' })),
  status: Type.Optional(Type.String()),
  amount: Type.Optional(Type.Integer()),
  recipient_phone: Type.Optional(Type.String()),
  error: Type.Optional(Type.String({ description: 'why not, where not ok' })),
  code: Type.Optional(Type.String()),
  reference: Type.String({ description: 'yours, or `<Idempotency-Key>-<index>`' }),
  replayed: Type.Boolean({ description: 'this reference was accepted before; nothing was paid again' }),
  retryable: Type.Boolean({
    description: 'may be sent again, with a new Idempotency-Key and the same reference',
  }),
  first_accepted_at: Type.Optional(Type.String({ format: 'date-time' })),
})

/** Bulk result (spec 2.6; contract.md G13). */
export const BulkResultShape = Type.Object(
  {
    batch_id: Type.String({ description: 'starts with `batch_`' }),
    total: Type.Integer(),
    accepted: Type.Integer(),
    failed: Type.Integer(),
    results: Type.Array(Item),
  },
  { $id: 'BulkResult' },
)

/** The answer to the call; `again` is how a repeat with the same key shows it: every item replayed (G13e). */
export function presentBatch(id: string, rows: readonly BulkResultRow[], again: boolean) {
  const accepted = rows.filter((row) => row.payoutId !== null).length
  return {
    batch_id: id,
    total: rows.length,
    accepted,
    failed: rows.length - accepted,
    results: rows.map((row) => presentItem(row, again)),
  }
}

function presentItem(row: BulkResultRow, again: boolean) {
  const { index, reference } = row
  const replayed = again || row.replayed
  if (row.payoutId === null)
    return {
      index,
      ok: false,
      error: row.error,
      code: row.code,
      reference,
      replayed,
      retryable: row.retryable,
    }
  return {
    index,
    ok: true,
    id: row.payoutId,
    status: row.status,
    amount: row.amount,
    recipient_phone: row.recipientPhone,
    reference,
    replayed,
    retryable: false,
    ...(row.firstAcceptedAt === null ? {} : { first_accepted_at: row.firstAcceptedAt.toISOString() }),
  }
}
