import { type Book, inOpenMonth, type LedgerHead, lockHeads, openBook } from '../../ledger/book.ts'
import { distinctMerchantModes } from '../../ledger/distinct-merchant-modes.ts'
import { readTermsByMerchant } from '../../merchants/account/merchant.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { type BatchTurn, type ItemOutcome, itemDone } from '../../platform/batches/batch-run.ts'
import { defineLane } from '../../platform/batches/lane.ts'
import { runDistinct } from '../../platform/batches/run-distinct.ts'
import { joinRowCalls } from '../../platform/db/columns.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { count, recordTime } from '../../platform/log/measures.ts'
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
import type { ChargeFailure } from '../../rails/rail.ts'
import { openContradiction } from '../exceptions/exception.ts'
import type { Charge, ChargeFacts } from './charge.ts'
import { buildChargeOutcomeRow } from './charge-outcome-row.ts'
import { type CardOutcome, finishCards } from './finish-cards.ts'
import { finishSplits } from './finish-splits.ts'
import { postOutcomes } from './success.ts'
import {
  buildFinishedCharge,
  type ChargeOutcomeRow,
  finishCharges,
  finishKnownCharges,
  type OpenChargeFacts,
} from './write-charge-status.ts'

export type ChargeOutcome = MovementOutcome<ChargeFailure>

/**
 * One open charge and the final outcome that its rail reported. `alongside` commits with the move. `still` is a condition on
 * the locked charge and its attempt; if it does not hold, nothing is written.
 */
export type ChargeMove = {
  /** `facts` are known in the process that has stored the charge; then they are not read back. */
  charge: Pick<Charge, 'merchantId' | 'id' | 'mode' | 'giftCardAmount'> & { facts?: OpenChargeFacts | null }
  to: ChargeOutcome
  still?: (locked: LockedMovement<ChargeFailure>) => boolean
  alongside?: readonly Call[]
  /** Posts more on the same locked head. A Refusal that it throws stops the move, and nothing is written. */
  posts?: (book: Book) => void
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
      run: async (moves, turn) => {
        // Where one batch has two outcomes for the same charge, the later one gets its own transaction.
        const moved = await runDistinct(moves, chargeKey, (group, isWhole) =>
          inOpenMonth(() => moveOnce(app, group, isWhole ? turn : {})),
        )
        crashPoint('charge.moved')
        countOutcomes(moves, moved)
        const carded = collectCardOutcomes(moves)
        if (carded.length > 0) crashPoint('card.taken')
        if (moved.some((outcome) => outcome.ok && outcome.value === 'moved')) {
          app.nudge('send-deliveries')
          app.nudge('dispense')
        }
        return moved
      },
      keyOf: (move) => move.charge.merchantId,
      refuses: false,
    }),
)

function countOutcomes(moves: readonly ChargeMove[], moved: readonly ItemOutcome<MoveResult>[]): void {
  for (const [index, { charge, to }] of moves.entries()) {
    const result = moved[index]
    if (result?.ok && result.value === 'moved') count('charges_total', charge.mode, to.status)
  }
}

// The loops below use these functions instead of closures: V8 compiles a function that is created for each batch again each time.
const chargeOf = ({ charge }: ChargeMove) => charge
const pickAlongside = ({ alongside = [] }: ChargeMove) => alongside
const hasCard = ({ charge }: ChargeMove) => charge.giftCardAmount > 0

const moveBatch = (moves: readonly ChargeMove[]) => ({ noun: 'charge' as const, moves, rowOf: chargeOf })

const chargeKey = ({ charge }: ChargeMove) => `${charge.merchantId} ${charge.id}`

async function moveOnce(
  app: App,
  batchMoves: readonly ChargeMove[],
  turn: Partial<BatchTurn>,
): Promise<ItemOutcome<MoveResult>[]> {
  const at = app.clock.now()
  return app.db.transactionFor({ kind: 'outcome', ...turn }, async (tx) => {
    const overtaken = await findOvertaken<ChargeFailure, ChargeMove>(tx, moveBatch(batchMoves))
    const moves = overtaken.size === 0 ? batchMoves : batchMoves.filter((move) => !overtaken.has(move))
    const { missed, writes } = await finishChargesIn(app, tx, { moves, at })
    const value: ItemOutcome<MoveResult>[] = []
    for (const move of batchMoves)
      value.push(itemDone(overtaken.has(move) ? 'overtaken' : (missed.get(move.charge.id) ?? 'moved')))
    return { value, last: writes }
  })
}

