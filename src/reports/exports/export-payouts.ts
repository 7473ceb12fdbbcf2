import type { Caller } from '../../api/access/actor.ts'
import { requireRole } from '../../api/access/allow.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import { payoutListQuery } from '../../payments/payouts/find-payouts.ts'
import type { Payout } from '../../payments/payouts/payout.ts'
import type { PayoutFilter } from '../../payments/payouts/payout-filters.ts'
import type { App } from '../../program/app.ts'
import { type CsvColumn, exportRows } from './export-rows.ts'

const COLUMNS: readonly CsvColumn<Payout>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'status', cell: ({ status }) => status },
  { name: 'kind', cell: ({ kind }) => kind },
  { name: 'amount', cell: ({ amount }) => amount },
  { name: 'fee', cell: ({ fee }) => fee },
  { name: 'total', cell: ({ amount, fee }) => amount + fee },
  { name: 'currency', cell: () => 'UGX' },
  { name: 'channel', cell: ({ channel }) => channel },
  { name: 'recipient_phone', cell: ({ recipientPhone }) => recipientPhone },
  { name: 'recipient_name', cell: ({ recipientName }) => recipientName },
  { name: 'reference', cell: ({ reference }) => reference },
  { name: 'failure_reason', cell: ({ failureReason }) => failureReason },
  { name: 'charge_id', cell: ({ chargeId }) => chargeId },
  { name: 'batch_id', cell: ({ batchId }) => batchId },
  { name: 'scheduled_payout_id', cell: ({ scheduleId }) => scheduleId },
  { name: 'rail_reference', cell: ({ railReference }) => railReference },
  { name: 'rail_transaction_id', cell: ({ railTransactionId }) => railTransactionId },
  { name: 'created_at', cell: ({ createdAt }) => createdAt },
  { name: 'completed_at', cell: ({ completedAt }) => completedAt },
]

/** The payouts that a filter finds, as a CSV file. */
export function exportPayouts(app: App, caller: Caller, filter: PayoutFilter): Promise<DocumentStream> {
  requireRole(caller, 'payouts.read')
  return exportRows(app, caller, { list: 'payouts', columns: COLUMNS, reading: payoutListQuery(filter) })
}
