import { numbers, words } from '../platform/db/columns.ts'
import { call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { mapValues } from '../platform/map-values.ts'
import { type LockedPost, lockPosts, type Noun, TABLES } from './lock-posts.ts'

type Named = { merchantId: number; id: string }

/** How the end of a movement is asked for: `rowOf` names the movement, `still` must hold on the locked rows. */
type Ends<Move> = { noun: Noun; moves: readonly Move[]; rowOf(move: Move): Named }

/** What a movement that was not open any more has become. */
export type EndedBefore = { status: string; voided: boolean }

const STATUS_OF = mapValues(TABLES, (table) =>
  statement<EndedBefore & { id: string }>(
    `status of ${table}`,
    `select m.id, m.status, m.voided_at is not null as voided from ${table} m
     join unnest($1::bigint[], $2::text[]) as n (merchant_id, id) on m.merchant_id = n.merchant_id and m.id = n.id`,
  ),
)

/** In the order in which every transaction locks them, so that two never wait for each other in a ring. */
export const inLockOrder = <Move>({ moves, rowOf }: Ends<Move>): Move[] =>
  [...moves].sort((a, b) => {
    const one = rowOf(a)
    const other = rowOf(b)
    return one.merchantId - other.merchantId || (one.id < other.id ? -1 : 1)
  })

/** The moves whose condition no longer holds. Movements and attempts are locked, so the result stays true until commit. */
export async function overtakenOf<
  Failure extends string,
  Move extends { still?: (found: LockedPost<Failure>) => boolean },
>(tx: Tx, { noun, moves, rowOf }: Ends<Move>): Promise<ReadonlySet<Move>> {
  const judged = moves.filter(isConditional)
  if (judged.length === 0) return new Set()
  const [rows] = await tx.send(lockPosts<Failure>(noun, judged.map(rowOf)))
  const rowById = new Map(rows.map((row) => [row.id, row]))
  return new Set(
    judged.filter((move) => {
      const row = rowById.get(rowOf(move).id)
      return row !== undefined && move.still?.(row) === false
    }),
  )
}

const isConditional = ({ still }: { still?: unknown }) => still !== undefined

/** What became of the moves that found their movement closed, by id: `outcomeOf` compares. Sends nothing when there are none. */
export async function outcomesOfMissed<Move, Result>(
  tx: Tx,
  { noun, moves, rowOf }: Ends<Move>,
  {
    ended,
    outcomeOf,
  }: { ended: readonly Named[]; outcomeOf(found: EndedBefore | undefined, move: Move): Result },
): Promise<Map<string, Result>> {
  // A movement is asked for once, and none is ended that was not asked for.
  if (ended.length === moves.length) return new Map()
  const endedIds = new Set(ended.map(({ id }) => id))
  const missed = moves.filter((move) => !endedIds.has(rowOf(move).id))
  if (missed.length === 0) return new Map()
  const wanted = missed.map(rowOf)
  const merchants = numbers(wanted.map(({ merchantId }) => merchantId))
  const [rows] = await tx.send(call(STATUS_OF[noun], merchants, words(wanted.map(({ id }) => id))))
  const statusById = new Map(rows.map((row) => [row.id, row]))
  return new Map(missed.map((move) => [rowOf(move).id, outcomeOf(statusById.get(rowOf(move).id), move)]))
}
