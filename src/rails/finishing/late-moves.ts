import { numberColumn, textColumn } from '../../platform/db/columns.ts'
import { call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { mapValues } from '../../platform/map-values.ts'
import { lockMovements, MOVEMENT_TABLES } from '../lock-movements.ts'
import type { AnyMove, Finisher, MovementKey, MoveResult } from './move.ts'

// Moves that came too late: the movement has gone on since the rail was asked, or it was finished before.

/** The state of a movement that was not open any more. */
type FinishedMovement = { status: string; voided: boolean }

const MOVEMENT_STATUS = mapValues(MOVEMENT_TABLES, (table) =>
  statement<FinishedMovement & { id: string }>(
    `status of ${table}`,
    `select m.id, m.status, m.voided_at is not null as voided from ${table} m
     join unnest($1::bigint[], $2::text[]) as n (merchant_id, id) on m.merchant_id = n.merchant_id and m.id = n.id`,
  ),
)

const isConditional = ({ still }: AnyMove) => still !== undefined

/** Finds the moves whose condition `still` no longer holds. Locks movements and attempts, so that the result stays true until the commit. */
export async function findOvertaken<Move extends AnyMove>(
  tx: Tx,
  { noun, movementOf }: Finisher<Move>,
  moves: readonly Move[],
): Promise<ReadonlySet<Move>> {
  const conditional = moves.filter(isConditional)
  if (conditional.length === 0) return new Set()
  const [rows] = await tx.send(lockMovements<never>(noun, conditional.map(movementOf))) // `still` knows its reasons itself.
  const rowById = new Map(rows.map((row) => [row.id, row]))
  return new Set(
    conditional.filter((move) => {
      const row = rowById.get(movementOf(move).id)
      return row !== undefined && move.still?.(row) === false
    }),
  )
}

/** Reads the results, by id, of the moves whose movement was finished before. Sends nothing when there are none. */
export async function readMissedResults<Move extends AnyMove>(
  tx: Tx,
  { noun, movementOf }: Finisher<Move>,
  { moves, finished }: { moves: readonly Move[]; finished: readonly MovementKey[] },
): Promise<Map<string, MoveResult>> {
  // Each movement is in one move only, and no other movement is finished.
  if (finished.length === moves.length) return new Map()
  const finishedIds = new Set(finished.map(({ id }) => id))
  const missed = moves.filter((move) => !finishedIds.has(movementOf(move).id))
  if (missed.length === 0) return new Map()
  const movements = missed.map(movementOf)
  const merchants = numberColumn(movements.map(({ merchantId }) => merchantId))
  const [rows] = await tx.send(call(MOVEMENT_STATUS[noun], merchants, textColumn(movements.map(({ id }) => id))))
  const statusById = new Map(rows.map((row) => [row.id, row]))
  return new Map(missed.map((move) => [movementOf(move).id, judgeMissed(statusById.get(movementOf(move).id), move)]))
}

/** Compares a move with the state of its movement: the same outcome changes nothing, another one contradicts (contract.md 3 o). */
function judgeMissed(finished: FinishedMovement | undefined, { to }: AnyMove): MoveResult {
  if (to.status === 'voided') return finished === undefined || finished.voided ? 'same' : 'shown'
  if (finished === undefined) return 'same'
  const agrees = finished.voided
    ? to.status === 'failed'
    : finished.status === to.status || (finished.status === 'refunded' && to.status === 'succeeded')
  return agrees ? 'same' : 'contradicted'
}
