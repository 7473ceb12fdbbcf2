import { finishOrphans, type Orphan, type OrphanOutcome } from '../api/idempotency/orphans.ts'
import { call, type Tx } from '../platform/db/database.ts'
import type { Statement } from '../platform/db/statement.ts'
import type { App } from '../program/app.ts'
import { moveAttempt } from './attempts.ts'
import type { Movable, Mover } from './mover.ts'

/** After this long the request that stored a live movement has given up, because its submit ends within 25 s. */
export const ORPHANED_AFTER_MS = 30_000

type OrphanedKeys<Row extends Movable, Failure extends string> = {
  mover: Mover<Row, Failure>
  /** The prefix of the ids of these movements. */
  prefix: string
  /** Locks the movement of merchant $1 with id $2, if it was not taken back. */
  find: Statement<Row & { published: boolean }>
  /** Presents the 201 as the request would have returned it, without later changes. */
  firstView(tx: Tx, row: Row): Promise<object>
}

/**
 * Finishes the keys of processes that died between storing a live movement and answering: a movement that exists gives its key
 * the first answer, one that was taken back frees it (G58). Returns how many.
 */
export const finishMovementKeys = <Row extends Movable, Failure extends string>(
  app: App,
  keys: OrphanedKeys<Row, Failure>,
): Promise<number> =>
  finishOrphans(app, {
    prefix: keys.prefix,
    afterMs: ORPHANED_AFTER_MS,
    decide: (tx, orphan) => finishOrphan(app, tx, { ...keys, orphan }),
  })

async function finishOrphan<Row extends Movable, Failure extends string>(
  app: App,
  tx: Tx,
  { mover, find, firstView, orphan }: OrphanedKeys<Row, Failure> & { orphan: Orphan },
): Promise<OrphanOutcome> {
  const [[row]] = await tx.send(call(find, orphan.merchantId, orphan.objectId))
  if (!row) return { answer: null }
  const body = JSON.stringify(await firstView(tx, row))
  return { answer: { status: 201, body }, writes: row.published ? [] : showInDoubt(app, mover, row) }
}

/** Shows the movement in the commit from which its answer counts, so that a process that wakes up late cannot take it back any more. */
export const showInDoubt = <Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  row: Row,
) => [
  mover.publish(app, row, { acceptedBy: null }),
  moveAttempt({ merchantId: row.merchantId, reference: row.railReference as string }, 'in_doubt', null), // A live one travels.
]
