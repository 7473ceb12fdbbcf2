import type { Caller } from '../../api/access/actor.ts'
import { listStatement } from '../../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, nullIfRefused, readListPage } from '../../api/http/lists/lists.ts'
import { CHARGE_COLUMNS, type Charge } from '../../payments/charges/charge.ts'
import { getCharge } from '../../payments/charges/find-charges.ts'
import type { App } from '../../program/app.ts'
import { getLink } from './find-links.ts'

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
