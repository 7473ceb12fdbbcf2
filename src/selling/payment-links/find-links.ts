import type { Caller } from '../../api/access/actor.ts'
import { listStatement } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, nullIfRefused, readListPage } from '../../api/http/lists/lists.ts'
import { CHARGE_COLUMNS, type Charge } from '../../payments/charges/charge.ts'
import { getCharge } from '../../payments/charges/find-charges.ts'
import { textColumn } from '../../platform/db/columns.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { type LinkWithCharges, PAYMENT_LINK_COLUMNS } from './payment-link.ts'

/** Which links to list (spec 4.4). Bounds are inclusive; `reference` is null unless the caller filters by it. */
export type LinkFilter = ListWindow & { reference: string | null }

/** The merchant whose links are read, and in which mode. */
type LinkOwner = Pick<Caller, 'merchantId' | 'tag' | 'mode'>

// Subselects instead of joins, so that charges are looked up by index and only for the rows of the page.
const WITH_CHARGES = `${PAYMENT_LINK_COLUMNS},
  (select json_build_object('id', c.id, 'status', c.status) from charges c
   where c.merchant_id = l.merchant_id and c.id = l.charge_id and c.voided_at is null) as attempt,
  (select json_build_object('id', c.id, 'status', c.status) from charges c
   where c.merchant_id = l.merchant_id and c.payment_link_id = l.id and c.status in ('succeeded', 'refunded')
   order by c.created_at desc, c.id desc limit 1) as paid`

const LINK_BY_ID = statement<LinkWithCharges>(
  'payment link by id',
  `select ${WITH_CHARGES} from payment_links l where l.merchant_id = $1 and l.id = $2`,
)

const LINKS_BY_ID = statement<LinkWithCharges>(
  'payment links by id',
  `select ${WITH_CHARGES} from payment_links l
   where l.merchant_id = $1 and l.mode = $2 and l.kind = 'link' and l.id = any($3::text[])`,
)

const LIST_CONDITIONS = `l.merchant_id = :merchantId and l.mode = :mode and l.kind = 'link' and l.created_at >= :bound and (l.created_at, l.id) < (:cursorAt, :cursorId)`
const NEWEST_FIRST = 'order by l.created_at desc, l.id desc limit :limit'

const LIST_ALL = listStatement<LinkWithCharges>(
  'list payment links',
  `select ${WITH_CHARGES} from payment_links l where ${LIST_CONDITIONS} ${NEWEST_FIRST}`,
)
const LIST_BY_REFERENCE = listStatement<LinkWithCharges>(
  'list payment links by reference',
  `select ${WITH_CHARGES} from payment_links l where ${LIST_CONDITIONS} and l.reference = :reference ${NEWEST_FIRST}`,
)

/** Finds a link of any kind and mode, with its charges; for the hosted page. */
export const findLink = (
  app: App,
  { merchantId, id }: { merchantId: number; id: string },
): Promise<LinkWithCharges | null> => firstRow(app.db.query(LINK_BY_ID, [merchantId, id]))

/** Returns the caller's link in the key's mode. Throws 404 (spec 1.3). */
export async function getLink(app: App, owner: LinkOwner, id: string): Promise<LinkWithCharges> {
  const link = await findOwnLink(app, owner, id)
  if (link === null) throw notFound('payment link')
  return link
}

/** Returns those of these links that the API shows to the caller in its mode. */
export const findLinks = (
  app: App,
  { merchantId, mode }: LinkOwner,
  ids: readonly string[],
): Promise<LinkWithCharges[]> => app.db.query(LINKS_BY_ID, [merchantId, mode, textColumn(ids)])

/** One page of the caller's links, newest first. */
export async function listLinks(app: App, owner: LinkOwner, filter: LinkFilter): Promise<ListPage<LinkWithCharges>> {
  return readListPage(app, owner, {
    ...chooseListStatement(filter),
    find: (id) => findOwnLink(app, owner, id),
  })
}

/** Chooses the list statement for this filter, with its values: with a reference, a statement of its own uses another index. */
export const chooseListStatement = (filter: LinkFilter) =>
  filter.reference === null
    ? { window: filter, statement: LIST_ALL, filters: {} }
    : { window: filter, statement: LIST_BY_REFERENCE, filters: { reference: filter.reference } }

/** Null for a link of another merchant or of the other mode, and for a vending order, which the API does not show as a link (G26b). */
async function findOwnLink(
  app: App,
  { merchantId, tag, mode }: LinkOwner,
  id: string,
): Promise<LinkWithCharges | null> {
  const link = parseTag('lnk_', id) === tag ? await findLink(app, { merchantId, id }) : null
  return link?.mode === mode && link.kind === 'link' ? link : null
}

// The conditions are those of the index on paid charges of a link.
const PAYMENTS_OF_LINK = listStatement<Charge>(
  'payments of a link',
  `select ${CHARGE_COLUMNS} from charges c
   where c.merchant_id = :merchantId and c.mode = :mode and c.payment_link_id = :linkId and c.status in ('succeeded', 'refunded')
     and c.payment_link_id is not null and c.created_at >= :bound and (c.created_at, c.id) < (:cursorAt, :cursorId)
   order by c.created_at desc, c.id desc limit :limit`,
)

/** One page of the paid charges of the caller's link, newest first. Throws 404 for a link that is not the caller's. */
export async function listLinkPayments(
  app: App,
  caller: Caller,
  { linkId, window }: { linkId: string; window: ListWindow },
): Promise<ListPage<Charge>> {
  const { id } = await getLink(app, caller, linkId)
  const find = async (chargeId: string) => {
    const charge = await nullIfRefused(getCharge(app, caller, chargeId))
    return charge?.paymentLinkId === id ? charge : null
  }
  return readListPage(app, caller, { window, statement: PAYMENTS_OF_LINK, filters: { linkId: id }, find })
}
