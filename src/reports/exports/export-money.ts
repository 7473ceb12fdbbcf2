import type { Caller } from '../../api/access/actor.ts'
import { requireRole } from '../../api/access/allow.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import type { ListWindow } from '../../api/http/lists/lists.ts'
import { CHARGE_FILE_FIELDS, type Charge } from '../../payments/charges/charge.ts'
import type { ChargeFilter } from '../../payments/charges/charge-filters.ts'
import { chargeListQuery } from '../../payments/charges/find-charges.ts'
import { payoutListQuery } from '../../payments/payouts/find-payouts.ts'
import { type Payout, SHOWN_PAYOUT_FIELDS } from '../../payments/payouts/payout.ts'
import type { PayoutFilter } from '../../payments/payouts/payout-filters.ts'
import type { App } from '../../program/app.ts'
import { type SettlementRow, settlementReading } from '../settlements.ts'
import {
  CHARGE_COLUMNS_FOR_PEOPLE,
  PAYOUT_COLUMNS_FOR_PEOPLE,
  SETTLEMENT_COLUMNS_FOR_PEOPLE,
} from './columns-for-people.ts'
import { type CsvColumn, type ExportRequest, exportRows, orderColumns } from './export-rows.ts'

const FIRST_CHARGE_COLUMNS = [
  ...['id', 'status', 'amount', 'gift_card_amount', 'fee', 'net', 'currency', 'channel', 'phone', 'email', 'reference'],
  ...['failure_reason', 'payment_link_id', 'refund_id', 'rail_reference', 'rail_transaction_id', 'created_at'],
  ...['completed_at', 'refunded_at', 'available_on'],
]
const CHARGE_COLUMNS: readonly CsvColumn<Charge>[] = orderColumns(CHARGE_FILE_FIELDS, FIRST_CHARGE_COLUMNS)

/** The charges that a filter finds, as a CSV file. */
export const exportCharges = (
  app: App,
  caller: Caller,
  { filter, reader }: ExportRequest<ChargeFilter>,
): Promise<DocumentStream> =>
  exportRows(app, caller, {
    list: 'charges',
    columns: reader === 'people' ? CHARGE_COLUMNS_FOR_PEOPLE : CHARGE_COLUMNS,
    reading: chargeListQuery(filter),
  })

const FIRST_PAYOUT_COLUMNS = [
  ...['id', 'status', 'kind', 'amount', 'fee', 'total', 'currency', 'channel', 'recipient_phone', 'recipient_name'],
  ...['reference', 'failure_reason', 'charge_id', 'batch_id', 'scheduled_payout_id', 'rail_reference'],
  ...['rail_transaction_id', 'created_at', 'completed_at'],
]
const PAYOUT_TOTAL: CsvColumn<Payout> = { name: 'total', cell: ({ amount, fee }) => amount + fee }
const PAYOUT_FIELDS = SHOWN_PAYOUT_FIELDS.filter(({ notInFiles }) => !notInFiles).map(({ name, cell }) => ({
  name,
  cell,
}))
const PAYOUT_COLUMNS = orderColumns([PAYOUT_TOTAL, ...PAYOUT_FIELDS], FIRST_PAYOUT_COLUMNS)

/** The payouts that a filter finds, as a CSV file. */
export function exportPayouts(
  app: App,
  caller: Caller,
  { filter, reader }: ExportRequest<PayoutFilter>,
): Promise<DocumentStream> {
  requireRole(caller, 'payouts.read')
  return exportRows(app, caller, {
    list: 'payouts',
    columns: reader === 'people' ? PAYOUT_COLUMNS_FOR_PEOPLE : PAYOUT_COLUMNS,
    reading: payoutListQuery(filter),
  })
}

const SETTLEMENT_COLUMNS: readonly CsvColumn<SettlementRow>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'amount', cell: ({ amount }) => amount },
  { name: 'currency', cell: () => 'UGX' },
  { name: 'charge_count', cell: ({ chargeCount }) => chargeCount },
  { name: 'kind', cell: ({ kind }) => kind },
  { name: 'subaccount', cell: ({ subaccountId }) => subaccountId },
  { name: 'created_at', cell: ({ createdAt }) => createdAt },
]

/** The settlements of a period, as a CSV file. */
export function exportSettlements(
  app: App,
  caller: Caller,
  { filter, reader }: ExportRequest<ListWindow>,
): Promise<DocumentStream> {
  requireRole(caller, 'payouts.read')
  return exportRows(app, caller, {
    list: 'settlements',
    columns: reader === 'people' ? SETTLEMENT_COLUMNS_FOR_PEOPLE : SETTLEMENT_COLUMNS,
    reading: settlementReading(filter),
  })
}
