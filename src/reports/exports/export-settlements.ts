import type { Caller } from '../../api/access/actor.ts'
import { requireRole } from '../../api/access/allow.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import type { ListWindow } from '../../api/http/lists/lists.ts'
import type { App } from '../../program/app.ts'
import { type SettlementRow, settlementReading } from '../settlements.ts'
import { type CsvColumn, exportRows } from './export-rows.ts'

const COLUMNS: readonly CsvColumn<SettlementRow>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'amount', cell: ({ amount }) => amount },
  { name: 'currency', cell: () => 'UGX' },
  { name: 'charge_count', cell: ({ chargeCount }) => chargeCount },
  { name: 'kind', cell: ({ kind }) => kind },
  { name: 'subaccount', cell: ({ subaccountId }) => subaccountId },
  { name: 'created_at', cell: ({ createdAt }) => createdAt },
]

/** The settlements of a period, as a CSV file. */
export function exportSettlements(app: App, caller: Caller, window: ListWindow): Promise<DocumentStream> {
  requireRole(caller, 'payouts.read')
  return exportRows(app, caller, {
    list: 'settlements',
    columns: COLUMNS,
    reading: settlementReading(window),
  })
}
