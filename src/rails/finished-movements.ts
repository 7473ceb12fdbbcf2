import { numberColumn, textColumn } from '../platform/db/columns.ts'
import { call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { mapValues } from '../platform/map-values.ts'
import { type LockedMovement, lockMovements, MOVEMENT_TABLES, type TravellingNoun } from './lock-movements.ts'

type MovementKey = { merchantId: number; id: string }

/** Moves that one transaction makes. `rowOf` returns the movement of a move. */
type MoveBatch<Move> = { noun: TravellingNoun; moves: readonly Move[]; rowOf(move: Move): MovementKey }

/** The state of a movement that was not open any more. */
export type FinishedMovement = { status: string; voided: boolean }

const MOVEMENT_STATUS = mapValues(MOVEMENT_TABLES, (table) =>
  statement<FinishedMovement & { id: string }>(
    `status of ${table}`,
    `select m.id, m.status, m.voided_at is not null as voided from ${table} m
     join unnest($1::bigint[], $2::text[]) as n (merchant_id, id) on m.merchant_id = n.merchant_id and m.id = n.id`,
  ),
)

/** Sorts moves in the order in which every transaction locks their movements, so that no two transactions deadlock. */
export const sortInLockOrder = <Move>({ moves, rowOf }: MoveBatch<Move>): Move[] =>
  [...moves].sort((a, b) => {
    const first = rowOf(a)
    const second = rowOf(b)
    return first.merchantId - second.merchantId || (first.id < second.id ? -1 : 1)
  })

/** Finds the moves whose condition `still` no longer holds. Locks movements and attempts, so that the result stays true until the commit. */
export async function findOvertaken<
  Failure extends string,
  Move extends { still?: (locked: LockedMovement<Failure>) => boolean },
>(tx: Tx, { noun, moves, rowOf }: MoveBatch<Move>): Promise<ReadonlySet<Move>> {
  const conditional = moves.filter(isConditional)
  if (conditional.length === 0) return new Set()
  const [rows] = await tx.send(lockMovements<Failure>(noun, conditional.map(rowOf)))
  const rowById = new Map(rows.map((row) => [row.id, row]))
  return new Set(
    conditional.filter((move) => {
      const row = rowById.get(rowOf(move).id)
      return row !== undefined && move.still?.(row) === false
    }),
  )
}

const isConditional = ({ still }: { still?: unknown }) => still !== undefined

/** Reads the results, by id, of the moves whose movement was finished before; the callback compares the two. Sends nothing when there are none. */
export async function readMissedResults<Move, Result>(
  tx: Tx,
  { noun, moves, rowOf }: MoveBatch<Move>,
  {
    finished,
    compare,
  }: { finished: readonly MovementKey[]; compare(found: FinishedMovement | undefined, move: Move): Result },
): Promise<Map<string, Result>> {
  // Each movement is in one move only, and no other movement is finished.
  if (finished.length === moves.length) return new Map()
  const endedIds = new Set(finished.map(({ id }) => id))
  const missed = moves.filter((move) => !endedIds.has(rowOf(move).id))
  if (missed.length === 0) return new Map()
  const movements = missed.map(rowOf)
  const merchants = numberColumn(movements.map(({ merchantId }) => merchantId))
  const [rows] = await tx.send(call(MOVEMENT_STATUS[noun], merchants, textColumn(movements.map(({ id }) => id))))
  const statusById = new Map(rows.map((row) => [row.id, row]))
  return new Map(missed.map((move) => [rowOf(move).id, compare(statusById.get(rowOf(move).id), move)]))
}
