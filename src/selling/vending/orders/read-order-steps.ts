import type { Charge } from '../../../payments/charges/charge.ts'
import { findPayout } from '../../../payments/payouts/find-payouts.ts'
import type { Payout } from '../../../payments/payouts/payout.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import type { ClaimState } from '../dispensing/claim.ts'
import type { MoveSource } from '../dispensing/dispense-move.ts'
import type { VendingOrder } from './order.ts'

/** A step of an order that people can tell: of the order itself, its payment, its machine, or its refund. */
export type OrderStep = { at: Date } & (
  | { kind: 'made' | 'withdrawn' }
  | { kind: 'asked' | 'paid' | 'not_paid' | 'refunded'; charge: Charge }
  | { kind: 'refund_sent' | 'refund_failed'; payout: Payout }
  /** `attempt`: the machine was told so many times, this one included. */
  | { kind: 'commanded'; attempt: number; machine: string }
  /** What the supplier said to the command. */
  | { kind: 'answered'; message: string }
  /** How a command ended. `source`: who said so; null where it is not stored. `assumed`: an acceptance that counts as a delivery. */
  | { kind: 'failed' | 'dispensed' | 'assumed'; source: MoveSource | null; note: string | null }
)

type ClaimSteps = {
  attempt: number
  machine: string
  state: ClaimState
  commandedAt: Date | null
  answeredAt: Date | null
  supplierMessage: string | null
  releasedAt: Date | null
  source: MoveSource | null
  note: string | null
}

// An order has one or two; more would be no page for people.
const MAX_CLAIMS = 20

const CLAIMS_OF_ORDER = statement<ClaimSteps>(
  'dispense claims of an order',
  `select k.attempt, k.machine, k.state, k.commanded_at as "commandedAt", k.answered_at as "answeredAt",
     k.supplier_message as "supplierMessage", k.released_at as "releasedAt", k.outcome_source as source, k.outcome_note as note
   from dispense_claims k where k.merchant_id = $1 and k.order_id = $2 and k.kind = 'order' order by k.attempt desc limit ${MAX_CLAIMS}`,
)

/** Reads the steps of an order; of those at one moment the cause comes first. `charge`: the one that is attached to it. */
export async function readOrderSteps(app: App, order: VendingOrder, charge: Charge | null): Promise<OrderStep[]> {
  const { merchantId, id, createdAt, invalidatedAt } = order
  const [claims, refund] = await Promise.all([
    app.db.query(CLAIMS_OF_ORDER, [merchantId, id]),
    charge?.refundId == null ? null : findPayout(app, merchantId, charge.refundId),
  ])
  return [
    { at: createdAt, kind: 'made' },
    ...step(invalidatedAt, { kind: 'withdrawn' }),
    ...(charge === null ? [] : listPaymentSteps(charge)),
    ...claims.toReversed().flatMap((claim) => listClaimSteps(order, claim)),
    ...(charge === null ? [] : step(charge.refundedAt, { kind: 'refunded', charge })),
    ...(refund === null ? [] : listRefundSteps(refund)),
  ]
}

type StepFacts<Step = OrderStep> = Step extends OrderStep ? Omit<Step, 'at'> : never
const step = (at: Date | null, facts: StepFacts): OrderStep[] => (at === null ? [] : [{ at, ...facts }])

const listPaymentSteps = (charge: Charge): OrderStep[] => [
  // A gift card that covers all is not asked about by phone.
  ...(charge.phone === null ? [] : step(charge.createdAt, { kind: 'asked', charge })),
  ...step(charge.completedAt, { kind: charge.failureReason === null ? 'paid' : 'not_paid', charge }),
]

function listClaimSteps(order: VendingOrder, claim: ClaimSteps): OrderStep[] {
  const { attempt, machine, commandedAt, answeredAt, supplierMessage: message, releasedAt, source } = claim
  const isNewest = attempt === order.attempts
  // Claims that ended before outcomes were stored have no note of their own.
  const note = claim.note ?? (isNewest ? order.vendingError : null)
  const delivered = order.confirmed || claim.state === 'delivered' ? 'dispensed' : 'assumed'
  return [
    ...step(commandedAt, { kind: 'commanded', attempt, machine }),
    ...(message === null ? [] : step(answeredAt, { kind: 'answered', message })),
    ...step(releasedAt, { kind: 'failed', source, note }),
    ...(isNewest && order.vendingStatus === 'dispensed'
      ? step(order.dispensedAt, { kind: delivered, source, note })
      : []),
  ]
}

function listRefundSteps(payout: Payout): OrderStep[] {
  const { status, completedAt } = payout
  return step(completedAt, { kind: status === 'succeeded' ? 'refund_sent' : 'refund_failed', payout })
}
