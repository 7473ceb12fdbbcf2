import { type Book, inOpenMonth } from '../../ledger/book.ts'
import { assert } from '../../platform/assert.ts'
import { type BatchTurn, type ItemOutcome, itemDone } from '../../platform/batches/batch-run.ts'
import { runDistinct } from '../../platform/batches/run-distinct.ts'
import { joinRowCalls } from '../../platform/db/columns.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { count } from '../../platform/log/measures.ts'
import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import type { LockedMovement, TravellingNoun } from '../lock-movements.ts'
import type { MovementOutcome, MoveResult, TakenBack } from '../mover.ts'
import { findOvertaken, readMissedResults } from './late-moves.ts'

// What charges, payouts and top-ups do alike when a movement is finished: its transaction, outcomes that came too late, contradictions and
// counting. What moves money is in the `finishIn` of the noun.

/** One open movement and the final outcome that its rail reported. Each noun adds the movement. */
export type Move<Failure extends string, Outcome = MovementOutcome<Failure>> = {
  to: Outcome
  /** A condition on the locked movement and its attempt; if it does not hold, nothing is written. */
  still?: (locked: LockedMovement<Failure>) => boolean
  /** Commits with the move. It is dropped when the move was overtaken, or when the movement could not be taken back any more. */
  alongside?: readonly Call[]
  /** Posts more on the same locked head. A Refusal that it throws stops the move, and nothing is written. */
  posts?: (book: Book) => void
}
export type AnyMove = Move<never, MovementOutcome<string> | TakenBack>

export type MovementKey = { merchantId: number; id: string }

/** Moves of one transaction, which name each movement once, and the time that it writes. */
export type MovesAt<NounMove> = { moves: readonly NounMove[]; at: Date }

/** `missed`: the results, by id, of the moves whose movement was finished before. `writes` must be sent last. */
export type FinishResult = { missed: Map<string, MoveResult>; writes: Call[] }

/** What a noun must provide so that its movements can be finished here. */
export type Finisher<NounMove extends AnyMove> = {
  noun: TravellingNoun
  movementOf(move: NounMove): MovementKey & { mode: Mode }
  /** Finishes each movement that is still open, inside a transaction that may write more; ends with `completeMoves`. */
  finishIn(app: App, tx: Tx, input: MovesAt<NounMove>): Promise<FinishResult>
  /** Opens the exception about an outcome that contradicts the one it was finished with. */
  openContradiction(
    movement: MovementKey & { mode: Mode },
    about: { tag: string | undefined; answer: { status: string }; at: Date },
  ): Call[]
  /** The counter of finished movements. */
  counter?: 'charges_total' | 'payouts_total'
  /** Where the crash tests kill the process: after the commit. */
  crash?(moves: readonly NounMove[]): void
  /** Wakes the tasks that wait for finished movements. */
  wake?(app: App): void
}

/** Finishes the movements of a batch, each with its own result. `turn`: how its transaction waits for locks. */
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
    finishInOpenMonth(app, finisher, group, isWhole ? turn : {}),
  )
  finisher.crash?.(moves)
  countMoved(finisher, moves, results)
  if (results.some(isMoved)) finisher.wake?.(app)
  return results
}

/** Finishes one movement in a transaction of its own. */
export async function finishOne<NounMove extends AnyMove>(
  app: App,
  finisher: Finisher<NounMove>,
  move: NounMove,
): Promise<MoveResult> {
  const [outcome] = await finishInOpenMonth(app, finisher, [move], {})
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
  turn: Partial<BatchTurn>,
): Promise<ItemOutcome<MoveResult>[]> =>
  inOpenMonth(() => {
    const at = app.clock.now()
    return app.db.transactionFor({ kind: 'outcome', ...turn }, async (tx) => {
      const overtaken = await findOvertaken(tx, finisher, batchMoves)
      const moves = overtaken.size === 0 ? batchMoves : batchMoves.filter((move) => !overtaken.has(move))
      if (moves.length === 0) return { value: batchMoves.map(() => itemDone<MoveResult>('overtaken')) }
      const { missed, writes } = await finisher.finishIn(app, tx, { moves, at })
      const value: ItemOutcome<MoveResult>[] = []
      for (const move of batchMoves)
        value.push(itemDone(overtaken.has(move) ? 'overtaken' : (missed.get(finisher.movementOf(move).id) ?? 'moved')))
      return { value, last: writes }
    })
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
  tagOf(movement: MovementKey): string | undefined
}

/** Completes what a noun wrote about its finished movements: more transfers, results of the missed moves, contradictions. */
export async function completeMoves<NounMove extends AnyMove>(
  tx: Tx,
  finisher: Finisher<NounMove>,
  { moves, at, finished, book, writes, tagOf }: CompletedMoves<NounMove>,
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
  return { missed, writes: [...book.writes(), ...writes, ...joinRowCalls(alongside), ...contradictions] }
}
