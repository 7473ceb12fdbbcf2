import type { Caller } from '../../api/access/actor.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import { availableOn, type Charge, computeNet } from '../../payments/charges/charge.ts'
import type { ChargeFilter } from '../../payments/charges/charge-filters.ts'
import { chargeListQuery } from '../../payments/charges/find-charges.ts'
import type { App } from '../../program/app.ts'
import { type CsvColumn, exportRows } from './export-rows.ts'

const COLUMNS: readonly CsvColumn<Charge>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'status', cell: ({ status }) => status },
  { name: 'amount', cell: ({ amount }) => amount },
  { name: 'gift_card_amount', cell: ({ giftCardAmount }) => giftCardAmount },
  { name: 'fee', cell: ({ fee }) => fee },
  { name: 'net', cell: computeNet },
  { name: 'currency', cell: () => 'UGX' },
  { name: 'channel', cell: ({ channel }) => channel },
  { name: 'phone', cell: ({ phone }) => phone },
  { name: 'email', cell: ({ email }) => email },
  { name: 'reference', cell: ({ reference }) => reference },
  { name: 'failure_reason', cell: ({ failureReason }) => failureReason },
  { name: 'payment_link_id', cell: ({ paymentLinkId }) => paymentLinkId },
  { name: 'refund_id', cell: ({ refundId }) => refundId },
  { name: 'rail_reference', cell: ({ railReference }) => railReference },
  { name: 'rail_transaction_id', cell: ({ railTransactionId }) => railTransactionId },
  { name: 'created_at', cell: ({ createdAt }) => createdAt },
  { name: 'completed_at', cell: ({ completedAt }) => completedAt },
  { name: 'refunded_at', cell: ({ refundedAt }) => refundedAt },
  { name: 'available_on', cell: availableOn },
]

/** The charges that a filter finds, as a CSV file. */
export const exportCharges = (app: App, caller: Caller, filter: ChargeFilter): Promise<DocumentStream> =>
  exportRows(app, caller, { list: 'charges', columns: COLUMNS, reading: chargeListQuery(filter) })
