import type { Caller } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { type Act, auditRows } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { lockCharges } from '../charges/lock-charges.ts'
import { refundCharges } from '../charges/write-charge-status.ts'
import { lockCardsOf, restoreCards } from '../gift-cards/use-card.ts'
import { inOpenMonth } from '../ledger/book.ts'
import { distinctHeads } from '../ledger/head-places.ts'
import { openDesk } from '../payouts/desk/desk.ts'
import { lockDesk } from '../payouts/desk/lock-desk.ts'
import { payoutReadiness } from '../payouts/payout-readiness.ts'
import { type Batch, batch } from '../platform/batch.ts'
import { batchByKind } from '../platform/batch-by-kind.ts'
import { done, failed, type Outcome, type RunTurn } from '../platform/batch-run.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Tx } from '../platform/db/database.ts'
import { CommitUnknown } from '../platform/db/errors.ts'
import { againWhileAway } from '../platform/db/while-away.ts'
import { tagOf } from '../platform/ids.ts'
import { defineRequestLane } from '../platform/lane.ts'
import type { OpenWindows } from '../rate-limits/open-windows.ts'
import { addEvents } from '../webhooks/events.ts'
import { acceptRefund, type Refundable, refundedBefore, type WantedRefund } from './accept-refund.ts'
import { happeningOf, type Refunded } from './present-refund.ts'

// How long a refund whose commit was left unknown is retried while the database is away.
const LOOKED_FOR_MS = 5000

type Refund = Omit<WantedRefund, 'caller' | 'readiness' | 'tried'>
type Refunds = Batch<WantedRefund, Refunded>

/**
 * Refunds a succeeded charge in full by a payout to its customer (spec 4.1; contract.md G11d, 3 e): charge, reservation,
 * payout, event and delivery in one commit. What a gift card has paid goes back on the card in that commit; if it has paid
 * all, nothing else happens. Of several calls at once only one succeeds. Throws Refusal with nothing written.
 */
export async function refundCharge(app: App, caller: Caller, refund: Refund): Promise<Refunded> {
  allow(caller, 'charge.refund')
  const readiness = await payoutReadiness(app, { mode: caller.mode, channel: 'op1_momo' })
  const input: WantedRefund = { ...refund, caller, readiness, tried: { refunded: null } }
  const refunded = await refunds(app)
    .add(input)
    .catch((error) => {
      if (!(error instanceof CommitUnknown)) throw error
      // The charge shows whether that commit happened. A refund has no key under which its caller could repeat it.
      return againWhileAway(() => refunds(app).add(input), LOOKED_FOR_MS)
    })
  crashPoint('refund.committed')
  app.nudge('send-deliveries')
  if (refunded.payout !== null) app.nudge('send-payouts')
  return refunded
}

/**
 * The batch that refunds: one transaction for everything that arrived while the previous one was running, each mode
 * separately.
 */
const refunds = defineRequestLane('refund charges', 'refunds', (app): Refunds => {
  const ofOneMode = () =>
    batch<WantedRefund, Refunded>({
      run: (inputs, turn) => inOpenMonth(() => refundTogether(app, inputs, turn)),
      laneOf: ({ caller }) => caller.merchantId,
    })
  return batchByKind({ test: ofOneMode(), live: ofOneMode() }, ({ caller }) => caller.mode)
})

async function refundTogether(
  app: App,
  inputs: readonly WantedRefund[],
  turn: RunTurn,
): Promise<Outcome<Refunded>[]> {
  const at = app.clock.now()
  const keys = ownCharges(inputs)
  return app.db.transactionFor({ kind: 'out', ...turn }, async (tx) => {
    const locked = await lockDesk(tx, {
      places: distinctHeads(inputs.map(({ caller }) => caller)),
      at,
      own: [lockCharges(keys), lockCardsOf(keys)],
      window: app.exactWindows.refunds,
    })
    const [lockedCharges, uses] = locked.own
    const charges = new Map(lockedCharges.map((charge) => [charge.id, charge]))
    const earlierRefunds = new Map(
      inputs.map((input) => [input, refundedBefore(input, charges.get(input.chargeId))]),
    )
    const unrefunded = inputs.filter((input) => earlierRefunds.get(input) === null)
    const desk = await openDesk(app, tx, { ...locked, at })
    const refundable: Refundable = {
      desk,
      charges,
      cardTaken: new Set(uses.filter(({ state }) => state === 'taken').map((use) => use.chargeId)),
      spent: await spentMeanwhile(tx, unrefunded),
      limits: app.config,
      at,
    }
    const outcomes = unrefunded.map((input) => refundOne(input, refundable, locked.windows))
    const outcomeOf = new Map(unrefunded.map((input, index) => [input, outcomes[index] as Outcome<Refunded>]))
    const refunded = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
    return {
      value: inputs.map((input) => outcomeOf.get(input) ?? done(earlierRefunds.get(input) as Refunded)),
      last: [
        ...refundCharges(refunded.map(({ charge }) => ({ ...charge, at }))),
        ...restoreCards(
          refunded.map(({ charge }) => charge).filter(({ giftCardAmount }) => giftCardAmount > 0),
          at,
        ),
        ...desk.writes(),
        ...auditRows(actsOf(unrefunded, outcomes, at)),
        ...addEvents(
          refunded.map((refunded) => happeningOf(refunded, desk.termsOf(refunded.charge.merchantId))),
          at,
        ),
        ...locked.windows.writes(),
      ],
    }
  })
}

/** The audit acts of the refunds of a batch that succeeded. */
const actsOf = (inputs: readonly WantedRefund[], outcomes: readonly Outcome<Refunded>[], at: Date): Act[] =>
  outcomes.flatMap((outcome, index) => {
    const input = inputs[index]
    if (!outcome.ok || input === undefined) return []
    const { charge, payout } = outcome.value
    const act = { actor: input.caller, action: 'charge.refund', at, subject: charge.id } as const
    const { merchantId, mode, giftCardAmount } = charge
    const after = { amount: payout?.amount ?? 0, gift_card: giftCardAmount, payout: payout?.id ?? null }
    return { ...act, merchantId, mode, after }
  })

async function spentMeanwhile(tx: Tx, inputs: readonly WantedRefund[]): Promise<ReadonlySet<WantedRefund>> {
  const asking = inputs.flatMap((input) =>
    input.unless === undefined ? [] : [{ one: input, call: input.unless }],
  )
  if (asking.length === 0) return new Set()
  const answers = await tx.send(...asking.map(({ call }) => call))
  return new Set(asking.filter((_, index) => (answers[index] ?? []).length > 0).map(({ one }) => one))
}

function refundOne(input: WantedRefund, locked: Refundable, windows: OpenWindows): Outcome<Refunded> {
  try {
    windows.check(input.caller)
    const refunded = acceptRefund(input, locked)
    windows.take(input.caller)
    input.tried.refunded = refunded
    return done(refunded)
  } catch (error) {
    return failed(error)
  }
}

/** The keys of the charges to lock, without ids of other merchants. */
const ownCharges = (inputs: readonly WantedRefund[]) =>
  inputs
    .filter(({ caller, chargeId }) => tagOf('txn_', chargeId) === caller.tag)
    .map(({ caller, chargeId }) => ({ merchantId: caller.merchantId, id: chargeId }))
