import { type LedgerHead, lockHeads, openBook } from '../../ledger/book.ts'
import { distinctMerchantModes } from '../../ledger/distinct-merchant-modes.ts'
import { getTerms } from '../../merchants/account/known-terms.ts'
import { holdDeliveries } from '../../merchants/webhooks/own-deliveries.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { defineLane } from '../../platform/batches/lane.ts'
import type { Tx } from '../../platform/db/database.ts'
import { recordTime } from '../../platform/log/measures.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import { completeMoves, finishBatch, sortInLockOrder } from '../../rails/finishing/finish-moves.ts'
import type {
  Finisher,
  FinishResult,
  HeldForCommit,
  Move,
  MovementOutcome,
  MoveResult,
  MovesAt,
  Wake,
} from '../../rails/finishing/move.ts'
import type { ChargeFailure } from '../../rails/rail.ts'
import { openContradiction } from '../exceptions/exception.ts'
import type { Charge } from './charge.ts'
import { buildChargeOutcomeRow } from './charge-outcome-row.ts'
import { collectCardOutcomes, finishCards, hasCard } from './finish-cards.ts'
import { finishSplits } from './finish-splits.ts'
import { postOutcomes } from './success.ts'
import { buildFinishedCharge, type ChargeOutcomeRow, finishCharges } from './write-charge-status.ts'

export type ChargeOutcome = MovementOutcome<ChargeFailure>

export type ChargeMove = Move<ChargeFailure> & {
  charge: Pick<Charge, 'merchantId' | 'id' | 'mode' | 'giftCardAmount'>
}
type ChargeMoves = Batch<ChargeMove, MoveResult>

/**
 * Finishes a charge; nothing else does. Status, ledger transfers, settlement, event and delivery are one commit, by
 * compare-and-set (spec 3.1; ledger.md 5). A second call does not move it again; a final state never moves.
 */
export const moveCharge = (app: App, move: ChargeMove): Promise<MoveResult> => chargeMoves(app).add(move)

/** How long (ms) until a charge would be finished, behind those that wait in the batch now and `later` more. */
export const expectedFinishMs = (app: App, later = 0): number => chargeMoves(app).expectedMs(later)

/** How long (ms) it takes at the steady rate to finish the charges that wait in the batch now and `later` more. */
export const finishBacklogMs = (app: App, later: number): number => chargeMoves(app).behindMs(later)

/** The batch behind `moveCharge`. */
const chargeMoves = defineLane(
  'move charges',
  (app): ChargeMoves =>
    newBatch({
      run: (moves, turn) => finishBatch(app, CHARGE_FINISHER, moves, turn),
      keyOf: (move) => move.charge.merchantId,
      refuses: false,
    }),
)

// A named function instead of a closure: V8 compiles a function that is created for each batch again each time.
const chargeOf = ({ charge }: ChargeMove) => charge

const CHARGE_FINISHER: Finisher<ChargeMove> = {
  noun: 'charge',
  movementOf: chargeOf,
  finishIn: finishChargesIn,
  openContradiction,
  counter: 'charges_total',
  crash(moves) {
    const takesCard = moves.some(hasCard)
    crashPoint('charge.moved')
    if (takesCard) crashPoint('card.taken')
  },
}

/**
 * Finishes charges inside a transaction that may write more. The status is written first, by compare-and-set; what follows is about the
 * charges that it finished. Locks charges, cards, heads, then payees of splits.
 */
export async function finishChargesIn(
  app: App,
  tx: Tx,
  { moves, at, held, mayKnow = false }: MovesAt<ChargeMove>,
): Promise<FinishResult> {
  const sorted = sortInLockOrder(CHARGE_FINISHER, moves)
  const charges = sorted.map(chargeOf)
  const { byId: terms, guards } = await getTerms(app, tx, { of: charges, mayKnow })
  const endById = new Map<string, ChargeOutcomeRow>()
  for (const move of sorted) {
    const { merchantId, id } = move.charge
    endById.set(id, buildChargeOutcomeRow(app, move, { terms: terms.get(merchantId), at }))
  }
  const [rows, ...locked] = await tx.send(
    finishCharges([...endById.values()], at),
    ...finishCards(collectCardOutcomes(sorted), at),
    ...guards,
    lockHeads(distinctMerchantModes(charges)),
  )
  const heads = locked.at(-1) as LedgerHead[] // lockHeads was sent last; the calls between may be absent.
  const finished: Charge[] = []
  for (const row of rows) finished.push(buildFinishedCharge(row, endById.get(row.id) as ChargeOutcomeRow, at))
  recordCompletionTimes(finished, at)
  held?.push(countPrompts(app, finished, at))
  const splits = await finishSplits(tx, finished, { endById, terms, at })
  const book = openBook(heads, at, splits.heads)
  const leaseOf = holdDeliveries(app, { held, urlOf: (merchantId) => terms.get(merchantId)?.webhookUrl ?? null })
  const writes = [...postOutcomes(finished, { endById, terms, book, at, leaseOf }), ...splits.writes]
  const tagOf = ({ merchantId }: { merchantId: number }) => terms.get(merchantId)?.tag
  // Only what has work now: the task asks the database several questions, and most charges are paid without a link.
  const wakes: Wake[] = finished.some(({ paymentLinkId }) => paymentLinkId !== null) ? ['dispense'] : []
  return completeMoves(tx, CHARGE_FINISHER, { moves, at, finished, book, writes, wakes, tagOf })
}

function recordCompletionTimes(finished: readonly Charge[], at: Date): void {
  for (const { mode, createdAt } of finished)
    if (mode === 'live') recordTime('charge_completion_seconds', (at.getTime() - createdAt.getTime()) / 1000)
}

/** Counts, once they are committed, the prompts of these charges: one that timed out was not answered, and a gift card asks no phone. */
const countPrompts = ({ serviceCounts }: App, finished: readonly Charge[], at: Date): HeldForCommit => ({
  begin() {
    for (const { mode, channel, failureReason, amount, giftCardAmount } of finished)
      if (mode === 'live' && giftCardAmount < amount)
        serviceCounts.add('prompts', { good: failureReason !== 'timeout', at, channel })
  },
  giveBack() {},
})
