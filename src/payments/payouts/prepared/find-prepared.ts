import type { Caller } from '../../../api/access/actor.ts'
import { listStatement } from '../../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, nullIfRefused, readListPage } from '../../../api/http/lists/lists.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { notFound } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import { PREPARED_COLUMNS, PREPARED_PREFIX, type PreparedPayout, type StoredPrepared } from './prepared-payout.ts'
import { countWaiting } from './write-prepared.ts'

/** The filters of a list of prepared payouts; a filter that is absent is null. */
type PreparedFilter = ListWindow & { status: string | null }

const PREPARED_BY_ID = statement<StoredPrepared>(
  'prepared payout by id',
  `select ${PREPARED_COLUMNS}, r.request, r.fingerprint from prepared_payouts r
   where r.merchant_id = $1 and r.id = $2 and r.mode = $3`,
)
const PREPARED_OF_OBJECT = statement<PreparedPayout>(
  'prepared payout of an object',
  `select ${PREPARED_COLUMNS} from prepared_payouts r where r.merchant_id = $1 and r.object_id = $2`,
)
const LIST_PREPARED = listStatement<PreparedPayout>(
  'list prepared payouts',
  `select ${PREPARED_COLUMNS} from prepared_payouts r where r.merchant_id = :merchantId and r.mode = :mode
     and r.created_at >= :bound and (r.created_at, r.id) < (:cursorAt, :cursorId) and (:status::text is null or r.status = :status)
   order by r.created_at desc, r.id desc limit :limit`,
)

/** Returns a prepared payout with its bytes, in the caller's mode. Throws 404. */
export async function getPrepared(app: App, caller: Caller, id: string): Promise<StoredPrepared> {
  const own = parseTag(PREPARED_PREFIX, id) === caller.tag
  const [row] = own ? await app.db.query(PREPARED_BY_ID, [caller.merchantId, id, caller.mode]) : []
  if (!row) throw notFound('prepared payout')
  return row
}

/** Finds the prepared payout from which the payout, bulk call or schedule with this id was created; null where there is none. */
export const findPreparedOfObject = (
  app: App,
  { merchantId }: Caller,
  objectId: string,
): Promise<PreparedPayout | null> => firstRow(app.db.query(PREPARED_OF_OBJECT, [merchantId, objectId]))

/** Reads one page of what was prepared, newest first. */
export const listPrepared = (app: App, caller: Caller, filter: PreparedFilter): Promise<ListPage<PreparedPayout>> =>
  readListPage(app, caller, {
    window: filter,
    statement: LIST_PREPARED,
    filters: { status: filter.status },
    find: (id) => nullIfRefused(getPrepared(app, caller, id)),
  })

/** Counts what waits for a second person, up to `limit`. */
export async function countPrepared(app: App, caller: Caller, limit: number): Promise<number> {
  const count = countWaiting(caller, limit)
  const [row] = await app.db.query(count.statement, count.values)
  return row?.waiting ?? 0
}
