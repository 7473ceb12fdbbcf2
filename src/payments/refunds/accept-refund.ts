import type { Caller } from '../../api/access/actor.ts'
import type { Metadata } from '../../api/http/bodies/metadata.ts'
import { findLimitedKey } from '../../merchants/account/key-limits.ts'
import type { Call } from '../../platform/db/database.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { RailLimits } from '../../rails/rail-amounts.ts'
import type { Charge } from '../charges/charge.ts'
import type { Desk } from '../payouts/desk/desk.ts'
import type { NewPayout } from '../payouts/new-payout.ts'
import type { PayoutReadiness } from '../payouts/payout-readiness.ts'
import type { RefundResult } from './present-refund.ts'
import {
  chargeIsSpent,
  judgeCashier,
  judgeRefund,
  paidByPhone,
  type RefundWay,
  refundRailAway,
} from './refund-rules.ts'

/** One refund of a batch. */
export type RefundInput = {
  chargeId: string
  /** The amount that the caller expects; any other than that of the charge is refused. */
  amount?: number | undefined
  /** What the caller keeps with the payout; absent or null: nothing. */
  metadata?: Metadata | null
  /** Sent after the charge was locked. If it returns a row, the charge was used otherwise (409). */
  unless?: Call<unknown>
  /** Refuses the refund unless a gift card has paid all, so that no money moves. */
  onlyToCard?: boolean
  caller: Caller
  readiness: PayoutReadiness
  /** The refund that an earlier try of this call has written, if its commit happened: the answer to that commit was lost. */
  tried: { refunded: RefundResult | null }
}

/** The rows that the transaction of a batch of refunds has locked. */
export type LockedRefunds = {
  desk: Desk
  charges: Map<string, Charge>
  /** Charges with a spent use of a gift card. */
  cardTaken: ReadonlySet<string>
  /** Refunds whose charge was used otherwise in the meantime. */
  spent: ReadonlySet<RefundInput>
  limits: RailLimits
  at: Date
}

/** Checks a refund, reserves its payout and sets the charge in `locked` to refunded for the next refund of the batch. Throws Refusal. */
export function acceptRefund(input: RefundInput, locked: LockedRefunds): RefundResult {
  const { caller, chargeId, amount } = input
  const { desk, charges, at } = locked
  const terms = desk.termsOf(caller.merchantId)
  const lockedCharge = parseTag('txn_', chargeId) === caller.tag ? charges.get(chargeId) : undefined
  const cardTaken = locked.cardTaken.has(chargeId)
  const { charge, way } = judgeRefund(lockedCharge, {
    terms,
    mode: caller.mode,
    amount,
    cardTaken,
    limits: locked.limits,
  })
  if (caller.kind === 'person') judgeCashier(caller, charge.amount)
  if (locked.spent.has(input)) throw chargeIsSpent()
  if (input.onlyToCard && way.kind !== 'card') throw paidByPhone()
  const payout = way.kind === 'card' ? null : acceptRefundPayout(input, { charge, way }, locked)
  const refunded = { ...charge, status: 'refunded' as const, refundId: payout?.id ?? null, refundedAt: at }
  charges.set(charge.id, refunded)
  return { charge: refunded, payout }
}

/**
 * Returns the refund of an earlier try of this call if the locked charge shows that its commit happened; null otherwise. Without this the
 * caller would be refused because of its own refund.
 */
export function findEarlierRefund(
  { tried: { refunded } }: RefundInput,
  charge: Charge | undefined,
): RefundResult | null {
  if (refunded === null || charge?.status !== 'refunded') return null
  const { refundId, refundedAt } = refunded.charge
  const isOwn = charge.refundId === refundId && charge.refundedAt?.getTime() === refundedAt?.getTime()
  return isOwn ? refunded : null
}

type RefundByPayout = { charge: Charge; way: Extract<RefundWay, { kind: 'payout' }> }

function acceptRefundPayout(
  { caller, readiness, metadata = null }: RefundInput,
  { charge, way }: RefundByPayout,
  { desk, at }: LockedRefunds,
): NewPayout {
  const facts = {
    origin: { kind: 'refund' as const, chargeId: charge.id, feeToReturn: charge.fee },
    amount: way.amount,
    channel: charge.channel,
    phone: way.phone,
    name: null,
    reference: charge.reference,
    metadata,
    limitedKey: findLimitedKey(caller),
    at,
  }
  return desk.accept(caller, facts, { readiness, away: refundRailAway })
}
