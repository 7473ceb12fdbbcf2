import type { Caller } from '../../actors/actor.ts'
import type { App } from '../../app.ts'
import { listStatement } from '../../http/both-ways.ts'
import { type ListWindow, orNull, type Page, readPage } from '../../http/lists.ts'
import { statement } from '../../platform/db/statement.ts'
import { tagOf } from '../../platform/ids.ts'
import type { Mode } from '../../platform/mode.ts'
import { notFound } from '../../platform/refusal.ts'

/** A bulk call as lists show it. */
export type BatchRow = {
  id: string
  mode: Mode
  total: number
  done: number
  accepted: number
  createdAt: Date
}

/** One item of a call with its result. `amount` and `phone` are null where the item could not be read. */
export type BatchItem = {
  index: number
  reference: string
  amount: number | null
  phone: string | null
  name: string | null
  payoutId: string | null
  replayed: boolean
  /** The present status of its payout. */
  status: string | null
  failureReason: string | null
  error: string | null
  retryable: boolean
}

const COLUMNS = `b.id, b.mode, b.total, b.done, b.accepted, b.created_at as "createdAt"`
const BY_ID = statement<BatchRow>(
  'bulk call by id',
  `select ${COLUMNS} from bulk_batches b where b.merchant_id = $1 and b.id = $2 and b.mode = $3`,
)
const LIST = listStatement<BatchRow>(
  'list bulk calls',
  `select ${COLUMNS} from bulk_batches b where b.merchant_id = $1 and b.mode = $2
     and b.created_at >= $3 and (b.created_at, b.id) < ($4, $5)
   order by b.created_at desc, b.id desc limit $6`,
)
const ITEMS = statement<BatchItem>(
  'items of a bulk call',
  `select (asked.place - 1)::int as index, asked.item->>'reference' as reference, case when asked.item ? 'amount' then least((asked.item->>'amount')::numeric, 1e15)::bigint end as amount,
     asked.item->>'phone' as phone, asked.item->>'name' as name, i.payout_id as "payoutId", coalesce(i.replayed, false) as replayed,
     p.status, p.failure_reason as "failureReason", i.error, coalesce(i.retryable, false) as retryable
   from bulk_batches b cross join jsonb_array_elements(b.items) with ordinality as asked (item, place)
     left join bulk_items i on i.merchant_id = b.merchant_id and i.batch_id = b.id and i.item_index = asked.place - 1
     left join payouts p on p.merchant_id = i.merchant_id and p.id = i.payout_id
   where b.merchant_id = $1 and b.id = $2 order by asked.place`,
)

/** Returns the call in the caller's mode. Throws 404. */
export async function getBatch(app: App, { merchantId, mode, tag }: Caller, id: string): Promise<BatchRow> {
  const own = tagOf('batch_', id) === tag
  const [batch] = own ? await app.db.query(BY_ID, [merchantId, id, mode]) : []
  if (!batch) throw notFound('bulk call')
  return batch
}

/** Reads one page of the caller's bulk calls, newest first. */
export const listBatches = (app: App, caller: Caller, window: ListWindow): Promise<Page<BatchRow>> =>
  readPage(app, caller, { window, statement: LIST, find: (id) => orNull(getBatch(app, caller, id)) })

/** Reads every item of a call, at most a thousand, in its order. */
export const itemsOf = (app: App, { merchantId }: Caller, id: string): Promise<BatchItem[]> =>
  app.db.query(ITEMS, [merchantId, id])
