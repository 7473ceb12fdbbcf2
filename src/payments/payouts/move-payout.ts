import { type Book, inOpenMonth, lockHeads, openBook } from '../../ledger/book.ts'
import { distinctMerchantModes } from '../../ledger/distinct-merchant-modes.ts'
import { lockSubaccountHeads, type SubaccountHead } from '../../ledger/subaccount-heads.ts'
import { findTerms, type MerchantTerms } from '../../merchants/account/merchant.ts'
import { addEvents, type Happening } from '../../merchants/webhooks/events.ts'
import { assert } from '../../platform/assert.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { type BatchTurn, type ItemOutcome, itemDone } from '../../platform/batches/batch-run.ts'
import { defineLane } from '../../platform/batches/lane.ts'
import { runDistinct } from '../../platform/batches/run-distinct.ts'
import { joinRowCalls } from '../../platform/db/columns.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { count } from '../../platform/log/measures.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import {
  type FinishedMovement,
  findOvertaken,
  readMissedResults,
  sortInLockOrder,
} from '../../rails/finished-movements.ts'
import type { LockedMovement } from '../../rails/lock-movements.ts'
import type { MovementOutcome, MoveResult } from '../../rails/mover.ts'
import type { PayoutFailure } from '../../rails/rail.ts'
import { openContradiction } from '../exceptions/exception.ts'
import { PAYOUT_MOVES, type Payout, payoutEventData } from './payout.ts'
import { postPaid, postReturned } from './reserve-payout.ts'
import { type FinishedPayout, finishPayouts, type PayoutOutcomeRow } from './write-payout-status.ts'

/** The final status of a payout, with its facts. `voided`: it is taken back before it was ever shown (contract.md 3 j). */
export type PayoutOutcome = MovementOutcome<PayoutFailure> | { status: 'voided' }

/**
 * One open payout and the final outcome that its rail reported. `alongside` commits with the move; it is dropped when the payout
 * could not be taken back any more or was overtaken. `still` is a condition on the locked payout and its attempt; if it does not
 * hold, nothing is written.
 */
type PayoutMove = {
  payout: Pick<Payout, 'merchantId' | 'id' | 'mode' | 'subaccountId'>
  to: PayoutOutcome
  still?: (locked: LockedMovement<PayoutFailure>) => boolean
  alongside?: readonly Call[]
  /** Posts more on the same locked head. A Refusal that it throws stops the move, and nothing is written. */
  posts?: (book: Book) => void
}

/** `shown`: the payout could not be taken back because it was shown before; it goes on. */
type PayoutMoveResult = MoveResult | 'shown'
type PayoutMoves = Batch<PayoutMove, PayoutMoveResult>

/**
 * Finishes a payout; nothing else does. Status, ledger transfers, event and delivery are one commit, by compare-and-set
 * (spec 3.2; ledger.md 5). A second call does not move it again; a final state never moves.
 */
export const movePayout = (app: App, move: PayoutMove): Promise<PayoutMoveResult> => payoutMoves(app).add(move)

/** The batch behind `movePayout`. */
export const payoutMoves = defineLane(
  'move payouts',
  (app): PayoutMoves =>
    newBatch({
      run: async (moves, turn) => {
        // Where one batch has two outcomes for the same payout, the later one gets its own transaction.
        const moved = await runDistinct(moves, payoutKey, (group, isWhole) =>
          inOpenMonth(() => moveOnce(app, group, isWhole ? turn : {})),
        )
        crashPoint('payout.moved')
        countOutcomes(moves, moved)
        if (moved.some((outcome) => outcome.ok && outcome.value === 'moved')) app.nudge('send-deliveries')
        return moved
      },
      keyOf: (move) => move.payout.merchantId,
      refuses: false,
    }),
)

function countOutcomes(moves: readonly PayoutMove[], moved: readonly ItemOutcome<PayoutMoveResult>[]): void {
  for (const [index, { payout, to }] of moves.entries()) {
    const result = moved[index]
    if (result?.ok && result.value === 'moved') count('payouts_total', payout.mode, to.status)
  }
}

const moveBatch = (moves: readonly PayoutMove[]) => ({
  noun: 'payout' as const,
  moves,
  rowOf: ({ payout }: PayoutMove) => payout,
})

const payoutKey = ({ payout }: PayoutMove) => `${payout.merchantId} ${payout.id}`

async function moveOnce(
  app: App,
  moves: readonly PayoutMove[],
  turn: Partial<BatchTurn>,
): Promise<ItemOutcome<PayoutMoveResult>[]> {
  const at = app.clock.now()
  return app.db.transactionFor({ kind: 'outcome', ...turn }, async (tx) => {
    const overtaken = await findOvertaken<PayoutFailure, PayoutMove>(tx, moveBatch(moves))
    const current = moves.filter((move) => !overtaken.has(move))
    const { moved, writes } = await finishPayoutsIn(tx, current, at)
    const results = new Map(current.map((move, index) => [move, moved[index]]))
    return { value: moves.map((move) => itemDone(results.get(move) ?? 'overtaken')), last: writes }
  })
}

/** Finishes payouts inside a transaction that may write more; `moves` names each payout once. Locks payouts, then heads. `writes` must be sent last. */
export async function finishPayoutsIn(
  tx: Tx,
  moves: readonly PayoutMove[],
  at: Date,
): Promise<{ moved: PayoutMoveResult[]; writes: Call[] }> {
  const sorted = sortInLockOrder(moveBatch(moves))
  const [terms, rows, heads] = await tx.send(
    findTerms([...new Set(sorted.map((move) => move.payout.merchantId))]),
    finishPayouts(sorted.map(buildOutcomeRow), at),
    lockHeads(distinctMerchantModes(sorted.map(({ payout }) => payout))),
  )
  const book = openBook(heads, at, await lockReturnedSubaccounts(tx, rows))
  for (const payout of rows) {
    if (payout.status === 'succeeded') postPaid(book, payout)
    else postReturned(book, payout)
  }
  for (const { payout, posts } of moves) if (posts && rows.some(({ id }) => id === payout.id)) posts(book)
  const missed = await readMissedResults(tx, moveBatch(moves), { finished: rows, compare: missedResult })
  const termsById = new Map(terms.map((terms) => [terms.id, terms]))
  const standing = moves.filter((move) => move.to.status !== 'voided' || !missed.has(move.payout.id))
  return {
    moved: moves.map((move) => missed.get(move.payout.id) ?? 'moved'),
    writes: [
      ...book.writes(),
      ...addEvents(buildOutcomeEvents(rows, termsById), at),
      ...joinRowCalls(standing.flatMap((move) => move.alongside ?? [])),
      ...moves.flatMap((move) =>
        missed.get(move.payout.id) === 'contradicted'
          ? openContradiction(move.payout, {
              tag: termsById.get(move.payout.merchantId)?.tag,
              answer: move.to,
              at,
            })
          : [],
      ),
    ],
  }
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
        hasWebhookUrl: merchantTerms.hasWebhookUrl,
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

/** Compares the move with a payout that was finished before: the same outcome changes nothing, another one contradicts (contract.md 3 o). */
function missedResult(finished: FinishedMovement | undefined, { to }: PayoutMove): PayoutMoveResult {
  if (to.status === 'voided') return finished === undefined || finished.voided ? 'same' : 'shown'
  if (finished === undefined) return 'same'
  const agrees = finished.voided ? to.status === 'failed' : finished.status === to.status
  return agrees ? 'same' : 'contradicted'
}