/**
 * Finishes each charge of `moves` that is still open, inside a transaction that may write more. `missed` holds the results of the others
 * by charge id; `writes` must be sent last.
 */
export async function finishChargesIn(
  app: App,
  tx: Tx,
  { moves, at }: { moves: readonly ChargeMove[]; at: Date },
): Promise<{ missed: Map<string, MoveResult>; writes: Call[] }> {
  const sorted = sortInLockOrder(moveBatch(moves))
  const charges = sorted.map(chargeOf)
  const termsById = await readTermsByMerchant(tx, charges)
  const endById = new Map<string, ChargeOutcomeRow>()
  for (const move of sorted) {
    const { merchantId, id } = move.charge
    endById.set(id, buildChargeOutcomeRow(app, move, { terms: termsById.get(merchantId), at }))
  }
  const ends = [...endById.values()]
  const factsById = collectFacts(sorted)
  const [rows, ...locked] = await tx.send(
    factsById === null ? finishCharges(ends, at) : finishKnownCharges(ends, at),
    ...finishCards(collectCardOutcomes(sorted), at),
    lockHeads(distinctMerchantModes(charges)),
  )
  const heads = locked.at(-1) as LedgerHead[] // lockHeads was sent last; the calls for cards between may be absent.
  const finished: ChargeFacts[] = []
  for (const row of rows)
    finished.push(
      buildFinishedCharge(
        (factsById?.get(row.id) ?? row) as OpenChargeFacts,
        endById.get(row.id) as ChargeOutcomeRow,
        at,
      ),
    )
  for (const { mode, createdAt } of finished)
    if (mode === 'live') recordTime('charge_completion_seconds', (at.getTime() - createdAt.getTime()) / 1000)
  const splits = await finishSplits(tx, finished, { endById, terms: termsById, at })
  const book = openBook(heads, at, splits.heads)
  const outcomeWrites = postOutcomes(finished, { endById, terms: termsById, book, at })
  for (const { charge, posts } of moves) if (posts && finished.some(({ id }) => id === charge.id)) posts(book)
  const missed = await readMissedResults(tx, moveBatch(moves), { finished, compare: missedResult })
  const contradictions: Call[] = []
  for (const { charge, to } of moves)
    if (missed.get(charge.id) === 'contradicted')
      contradictions.push(...openContradiction(charge, { tag: termsById.get(charge.merchantId)?.tag, answer: to, at }))
  const alongside = moves.flatMap(pickAlongside)
  return {
    missed,
    writes: [...book.writes(), ...outcomeWrites, ...splits.writes, ...joinRowCalls(alongside), ...contradictions],
  }
}

/** Collects the known facts of these charges by id; null when those of any charge are unknown here. */
function collectFacts(moves: readonly ChargeMove[]): Map<string, OpenChargeFacts> | null {
  const factsById = new Map<string, OpenChargeFacts>()
  for (const { charge } of moves) {
    if (!charge.facts) return null
    factsById.set(charge.id, charge.facts)
  }
  return factsById
}

/** Compares the move with a charge that was finished before: the same outcome changes nothing, another one contradicts (contract.md 3 o). */
function missedResult(finished: FinishedMovement | undefined, { to }: ChargeMove): MoveResult {
  if (finished === undefined) return 'same'
  const agrees = finished.voided
    ? to.status === 'failed'
    : finished.status === to.status || (finished.status === 'refunded' && to.status === 'succeeded')
  return agrees ? 'same' : 'contradicted'
}

/** Collects what becomes of the gift cards of these charges: taken by success, freed by failure. */
function collectCardOutcomes(moves: readonly ChargeMove[]): CardOutcome[] {
  const carded = moves.filter(hasCard)
  return carded.map(({ charge: { merchantId, id: chargeId }, to }) => ({
    merchantId,
    chargeId,
    to: to.status === 'succeeded' ? 'taken' : 'freed',
  }))
}
