import { lockHeads, openBook } from '../../ledger/book.ts'
import { distinctMerchantModes } from '../../ledger/distinct-merchant-modes.ts'
import { lockSubaccountHeads, type SubaccountHead } from '../../ledger/subaccount-heads.ts'
import { giveBackToKeyLimits } from '../../merchants/account/key-limits.ts'
import { findTerms, type MerchantTerms } from '../../merchants/account/merchant.ts'
import { addEvents, type Happening } from '../../merchants/webhooks/events.ts'
import { holdDeliveries } from '../../merchants/webhooks/own-deliveries.ts'
import { assert } from '../../platform/assert.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { defineLane } from '../../platform/batches/lane.ts'
import type { Tx } from '../../platform/db/database.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { kampalaDay } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { completeMoves, finishBatch, sortInLockOrder } from '../../rails/finishing/finish-moves.ts'
import type {
  Finisher,
  FinishResult,
  Move,
  MovementOutcome,
  MoveResult,
  MovesAt,
  VoidedOutcome,
} from '../../rails/finishing/move.ts'
import type { PayoutFailure } from '../../rails/rail.ts'
import { openContradiction } from '../exceptions/exception.ts'
import { PAYOUT_MOVES, type Payout, payoutEventData } from './payout.ts'
import { postPaid, postReturned } from './reserve-payout.ts'
import { type FinishedPayout, finishPayouts, type PayoutOutcomeRow } from './write-payout-status.ts'

export type PayoutOutcome = MovementOutcome<PayoutFailure> | VoidedOutcome

type PayoutMove = Move<PayoutFailure, PayoutOutcome> & {
  payout: Pick<Payout, 'merchantId' | 'id' | 'mode' | 'subaccountId'>
}
type PayoutMoves = Batch<PayoutMove, MoveResult>

/**
 * Finishes a payout; nothing else does. Status, ledger transfers, event and delivery are one commit, by compare-and-set
 * (spec 3.2; ledger.md 5). A second call does not move it again; a final state never moves.
 */
export const movePayout = (app: App, move: PayoutMove): Promise<MoveResult> => payoutMoves(app).add(move)

/** The batch behind `movePayout`. */
export const payoutMoves = defineLane(
  'move payouts',
  (app): PayoutMoves =>
    newBatch({
      run: (moves, turn) => finishBatch(app, PAYOUT_FINISHER, moves, turn),
      keyOf: (move) => move.payout.merchantId,
      refuses: false,
    }),
)

const PAYOUT_FINISHER: Finisher<PayoutMove> = {
  noun: 'payout',
  movementOf: ({ payout }) => payout,
  finishIn: finishPayoutsIn,
  openContradiction,
  counter: 'payouts_total',
  crash: () => crashPoint('payout.moved'),
}

/**
 * Finishes payouts inside a transaction that may write more: the money leaves with its fee, or returns to where it came from. Locks payouts,
 * then heads.
 */
export async function finishPayoutsIn(
  app: App,
  tx: Tx,
  { moves, at, held }: MovesAt<PayoutMove>,
): Promise<FinishResult> {
  const sorted = sortInLockOrder(PAYOUT_FINISHER, moves)
  const [terms, finished, heads] = await tx.send(
    findTerms([...new Set(sorted.map((move) => move.payout.merchantId))]),
    finishPayouts(sorted.map(buildOutcomeRow), at),
    lockHeads(distinctMerchantModes(sorted.map(({ payout }) => payout))),
  )
  const book = openBook(heads, at, await lockReturnedSubaccounts(tx, finished))
  for (const payout of finished) {
    if (payout.status === 'succeeded') postPaid(book, payout)
    else postReturned(book, payout)
  }
  const termsById = new Map(terms.map((terms) => [terms.id, terms]))
  const leaseOf = holdDeliveries(app, { held, urlOf: (merchantId) => termsById.get(merchantId)?.webhookUrl ?? null })
  return completeMoves(tx, PAYOUT_FINISHER, {
    moves,
    at,
    finished,
    book,
    writes: [
      ...addEvents(buildOutcomeEvents(finished, termsById), at, leaseOf),
      ...giveBackToKeyLimits(finished.flatMap(listReturned)),
    ],
    wakes: [],
    tagOf: ({ merchantId }) => termsById.get(merchantId)?.tag,
  })
}

/** What a key may send again on the day on which it sent it, because the money came back. */
function listReturned({ merchantId, limitedKey: keyId, status, createdAt, amount }: FinishedPayout) {
  if (keyId === null || status === 'succeeded') return []
  return [{ merchantId, keyId, day: kampalaDay(createdAt), amount }]
}

async function lockReturnedSubaccounts(tx: Tx, rows: readonly FinishedPayout[]): Promise<SubaccountHead[]> {
  const keys = rows.flatMap(({ merchantId, mode, subaccountId, status }) =>
    subaccountId === null || status === 'succeeded' ? [] : [{ merchantId, mode, subaccountId }],
  )
  if (keys.length === 0) return []
  const [, heads] = await tx.send(...lockSubaccountHeads(keys))
  return heads
}

/** Builds the events of finished payouts. One that was taken back has none, because it was never shown. */
function buildOutcomeEvents(rows: readonly FinishedPayout[], terms: Map<number, MerchantTerms>): Happening[] {
  return rows
    .filter((payout) => !payout.voided)
    .map((payout) => {
      const merchantTerms = terms.get(payout.merchantId)
      assert(merchantTerms, 'the terms of every merchant in the batch were read')
      return {
        merchantId: payout.merchantId,
        tag: merchantTerms.tag,
        mode: payout.mode,
        type: PAYOUT_MOVES.authorized[payout.status === 'succeeded' ? 'succeeded' : 'failed'],
        subject: payout.id,
        data: payoutEventData(payout),
        hasWebhookUrl: merchantTerms.webhookUrl !== null,
      }
    })
}

function buildOutcomeRow({ payout, to }: PayoutMove): PayoutOutcomeRow {
  return {
    merchantId: payout.merchantId,
    id: payout.id,
    status: to.status,
    failureReason: to.status === 'failed' ? to.reason : null,
    railTransactionId: to.status === 'succeeded' ? to.railTransactionId : null,
  }
}
