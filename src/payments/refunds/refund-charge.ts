import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { type AuditAct, auditRows } from '../../api/access/audit-row.ts'
import type { OpenWindows } from '../../api/rate-limits/open-windows.ts'
import { inOpenMonth } from '../../ledger/book.ts'
import { distinctMerchantModes } from '../../ledger/distinct-merchant-modes.ts'
import { listLimitedKeys } from '../../merchants/account/key-limits.ts'
import { addEvents } from '../../merchants/webhooks/events.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { batchByKind } from '../../platform/batches/batch-by-kind.ts'
import { type BatchTurn, type ItemOutcome, itemDone, itemFailed } from '../../platform/batches/batch-run.ts'
import { defineRequestLane } from '../../platform/batches/lane.ts'
import type { Tx } from '../../platform/db/database.ts'
import { CommitUnknown } from '../../platform/db/errors.ts'
import { retryWhileAway } from '../../platform/db/retry-while-away.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { lockCharges } from '../charges/lock-charges.ts'
import { refundCharges } from '../charges/write-charge-status.ts'
import { lockCardsOf, restoreCards } from '../gift-cards/use-card.ts'
import { openDesk } from '../payouts/desk/desk.ts'
import { lockDesk } from '../payouts/desk/lock-desk.ts'
import { checkPayoutReadiness } from '../payouts/payout-readiness.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../payouts/payout-request.ts'
import { acceptRefund, findEarlierRefund, type LockedRefunds, type RefundInput } from './accept-refund.ts'
import { buildRefundedEvent, type RefundResult } from './present-refund.ts'

// How long a refund whose commit was left unknown is retried while the database is away.
const RETRY_WHILE_AWAY_MS = 5000

type RefundRequest = Omit<RefundInput, 'caller' | 'readiness' | 'tried'>
type RefundBatch = Batch<RefundInput, RefundResult>

/**
 * Refunds a succeeded charge in full by a payout to its customer (spec 4.1; contract.md G11d, 3 e): charge, reservation,
 * payout, event and delivery in one commit. What a gift card has paid goes back on the card in that commit; if it has paid
 * all, nothing else happens. Of several calls at once only one succeeds. Throws Refusal with nothing written.
 */
export async function refundCharge(app: App, caller: Caller, refund: RefundRequest): Promise<RefundResult> {
  allow(caller, 'charge.refund')
  const readiness = await checkPayoutReadiness(app, { mode: caller.mode, channel: DEFAULT_PAYOUT_CHANNEL })
  const input: RefundInput = { ...refund, caller, readiness, tried: { refunded: null } }
  const refunded = await refundLane(app)
    .add(input)
    .catch((error) => {
      if (!(error instanceof CommitUnknown)) throw error
      // The charge shows whether that commit happened. A refund has no key under which its caller could repeat it.
      return retryWhileAway(() => refundLane(app).add(input), RETRY_WHILE_AWAY_MS)
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
const refundLane = defineRequestLane('refund charges', 'refunds', (app): RefundBatch => {
  const ofOneMode = () =>
    newBatch<RefundInput, RefundResult>({
      run: (inputs, turn) => inOpenMonth(() => runRefundBatch(app, inputs, turn)),
      keyOf: ({ caller }) => caller.merchantId,
    })
  return batchByKind({ test: ofOneMode(), live: ofOneMode() }, ({ caller }) => caller.mode)
})

async function runRefundBatch(
  app: App,
  inputs: readonly RefundInput[],
  turn: BatchTurn,
): Promise<ItemOutcome<RefundResult>[]> {
  const at = app.clock.now()
  const keys = listOwnCharges(inputs)
  return app.db.transactionFor({ kind: 'out', ...turn }, async (tx) => {
    const locked = await lockDesk(tx, {
      merchantModes: distinctMerchantModes(inputs.map(({ caller }) => caller)),
      at,
      own: [lockCharges(keys), lockCardsOf(keys)],
      window: app.exactWindows.refunds,
    })
    const [lockedCharges, uses] = locked.own
    const charges = new Map(lockedCharges.map((charge) => [charge.id, charge]))
    const earlierRefunds = new Map(
      inputs.map((input) => [input, findEarlierRefund(input, charges.get(input.chargeId))]),
    )
    const unrefunded = inputs.filter((input) => earlierRefunds.get(input) === null)
    const limitedKeys = listLimitedKeys(unrefunded.map(({ caller }) => caller))
    const desk = await openDesk(app, tx, { ...locked, at, limitedKeys })
    const refundable: LockedRefunds = {
      desk,
      charges,
      cardTaken: new Set(uses.filter(({ state }) => state === 'taken').map((use) => use.chargeId)),
      spent: await findSpent(tx, unrefunded),
      limits: app.config,
      at,
    }
    const outcomes = unrefunded.map((input) => tryRefund(input, refundable, locked.windows))
    const outcomeOf = new Map(unrefunded.map((input, index) => [input, outcomes[index] as ItemOutcome<RefundResult>]))
    const refunded = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
    return {
      value: inputs.map((input) => outcomeOf.get(input) ?? itemDone(earlierRefunds.get(input) as RefundResult)),
      last: [
        ...refundCharges(refunded.map(({ charge }) => ({ ...charge, at }))),
        ...restoreCards(
          refunded.map(({ charge }) => charge).filter(({ giftCardAmount }) => giftCardAmount > 0),
          at,
        ),
        ...desk.writes(),
        ...auditRows(listRefundActs(unrefunded, outcomes, at)),
        ...addEvents(
          refunded.map((refunded) => buildRefundedEvent(refunded, desk.termsOf(refunded.charge.merchantId))),
          at,
        ),
        ...locked.windows.writes(),
      ],
    }
  })
}

/** The audit acts of the refunds of a batch that succeeded. */
const listRefundActs = (
  inputs: readonly RefundInput[],
  outcomes: readonly ItemOutcome<RefundResult>[],
  at: Date,
): AuditAct[] =>
  outcomes.flatMap((outcome, index) => {
    const input = inputs[index]
    if (!outcome.ok || input === undefined) return []
    const { charge, payout } = outcome.value
    const act = { actor: input.caller, action: 'charge.refund', at, subject: charge.id } as const
    const { merchantId, mode, giftCardAmount } = charge
    const after = { amount: payout?.amount ?? 0, gift_card: giftCardAmount, payout: payout?.id ?? null }
    return { ...act, merchantId, mode, after }
  })

async function findSpent(tx: Tx, inputs: readonly RefundInput[]): Promise<ReadonlySet<RefundInput>> {
  const asking = inputs.flatMap((input) => (input.unless === undefined ? [] : [{ one: input, call: input.unless }]))
  if (asking.length === 0) return new Set()
  const answers = await tx.send(...asking.map(({ call }) => call))
  return new Set(asking.filter((_, index) => (answers[index] ?? []).length > 0).map(({ one }) => one))
}

function tryRefund(input: RefundInput, locked: LockedRefunds, windows: OpenWindows): ItemOutcome<RefundResult> {
  try {
    windows.check(input.caller)
    const refunded = acceptRefund(input, locked)
    windows.take(input.caller)
    input.tried.refunded = refunded
    return itemDone(refunded)
  } catch (error) {
    return itemFailed(error)
  }
}

/** The keys of the charges to lock, without ids of other merchants. */
const listOwnCharges = (inputs: readonly RefundInput[]) =>
  inputs
    .filter(({ caller, chargeId }) => parseTag('txn_', chargeId) === caller.tag)
    .map(({ caller, chargeId }) => ({ merchantId: caller.merchantId, id: chargeId }))
