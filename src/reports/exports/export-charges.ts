import type { Caller } from '../../api/access/actor.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import { CHARGE_FILE_FIELDS, type Charge } from '../../payments/charges/charge.ts'
import type { ChargeFilter } from '../../payments/charges/charge-filters.ts'
import { chargeListQuery } from '../../payments/charges/find-charges.ts'
import type { App } from '../../program/app.ts'
import { type CsvColumn, exportRows, orderColumns } from './export-rows.ts'

const FIRST_COLUMNS = [
  ...['id', 'status', 'amount', 'gift_card_amount', 'fee', 'net', 'currency', 'channel', 'phone', 'email', 'reference'],
  ...['failure_reason', 'payment_link_id', 'refund_id', 'rail_reference', 'rail_transaction_id', 'created_at'],
  ...['completed_at', 'refunded_at', 'available_on'],
]
const COLUMNS: readonly CsvColumn<Charge>[] = orderColumns(
  CHARGE_FILE_FIELDS.map(({ name, value }) => ({ name, cell: value })),
  FIRST_COLUMNS,
)

/** The charges that a filter finds, as a CSV file. */
export const exportCharges = (app: App, caller: Caller, filter: ChargeFilter): Promise<DocumentStream> =>
  exportRows(app, caller, { list: 'charges', columns: COLUMNS, reading: chargeListQuery(filter) })
