import type { Caller } from '../actors/actor.ts'
import type { App } from '../app.ts'
import { readTotals, type Totals, totalsStatement } from '../http/list-totals.ts'
import { identityIn } from '../platform/phone.ts'
import { CHARGE_STATUSES } from './charge.ts'
import type { ChargeFilter } from './find-charges.ts'

const WINDOW = `c.merchant_id = $1 and c.mode = $2 and c.published and c.created_at >= $3 and c.created_at <= $4`
const PAID = "c.status in ('succeeded', 'refunded')"
// Values that a statement does not need stay away: with them its index would not have all columns that it asks for.
const ONE = '($6::text is null or c.status = $6)'
const OTHERS = `($7::text is null or c.reference = $7) and ($8::text is null or c.phone9 = $8)
  and ($9::text is null or lower(c.email) = $9)`

const totalsBy = (name: string, driver: string) =>
  totalsStatement(`totals of charges by ${name}`, {
    paid: PAID,
    rows: (columns, condition) =>
      `select ${columns} from charges c where ${WINDOW} and ${driver} ${condition}`,
  })
const TOTALS_BY = {
  // One scan a status, as in the list.
  none: totalsStatement('totals of charges', {
    paid: PAID,
    rows: (columns, condition) =>
      CHARGE_STATUSES.map(
        (status) =>
          `select ${columns} from charges c where ${WINDOW} and c.status = '${status}' ${condition}`,
      ).join(' union all '),
  }),
  status: totalsBy('status', 'c.status = $6::text'),
  reference: totalsBy(
    'reference',
    `c.reference is not null and c.reference = $7::text and ${ONE} and ${OTHERS}`,
  ),
  phone: totalsBy('phone', `c.phone9 is not null and c.phone9 = $8::text and ${ONE} and ${OTHERS}`),
  email: totalsBy('email', `c.email is not null and lower(c.email) = $9::text and ${ONE} and ${OTHERS}`),
}

/** What the charges that a filter finds come to. */
export function totalsOfCharges(app: App, caller: Caller, filter: ChargeFilter): Promise<Totals> {
  const { status, reference, phone, email } = filter
  const by =
    reference !== null
      ? 'reference'
      : phone !== null
        ? 'phone'
        : email !== null
          ? 'email'
          : status !== null
            ? 'status'
            : 'none'
  const others = [reference, identityIn(phone), email?.toLowerCase() ?? null]
  const filters = by === 'none' ? [] : by === 'status' ? [status] : [status, ...others]
  return readTotals(app, caller, { window: filter, statement: TOTALS_BY[by], filters })
}
