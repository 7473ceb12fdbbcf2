import type { Caller } from '../../api/access/actor.ts'
import { type ListTotals, readTotals, totalsStatement } from '../../api/http/lists/list-totals.ts'
import { parsePhoneFilter } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'
import type { PayoutFilter } from './find-payouts.ts'
import { PAYOUT_STATUSES } from './payout.ts'

const WINDOW = `p.merchant_id = $1 and p.mode = $2 and p.published and p.created_at >= $3 and p.created_at <= $4`
const PAID_CONDITION = "p.status = 'succeeded'"
const OTHER_FILTERS = `($6::text is null or p.status = $6) and ($7::text is null or p.reference = $7)
  and ($8::text is null or right(p.recipient_phone, 9) = $8)`

const totalsBy = (name: string, driver: string) =>
  totalsStatement(`totals of payouts by ${name}`, {
    paid: PAID_CONDITION,
    rows: (columns, condition) => `select ${columns} from payouts p where ${WINDOW} and ${driver} ${condition}`,
  })
const TOTALS_BY = {
  none: totalsStatement('totals of payouts', {
    paid: PAID_CONDITION,
    rows: (columns, condition) =>
      PAYOUT_STATUSES.map(
        (status) => `select ${columns} from payouts p where ${WINDOW} and p.status = '${status}' ${condition}`,
      ).join(' union all '),
  }),
  status: totalsBy('status', 'p.status = $6::text'),
  reference: totalsBy('reference', `p.reference is not null and p.reference = $7::text and ${OTHER_FILTERS}`),
  phone: totalsBy('phone', `right(p.recipient_phone, 9) = $8::text and ${OTHER_FILTERS}`),
}

/** Reads the totals of the payouts that a filter finds. */
export function readPayoutTotals(app: App, caller: Caller, filter: PayoutFilter): Promise<ListTotals> {
  const { status, reference, phone } = filter
  const by = reference !== null ? 'reference' : phone !== null ? 'phone' : status !== null ? 'status' : 'none'
  const filters = by === 'none' ? [] : by === 'status' ? [status] : [status, reference, parsePhoneFilter(phone)]
  return readTotals(app, caller, { window: filter, statement: TOTALS_BY[by], filters })
}
