import { type Book, inOpenMonth } from '../../ledger/book.ts'
import { assert } from '../../platform/assert.ts'
import { type BatchTurn, type ItemOutcome, itemDone } from '../../platform/batches/batch-run.ts'
import { runDistinct } from '../../platform/batches/run-distinct.ts'
import { joinRowCalls } from '../../platform/db/columns.ts'
import type { Call, TransactionWork, Tx } from '../../platform/db/database.ts'
import { tryByMemory } from '../../platform/db/guarded.ts'
import { count } from '../../platform/log/measures.ts'
import type { App } from '../../program/app.ts'
import { findOvertaken, readMissedResults } from './late-moves.ts'
import type { AnyMove, Finisher, FinishResult, HeldForCommit, MovementKey, MoveResult, MovesAt, Wake } from './move.ts'

// What charges, payouts and top-ups do alike when a movement is finished: its transaction, outcomes that came too late, contradictions and
// counting. What moves money is in the `finishIn` of the noun.

/**
 * Finishes the movements of a batch, each with its own result. `turn`: how its transaction waits for locks. Throws MonthClosed when the
 * month was closed three times while it waited, and what `posts` of a move throws.
 */
export async function finishBatch<NounMove extends AnyMove>(
  app: App,
  finisher: Finisher<NounMove>,
  moves: readonly NounMove[],
  turn: BatchTurn,
): Promise<ItemOutcome<MoveResult>[]> {
  // Where one batch has two outcomes for the same movement, the later one gets its own transaction.
  const nameOf = (move: NounMove) => {
    const { merchantId, id } = finisher.movementOf(move)
    return `${merchantId} ${id}`
  }
  const results = await runDistinct(moves, nameOf, (group, isWhole) =>
    tryByMemory((mayKnow) => finishInOpenMonth(app, finisher, group, { turn: isWhole ? turn : {}, mayKnow })),
  )
  finisher.crash?.(moves)
  countMoved(finisher, moves, results)
  return results
}

/** Finishes one movement in a transaction of its own. Throws what `finishBatch` throws. */
export async function finishOne<NounMove extends AnyMove>(
  app: App,
  finisher: Finisher<NounMove>,
  move: NounMove,
): Promise<MoveResult> {
  const [outcome] = await finishInOpenMonth(app, finisher, [move], { turn: {}, mayKnow: false })
  assert(outcome?.ok, 'a move has one result')
  return outcome.value
}

const isMoved = (outcome: ItemOutcome<MoveResult> | undefined) => outcome?.ok === true && outcome.value === 'moved'

function countMoved<NounMove extends AnyMove>(
  { counter, movementOf }: Finisher<NounMove>,
  moves: readonly NounMove[],
  results: readonly ItemOutcome<MoveResult>[],
): void {
  if (counter === undefined) return
  for (const [index, move] of moves.entries())
    if (isMoved(results[index])) count(counter, movementOf(move).mode, move.to.status)
}

/** Finishes these movements in one transaction; in another with a new time where their month was closed meanwhile. */
const finishInOpenMonth = <NounMove extends AnyMove>(
  app: App,
  finisher: Finisher<NounMove>,
  batchMoves: readonly NounMove[],
  { turn, mayKnow }: { turn: Partial<BatchTurn>; mayKnow: boolean },
): Promise<ItemOutcome<MoveResult>[]> =>
  inOpenMonth(async () => {
    const at = app.clock.now()
    let woken: readonly Wake[] = []
    const held: HeldForCommit[] = []
    const giveBack = () => {
      for (const one of held.splice(0)) one.giveBack()
    }
    const work: TransactionWork<ItemOutcome<MoveResult>[]> = async (tx) => {
      // What a try that was rolled back has held.
      giveBack()
      const overtaken = await findOvertaken(tx, finisher, batchMoves)
      const moves = overtaken.size === 0 ? batchMoves : batchMoves.filter((move) => !overtaken.has(move))
      if (moves.length === 0) return { value: batchMoves.map(() => itemDone<MoveResult>('overtaken')) }
      const { missed, writes, wakes } = await finisher.finishIn(app, tx, { moves, at, held, mayKnow })
      woken = wakes
      const value: ItemOutcome<MoveResult>[] = []
      for (const move of batchMoves)
        value.push(itemDone(overtaken.has(move) ? 'overtaken' : (missed.get(finisher.movementOf(move).id) ?? 'moved')))
      return { value, last: writes }
    }
    const results = await app.db.transactionFor({ kind: 'outcome', ...turn }, work).catch((error) => {
      giveBack()
      throw error
    })
    for (const one of held) one.begin()
    for (const sweep of woken) app.nudge(sweep)
    return results
  })

/** Sorts moves in the order in which every transaction locks their movements, so that no two transactions deadlock. */
export const sortInLockOrder = <NounMove extends AnyMove>(
  { movementOf }: Finisher<NounMove>,
  moves: readonly NounMove[],
): NounMove[] =>
  [...moves].sort((a, b) => {
    const first = movementOf(a)
    const second = movementOf(b)
    return first.merchantId - second.merchantId || (first.id < second.id ? -1 : 1)
  })

type CompletedMoves<NounMove> = MovesAt<NounMove> & {
  /** The movements that were still open and are finished now. */
  finished: readonly MovementKey[]
  /** With the transfers of the finished movements. */
  book: Book
  writes: readonly Call[]
  wakes: readonly Wake[]
  tagOf(movement: MovementKey): string | undefined
}

/** Completes what a noun wrote about its finished movements: more transfers, results of the missed moves, contradictions. */
export async function completeMoves<NounMove extends AnyMove>(
  tx: Tx,
  finisher: Finisher<NounMove>,
  { moves, at, finished, book, writes, wakes, tagOf }: CompletedMoves<NounMove>,
): Promise<FinishResult> {
  const { movementOf } = finisher
  for (const move of moves) if (move.posts && finished.some(({ id }) => id === movementOf(move).id)) move.posts(book)
  const missed = await readMissedResults(tx, finisher, { moves, finished })
  const alongside: Call[] = []
  const contradictions: Call[] = []
  for (const move of moves) {
    const movement = movementOf(move)
    const result = missed.get(movement.id)
    if (result === undefined || move.to.status !== 'voided') alongside.push(...(move.alongside ?? []))
    if (result === 'contradicted')
      contradictions.push(...finisher.openContradiction(movement, { tag: tagOf(movement), answer: move.to, at }))
  }
  return { missed, writes: [...book.writes(), ...writes, ...joinRowCalls(alongside), ...contradictions], wakes }
}
