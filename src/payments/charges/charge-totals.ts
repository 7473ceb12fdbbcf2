import type { Caller } from '../../api/access/actor.ts'
import { type ListTotals, readTotals, totalsStatement } from '../../api/http/lists/list-totals.ts'
import { parsePhoneFilter } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'
import { detailScans, FINISHED_CHARGES, isOpenStatus, OPEN_CHARGES, STATUS_SCANS } from './charge-indexes.ts'
import type { ChargeFilter } from './find-charges.ts'

const WINDOW = `c.merchant_id = $1 and c.mode = $2 and c.published and c.created_at >= $3 and c.created_at <= $4`
const PAID_CONDITION = "c.status in ('succeeded', 'refunded')"
// A statement names only the filters that it needs: with more of them its index would not cover all columns.
const STATUS_FILTER = '($6::text is null or c.status = $6)'
const OTHER_FILTERS = `($7::text is null or c.reference = $7) and ($8::text is null or c.phone9 = $8)
  and ($9::text is null or lower(c.email) = $9)`

const totalsAcross = (name: string, scans: readonly string[], driver = 'true') =>
  totalsStatement(name, {
    paid: PAID_CONDITION,
    rows: (columns, condition) =>
      scans
        .map((scan) => `select ${columns} from charges c where ${WINDOW} and ${scan} and ${driver} ${condition}`)
        .join(' union all '),
  })
const totalsByDetail = (name: string, driver: string) =>
  totalsAcross(
    `totals of charges by ${name}`,
    detailScans('$2::mode'),
    `${driver} and ${STATUS_FILTER} and ${OTHER_FILTERS}`,
  )
const TOTALS_BY = {
  none: totalsAcross('totals of charges', STATUS_SCANS),
  openStatus: totalsAcross('totals of charges by open status', [OPEN_CHARGES], 'c.status = $6::text'),
  endedStatus: totalsAcross('totals of charges by status', [FINISHED_CHARGES], 'c.status = $6::text'),
  reference: totalsByDetail('reference', 'c.reference is not null and c.reference = $7::text'),
  phone: totalsByDetail('phone', 'c.phone9 is not null and c.phone9 = $8::text'),
  email: totalsByDetail('email', 'c.email is not null and lower(c.email) = $9::text'),
}

/** Reads the totals of the charges that a filter finds. */
export function readChargeTotals(app: App, caller: Caller, filter: ChargeFilter): Promise<ListTotals> {
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
  const others = [reference, parsePhoneFilter(phone), email?.toLowerCase() ?? null]
  const filters = by === 'none' ? [] : by === 'openStatus' || by === 'endedStatus' ? [status] : [status, ...others]
  return readTotals(app, caller, { window: filter, statement: TOTALS_BY[by], filters })
}
