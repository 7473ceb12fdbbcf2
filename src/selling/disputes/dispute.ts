import { inKeyOrder } from '../../merchants/webhooks/events.ts'
import type { Charge } from '../../payments/charges/charge.ts'
import { chargeEventData } from '../../payments/charges/charge-event.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import type { CustomerReport, ReportReason } from './report.ts'

/** A row of `disputes`: what a customer reported about a charge. Moves no money. Times are UTC. */
export type Dispute = {
  merchantId: number
  id: string
  mode: Mode
  chargeId: string
  reason: ReportReason
  /** Raw input of the customer, like `contact`. */
  details: string | null
  contact: string | null
  openedAt: Date
  respondBy: Date
  /** When its event may be sent, if the merchant got many on one day; null: at once. */
  tellAt: Date | null
  /** When the shop answered last. */
  answeredAt: Date | null
  closedAt: Date | null
}

/** `open`: waits for the shop's answer. `answered`: has one. `closed`: settled. */
export const DISPUTE_STATES = ['open', 'answered', 'closed'] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]

export const stateOfDispute = ({ closedAt, answeredAt }: Dispute): DisputeState =>
  closedAt !== null ? 'closed' : answeredAt !== null ? 'answered' : 'open'

export const DISPUTE_COLUMNS = `d.merchant_id as "merchantId", d.id, d.mode, d.charge_id as "chargeId", d.reason, d.details,
  d.contact, d.opened_at as "openedAt", d.respond_by as "respondBy", d.tell_at as "tellAt",
  (select max(a.said_at) from dispute_answers a where a.merchant_id = d.merchant_id and a.dispute_id = d.id) as "answeredAt", d.closed_at as "closedAt"`

/** Locks a report while it is answered or closed. */
export const LOCK_DISPUTE = statement<Dispute>(
  'lock dispute',
  `select ${DISPUTE_COLUMNS} from disputes d where d.merchant_id = $1 and d.id = $2 for no key update`,
)

// The merchant is asked to answer within 72 hours (spec 6).
const RESPONSE_TIME_MS = 72 * 3_600_000

export const newDispute = (
  charge: Charge,
  report: CustomerReport,
  { id, at, tellAt }: { id: string; at: Date; tellAt: Date | null },
): Dispute => ({
  merchantId: charge.merchantId,
  id,
  mode: charge.mode,
  chargeId: charge.id,
  ...report,
  openedAt: at,
  respondBy: new Date(at.getTime() + RESPONSE_TIME_MS),
  tellAt,
  answeredAt: null,
  closedAt: null,
})

/** The data of dispute.opened (contract.md section 5), keys in the order of canonical JSON. */
export function disputeEventData(dispute: Dispute, charge: Charge): Record<string, unknown> {
  const data = {
    ...chargeEventData(charge),
    charge_id: charge.id,
    contact: dispute.contact,
    details: dispute.details,
    dispute_id: dispute.id,
    opened_at: dispute.openedAt.toISOString(),
    reason: dispute.reason,
    respond_by: dispute.respondBy.toISOString(),
  }
  return inKeyOrder(data)
}
