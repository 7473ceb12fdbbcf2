import type { Caller } from '../actors/actor.ts'
import type { App } from '../app.ts'
import { readTotals, type Totals, totalsStatement } from '../http/list-totals.ts'
import { identityIn } from '../platform/phone.ts'
import type { ChargeFilter } from './find-charges.ts'
import { BY_STATUS, byDetail, ENDED, isOpenStatus, OPEN } from './where-charges-are.ts'

const WINDOW = `c.merchant_id = $1 and c.mode = $2 and c.published and c.created_at >= $3 and c.created_at <= $4`
const PAID = "c.status in ('succeeded', 'refunded')"
// A statement names only the filters that it needs: with more of them its index would not cover all columns.
const ONE = '($6::text is null or c.status = $6)'
const OTHERS = `($7::text is null or c.reference = $7) and ($8::text is null or c.phone9 = $8)
  and ($9::text is null or lower(c.email) = $9)`

const totalsIn = (name: string, scans: readonly string[], driver = 'true') =>
  totalsStatement(name, {
    paid: PAID,
    rows: (columns, condition) =>
      scans
        .map(
          (scan) => `select ${columns} from charges c where ${WINDOW} and ${scan} and ${driver} ${condition}`,
        )
        .join(' union all '),
  })
const totalsByDetail = (name: string, driver: string) =>
  totalsIn(`totals of charges by ${name}`, byDetail('$2::mode'), `${driver} and ${ONE} and ${OTHERS}`)
const TOTALS_BY = {
  none: totalsIn('totals of charges', BY_STATUS),
  openStatus: totalsIn('totals of charges by open status', [OPEN], 'c.status = $6::text'),
  endedStatus: totalsIn('totals of charges by status', [ENDED], 'c.status = $6::text'),
  reference: totalsByDetail('reference', 'c.reference is not null and c.reference = $7::text'),
  phone: totalsByDetail('phone', 'c.phone9 is not null and c.phone9 = $8::text'),
  email: totalsByDetail('email', 'c.email is not null and lower(c.email) = $9::text'),
}

/** Reads the totals of the charges that a filter finds. */
export function totalsOfCharges(app: App, caller: Caller, filter: ChargeFilter): Promise<Totals> {
  const { status, reference, phone, email } = filter
  const by =
    reference !== null
      ? 'reference'
      : phone !== null
        ? 'phone'
        : email !== null
          ? 'email'
          : status === null
            ? 'none'
            : isOpenStatus(status)
              ? 'openStatus'
              : 'endedStatus'
  const others = [reference, identityIn(phone), email?.toLowerCase() ?? null]
  const filters =
    by === 'none' ? [] : by === 'openStatus' || by === 'endedStatus' ? [status] : [status, ...others]
  return readTotals(app, caller, { window: filter, statement: TOTALS_BY[by], filters })
}
