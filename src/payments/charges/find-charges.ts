import type { Caller } from '../../api/access/actor.ts'
import { listStatement, PLANNED_ONCE } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, nullIfRefused, readListPage } from '../../api/http/lists/lists.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { parsePhoneFilter } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'
import { groupByCharge, sharesOfCharges } from '../subaccounts/shares.ts'
import { CHARGE_COLUMNS, type Charge } from './charge.ts'
import { detailScans, FINISHED_CHARGES, isOpenStatus, OPEN_CHARGES, STATUS_SCANS } from './charge-indexes.ts'

/** The filters of a list of charges (spec 4.1). Bounds are inclusive; filters that are absent are null. */
export type ChargeFilter = ListWindow & {
  status: string | null
  reference: string | null
  phone: string | null
  email: string | null
}

const CHARGE_BY_ID = statement<Charge>(
  'charge by id',
  `select ${CHARGE_COLUMNS} from charges c where c.merchant_id = $1 and c.id = $2 and c.mode = $3 and c.published`,
)

const CHARGE_OF_LINK = statement<Charge>(
  'charge of payment link',
  `select ${CHARGE_COLUMNS} from charges c
   where c.merchant_id = $1 and c.id = $2 and c.payment_link_id = $3 and c.voided_at is null`,
)

// $1 merchant, $2 mode, $3 from, $4 and $5 the time and id that all rows are older than, $6 limit; the filters from $7 on.
const WINDOW = `c.merchant_id = $1 and c.mode = $2 and c.published and c.created_at >= $3
  and (c.created_at, c.id) < ($4, $5)`
const NEWEST = 'order by c.created_at desc, c.id desc limit $6'
const OTHER_FILTERS = `($7::text is null or c.status = $7) and ($8::text is null or c.reference = $8)
  and ($9::text is null or c.phone9 = $9) and ($10::text is null or lower(c.email) = $10)`

// Merges the ordered scans of several indexes, so that its cost does not grow with the history.
const listAcross = (name: string, scans: readonly string[], driver = 'true') =>
  listStatement<Charge>(
    name,
    `select * from (${scans
      .map(
        (scan) =>
          `(select ${CHARGE_COLUMNS} from charges c where ${WINDOW} and ${scan} and ${driver} and ${OTHER_FILTERS} ${NEWEST})`,
      )
      .join(' union all ')}) c order by "createdAt" desc, id desc limit $6`,
    PLANNED_ONCE,
  )
const DETAIL_SCANS = detailScans('$2::mode')
const LIST_ALL = listAcross('list charges', STATUS_SCANS)
const LIST_BY = {
  reference: listAcross(
    'list charges by reference',
    DETAIL_SCANS,
    'c.reference is not null and c.reference = $8::text',
  ),
  phone: listAcross('list charges by phone', DETAIL_SCANS, 'c.phone9 is not null and c.phone9 = $9::text'),
  email: listAcross('list charges by email', DETAIL_SCANS, 'c.email is not null and lower(c.email) = $10::text'),
  openStatus: listAcross('list charges by open status', [OPEN_CHARGES], 'c.status = $7::text'),
  endedStatus: listAcross('list charges by status', [FINISHED_CHARGES], 'c.status = $7::text'),
}

/** Returns the caller's charge in the key's mode. Throws 404 (spec 1.3). */
export async function getCharge(app: App, caller: Caller, id: string): Promise<Charge> {
  const [charge] =
    parseTag('txn_', id) === caller.tag ? await app.db.query(CHARGE_BY_ID, [caller.merchantId, id, caller.mode]) : []
  if (!charge) throw notFound('charge')
  await attachShares(app, [charge])
  return charge
}

/** Returns a charge that was created on this link, shown or not yet, or null; for the pages of its customer, who knows its id. */
export const findChargeOfLink = (
  app: App,
  { merchantId, linkId, chargeId }: { merchantId: number; linkId: string; chargeId: string },
): Promise<Charge | null> => firstRow(app.db.query(CHARGE_OF_LINK, [merchantId, chargeId, linkId]))

/** Reads one page of the caller's charges, newest first. */
export async function listCharges(app: App, caller: Caller, filter: ChargeFilter): Promise<ListPage<Charge>> {
  const page = await readListPage(app, caller, {
    ...chargeListQuery(filter),
    find: (id) => nullIfRefused(getCharge(app, caller, id)),
  })
  await attachShares(app, page.data)
  return page
}

/** Reads the shares of split charges and sets them; sends nothing when there are no split charges. */
async function attachShares(app: App, charges: readonly Charge[]): Promise<void> {
  const split = charges.filter((charge) => charge.shares !== null)
  if (split.length === 0) return
  const shares = sharesOfCharges(split)
  const sharesByCharge = groupByCharge(await app.db.query(shares.statement, shares.values))
  for (const charge of split) charge.split = sharesByCharge.get(charge.id) ?? []
}

/** Chooses the statement that finds these charges, with its values; it returns split charges without their shares. */
export const chargeListQuery = (filter: ChargeFilter) => ({
  window: filter,
  statement: statementFor(filter),
  filters: [filter.status, filter.reference, parsePhoneFilter(filter.phone), filter.email?.toLowerCase() ?? null],
})

function statementFor(filter: ChargeFilter) {
  if (filter.reference !== null) return LIST_BY.reference
  if (filter.phone !== null) return LIST_BY.phone
  if (filter.email !== null) return LIST_BY.email
  if (filter.status === null) return LIST_ALL
  return isOpenStatus(filter.status) ? LIST_BY.openStatus : LIST_BY.endedStatus
}
