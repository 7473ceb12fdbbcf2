import type { Caller } from '../../api/access/actor.ts'
import { listStatement, PLANNED_ONCE } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, nullIfRefused, readListPage } from '../../api/http/lists/lists.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { parsePhoneFilter } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'
import { PAYOUT_COLUMNS, PAYOUT_STATUSES, type Payout } from './payout.ts'

/** The filters of a list of payouts (spec 4.2; contract.md 2.3b). Bounds are inclusive; filters that are absent are null. */
export type PayoutFilter = ListWindow & {
  status: string | null
  reference: string | null
  phone: string | null
}

const PAYOUT_BY_ID = statement<Payout>(
  'payout by id',
  `select ${PAYOUT_COLUMNS} from payouts p where p.merchant_id = $1 and p.id = $2 and p.mode = $3 and p.published`,
)
const HIDDEN_PAYOUTS = statement<{ id: string }>(
  'payouts that have no page yet',
  'select id from payouts where merchant_id = $1 and id = any($2::text[]) and not published',
)
const PAYOUT_IN_ANY_MODE = statement<Payout>(
  'payout in any mode',
  `select ${PAYOUT_COLUMNS} from payouts p where p.merchant_id = $1 and p.id = $2`,
)

// $1 merchant, $2 mode, $3 from, $4 and $5 the time and id that all rows are older than, $6 limit; the filters from $7 on.
const WINDOW = `p.merchant_id = $1 and p.mode = $2 and p.published and p.created_at >= $3
  and (p.created_at, p.id) < ($4, $5)`
const NEWEST = 'order by p.created_at desc, p.id desc limit $6'
const OTHER_FILTERS = `($7::text is null or p.status = $7) and ($8::text is null or p.reference = $8)
  and ($9::text is null or right(p.recipient_phone, 9) = $9)`

const listBy = (name: string, driver: string, how?: typeof PLANNED_ONCE) =>
  listStatement<Payout>(
    `list payouts by ${name}`,
    `select ${PAYOUT_COLUMNS} from payouts p where ${WINDOW} and ${driver} and ${OTHER_FILTERS} ${NEWEST}`,
    how,
  )
const LIST_BY = {
  reference: listBy('reference', 'p.reference is not null and p.reference = $8::text'),
  phone: listBy('phone', 'right(p.recipient_phone, 9) = $9::text'),
  status: listBy('status', 'p.status = $7::text', PLANNED_ONCE),
}
// The plain list merges ordered scans, one for each status, so its cost does not grow with the history.
const LIST_ALL = listStatement<Payout>(
  'list payouts',
  `select * from (${PAYOUT_STATUSES.map(
    (status) =>
      `(select ${PAYOUT_COLUMNS} from payouts p where ${WINDOW} and p.status = '${status}' and ${OTHER_FILTERS} ${NEWEST})`,
  ).join(' union all ')}) p order by "createdAt" desc, id desc limit $6`,
  PLANNED_ONCE,
)

/** Returns the caller's payout in the key's mode. Throws 404 (spec 1.3). */
export async function getPayout(app: App, caller: Caller, id: string): Promise<Payout> {
  const [payout] =
    parseTag('pout_', id) === caller.tag ? await app.db.query(PAYOUT_BY_ID, [caller.merchantId, id, caller.mode]) : []
  if (!payout) throw notFound('payout')
  return payout
}

/** Finds a payout of this merchant in either mode, hidden or not; for commands and for the pages of customers who are refunded. */
export const findPayout = (app: App, merchantId: number, id: string): Promise<Payout | null> =>
  firstRow(app.db.query(PAYOUT_IN_ANY_MODE, [merchantId, id]))

/** Reads one page of the caller's payouts of every kind, newest first. */
export async function listPayouts(app: App, caller: Caller, filter: PayoutFilter): Promise<ListPage<Payout>> {
  return readListPage(app, caller, {
    ...payoutListQuery(filter),
    find: (id) => nullIfRefused(getPayout(app, caller, id)),
  })
}

/** Chooses the statement that finds these payouts, with its values. */
export const payoutListQuery = (filter: PayoutFilter) => ({
  window: filter,
  statement: statementFor(filter),
  filters: [filter.status, filter.reference, parsePhoneFilter(filter.phone)],
})

function statementFor(filter: PayoutFilter) {
  if (filter.reference !== null) return LIST_BY.reference
  if (filter.phone !== null) return LIST_BY.phone
  return filter.status === null ? LIST_ALL : LIST_BY.status
}

/** Finds which of these payouts are hidden: the operator has not answered yet, or took nothing, and then the payout never existed. */
export async function findHiddenPayouts(
  app: App,
  { merchantId }: Caller,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  return new Set((await app.db.query(HIDDEN_PAYOUTS, [merchantId, ids])).map(({ id }) => id))
}
