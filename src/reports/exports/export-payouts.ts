import type { Caller } from '../../api/access/actor.ts'
import { requireRole } from '../../api/access/allow.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import { payoutListQuery } from '../../payments/payouts/find-payouts.ts'
import { type Payout, SHOWN_PAYOUT_FIELDS } from '../../payments/payouts/payout.ts'
import type { PayoutFilter } from '../../payments/payouts/payout-filters.ts'
import type { App } from '../../program/app.ts'
import { type CsvColumn, exportRows, orderColumns } from './export-rows.ts'

const FIRST_COLUMNS = [
  ...['id', 'status', 'kind', 'amount', 'fee', 'total', 'currency', 'channel', 'recipient_phone', 'recipient_name'],
  ...['reference', 'failure_reason', 'charge_id', 'batch_id', 'scheduled_payout_id', 'rail_reference'],
  ...['rail_transaction_id', 'created_at', 'completed_at'],
]
const TOTAL: CsvColumn<Payout> = { name: 'total', cell: ({ amount, fee }) => amount + fee }
const FIELDS = SHOWN_PAYOUT_FIELDS.filter(({ notInFiles }) => !notInFiles).map(({ name, value }) => ({
  name,
  cell: value,
}))
const COLUMNS = orderColumns([TOTAL, ...FIELDS], FIRST_COLUMNS)

/** The payouts that a filter finds, as a CSV file. */
export function exportPayouts(app: App, caller: Caller, filter: PayoutFilter): Promise<DocumentStream> {
  requireRole(caller, 'payouts.read')
  return exportRows(app, caller, { list: 'payouts', columns: COLUMNS, reading: payoutListQuery(filter) })
}
