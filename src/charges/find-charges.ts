import type { Caller } from '../actors/actor.ts'
import type { App } from '../app.ts'
import { listStatement, PLANNED_ONCE } from '../http/both-ways.ts'
import { type ListWindow, orNull, type Page, readPage } from '../http/lists.ts'
import { firstRow } from '../platform/db/first-row.ts'
import { statement } from '../platform/db/statement.ts'
import { tagOf } from '../platform/ids.ts'
import { identityIn } from '../platform/phone.ts'
import { notFound } from '../platform/refusal.ts'
import { byCharge, sharesOf } from '../subaccounts/shares.ts'
import { CHARGE_COLUMNS, type Charge } from './charge.ts'
import { BY_STATUS, byDetail, ENDED, isOpenStatus, OPEN } from './where-charges-are.ts'

/** The filters of a list of charges (spec 4.1). Bounds are inclusive; filters that are absent are null. */
export type ChargeFilter = ListWindow & {
  status: string | null
  reference: string | null
  phone: string | null
  email: string | null
}

const BY_ID = statement<Charge>(
  'charge by id',
  `select ${CHARGE_COLUMNS} from charges c where c.merchant_id = $1 and c.id = $2 and c.mode = $3 and c.published`,
)

const OF_LINK = statement<Charge>(
  'charge of payment link',
  `select ${CHARGE_COLUMNS} from charges c
   where c.merchant_id = $1 and c.id = $2 and c.payment_link_id = $3 and c.voided_at is null`,
)

// $1 merchant, $2 mode, $3 from, $4 and $5 the time and id that all rows are older than, $6 limit; the filters from $7 on.
const WINDOW = `c.merchant_id = $1 and c.mode = $2 and c.published and c.created_at >= $3
  and (c.created_at, c.id) < ($4, $5)`
const NEWEST = 'order by c.created_at desc, c.id desc limit $6'
const OTHERS = `($7::text is null or c.status = $7) and ($8::text is null or c.reference = $8)
  and ($9::text is null or c.phone9 = $9) and ($10::text is null or lower(c.email) = $10)`

// Merges the ordered scans of several indexes, so that its cost does not grow with the history.
const listIn = (name: string, scans: readonly string[], driver = 'true') =>
  listStatement<Charge>(
    name,
    `select * from (${scans
      .map(
        (scan) =>
          `(select ${CHARGE_COLUMNS} from charges c where ${WINDOW} and ${scan} and ${driver} and ${OTHERS} ${NEWEST})`,
      )
      .join(' union all ')}) c order by "createdAt" desc, id desc limit $6`,
    PLANNED_ONCE,
  )
const BY_DETAIL = byDetail('$2::mode')
const LIST_ALL = listIn('list charges', BY_STATUS)
const LIST_BY = {
  reference: listIn(
    'list charges by reference',
    BY_DETAIL,
    'c.reference is not null and c.reference = $8::text',
  ),
  phone: listIn('list charges by phone', BY_DETAIL, 'c.phone9 is not null and c.phone9 = $9::text'),
  email: listIn('list charges by email', BY_DETAIL, 'c.email is not null and lower(c.email) = $10::text'),
  openStatus: listIn('list charges by open status', [OPEN], 'c.status = $7::text'),
  endedStatus: listIn('list charges by status', [ENDED], 'c.status = $7::text'),
}

/** Returns the caller's charge in the key's mode. Throws 404 (spec 1.3). */
export async function getCharge(app: App, caller: Caller, id: string): Promise<Charge> {
  const [charge] =
    tagOf('txn_', id) === caller.tag ? await app.db.query(BY_ID, [caller.merchantId, id, caller.mode]) : []
  if (!charge) throw notFound('charge')
  await readShares(app, [charge])
  return charge
}

/** Returns a charge that was created on this link, shown or not yet, or null; for the pages of its customer, who knows its id. */
export const findChargeOfLink = (
  app: App,
  { merchantId, linkId, chargeId }: { merchantId: number; linkId: string; chargeId: string },
): Promise<Charge | null> => firstRow(app.db.query(OF_LINK, [merchantId, chargeId, linkId]))

/** Reads one page of the caller's charges, newest first. */
export async function listCharges(app: App, caller: Caller, filter: ChargeFilter): Promise<Page<Charge>> {
  const page = await readPage(app, caller, {
    ...readingOf(filter),
    find: (id) => orNull(getCharge(app, caller, id)),
  })
  await readShares(app, page.data)
  return page
}

/** Reads the shares of split charges and sets them; sends nothing when there are no split charges. */
async function readShares(app: App, charges: readonly Charge[]): Promise<void> {
  const split = charges.filter((charge) => charge.shares !== null)
  if (split.length === 0) return
  const shares = sharesOf(split)
  const sharesByCharge = byCharge(await app.db.query(shares.statement, shares.values))
  for (const charge of split) charge.split = sharesByCharge.get(charge.id) ?? []
}

/** Chooses the statement that finds these charges, with its values; it returns split charges without their shares. */
export const readingOf = (filter: ChargeFilter) => ({
  window: filter,
  statement: statementFor(filter),
  filters: [filter.status, filter.reference, identityIn(filter.phone), filter.email?.toLowerCase() ?? null],
})

function statementFor(filter: ChargeFilter) {
  if (filter.reference !== null) return LIST_BY.reference
  if (filter.phone !== null) return LIST_BY.phone
  if (filter.email !== null) return LIST_BY.email
  if (filter.status === null) return LIST_ALL
  return isOpenStatus(filter.status) ? LIST_BY.openStatus : LIST_BY.endedStatus
}
