import type { Caller } from '../../../api/access/actor.ts'
import type { Metadata } from '../../../api/http/bodies/metadata.ts'
import { listStatement } from '../../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, nullIfRefused, readListPage } from '../../../api/http/lists/lists.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Mode } from '../../../platform/mode.ts'
import { notFound } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'

/** A bulk call as lists show it. */
export type BulkCallSummary = {
  id: string
  mode: Mode
  total: number
  done: number
  accepted: number
  createdAt: Date
}

/** One item of a call with its result. `amount` and `phone` are null where the item could not be read. */
export type BulkCallItem = {
  index: number
  reference: string
  amount: number | null
  phone: string | null
  name: string | null
  metadata: Metadata | null
  payoutId: string | null
  replayed: boolean
  /** The present status of its payout. */
  status: string | null
  failureReason: string | null
  error: string | null
  retryable: boolean
}

const COLUMNS = `b.id, b.mode, b.total, b.done, b.accepted, b.created_at as "createdAt"`
const BATCH_BY_ID = statement<BulkCallSummary>(
  'bulk call by id',
  `select ${COLUMNS} from bulk_batches b where b.merchant_id = $1 and b.id = $2 and b.mode = $3`,
)
const LIST_BATCHES = listStatement<BulkCallSummary>(
  'list bulk calls',
  `select ${COLUMNS} from bulk_batches b where b.merchant_id = :merchantId and b.mode = :mode
     and b.created_at >= :bound and (b.created_at, b.id) < (:cursorAt, :cursorId)
   order by b.created_at desc, b.id desc limit :limit`,
)
const BATCH_ITEMS = statement<BulkCallItem>(
  'items of a bulk call',
  `select (asked.place - 1)::int as index, asked.item->>'reference' as reference, case when asked.item ? 'amount' then least((asked.item->>'amount')::numeric, 1e15)::bigint end as amount,
     asked.item->>'phone' as phone, asked.item->>'name' as name, asked.item->'metadata' as metadata, i.payout_id as "payoutId", coalesce(i.replayed, false) as replayed,
     p.status, p.failure_reason as "failureReason", i.error, coalesce(i.retryable, false) as retryable
   from bulk_batches b cross join jsonb_array_elements(b.items) with ordinality as asked (item, place)
     left join bulk_items i on i.merchant_id = b.merchant_id and i.batch_id = b.id and i.item_index = asked.place - 1
     left join payouts p on p.merchant_id = i.merchant_id and p.id = i.payout_id
   where b.merchant_id = $1 and b.id = $2 order by asked.place`,
)

/** Returns the call in the caller's mode. Throws 404. */
export async function getBatch(app: App, { merchantId, mode, tag }: Caller, id: string): Promise<BulkCallSummary> {
  const own = parseTag('batch_', id) === tag
  const [batch] = own ? await app.db.query(BATCH_BY_ID, [merchantId, id, mode]) : []
  if (!batch) throw notFound('bulk call')
  return batch
}

/** Reads one page of the caller's bulk calls, newest first. */
export const listBatches = (app: App, caller: Caller, window: ListWindow): Promise<ListPage<BulkCallSummary>> =>
  readListPage(app, caller, {
    window,
    statement: LIST_BATCHES,
    find: (id) => nullIfRefused(getBatch(app, caller, id)),
  })

/** Reads every item of a call, at most a thousand, in its order. */
export const readBatchItems = (app: App, { merchantId }: Caller, id: string): Promise<BulkCallItem[]> =>
  app.db.query(BATCH_ITEMS, [merchantId, id])
