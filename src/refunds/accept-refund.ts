import type { Caller } from '../actors/actor.ts'
import type { Charge } from '../charges/charge.ts'
import type { Desk } from '../payouts/desk/desk.ts'
import type { NewPayout } from '../payouts/new-payout.ts'
import type { PayoutReadiness } from '../payouts/payout-readiness.ts'
import type { Call } from '../platform/db/database.ts'
import { tagOf } from '../platform/ids.ts'
import type { RailLimits } from '../rails/rail-amounts.ts'
import type { Refunded } from './present-refund.ts'
import {
  chargeIsSpent,
  judgeCashier,
  judgeRefund,
  paidByPhone,
  type RefundWay,
  refundRailAway,
} from './refund-rules.ts'

export type WantedRefund = {
  chargeId: string
  /** What whoever asks believes that is refunded; another amount than that of the charge is refused. */
  amount?: number | undefined
  /** Sent after the charge was locked. If it answers with a row, the charge was used otherwise (409). */
  unless?: Call<unknown>
  /** Refuse unless a gift card has paid all, so that no money moves. */
  onlyToCard?: boolean
  caller: Caller
  readiness: PayoutReadiness
  /** What an earlier try of this call has written, if its commit happened: the answer to that commit was lost. */
  tried: { refunded: Refunded | null }
}

/** What the transaction of some refunds has locked. */
export type Refundable = {
  desk: Desk
  charges: Map<string, Charge>
  /** Charges with a spent use of a gift card. */
  cardTaken: ReadonlySet<string>
  /** Refunds whose charge was used otherwise in the meantime. */
  spent: ReadonlySet<WantedRefund>
  limits: RailLimits
  at: Date
}

/** Checks and reserves, and remembers the charge, so that the next refund of the batch finds it refunded. Throws Refusal. */
export function acceptRefund(wanted: WantedRefund, refundable: Refundable): Refunded {
  const { caller, chargeId, amount } = wanted
  const { desk, charges, at } = refundable
  const terms = desk.termsOf(caller.merchantId)
  const found = tagOf('txn_', chargeId) === caller.tag ? charges.get(chargeId) : undefined
  const cardTaken = refundable.cardTaken.has(chargeId)
  const { charge, way } = judgeRefund(found, {
    terms,
    mode: caller.mode,
    amount,
    cardTaken,
    limits: refundable.limits,
  })
  if (caller.kind === 'person') judgeCashier(caller, charge.amount)
  if (refundable.spent.has(wanted)) throw chargeIsSpent()
  if (wanted.onlyToCard && way.kind !== 'card') throw paidByPhone()
  const payout = way.kind === 'card' ? null : acceptPayout(wanted, { charge, way }, refundable)
  const refunded = { ...charge, status: 'refunded' as const, refundId: payout?.id ?? null, refundedAt: at }
  charges.set(charge.id, refunded)
  return { charge: refunded, payout }
}

/**
 * What an earlier try of this very call has done after all, by the locked charge; null where it did nothing. Otherwise whoever
 * asked would hear that somebody else was faster.
 */
export function refundedBefore(
  { tried: { refunded } }: WantedRefund,
  found: Charge | undefined,
): Refunded | null {
  if (refunded === null || found?.status !== 'refunded') return null
  const { refundId, refundedAt } = refunded.charge
  const isOwn = found.refundId === refundId && found.refundedAt?.getTime() === refundedAt?.getTime()
  return isOwn ? refunded : null
}

type Owed = { charge: Charge; way: Extract<RefundWay, { kind: 'payout' }> }

function acceptPayout(
  { caller, readiness }: WantedRefund,
  { charge, way }: Owed,
  { desk, at }: Refundable,
): NewPayout {
  const facts = {
    origin: { kind: 'refund' as const, chargeId: charge.id, feeToReturn: charge.fee },
    amount: way.amount,
    channel: charge.channel,
    phone: way.phone,
    name: null,
    reference: charge.reference,
    at,
  }
  return desk.accept(caller, facts, { readiness, away: refundRailAway })
}
