import type { App } from '../app.ts'
import { finishOrphans, type Orphan, type OrphanEnd } from '../idempotency/orphans.ts'
import { call, type Tx } from '../platform/db/database.ts'
import type { Statement } from '../platform/db/statement.ts'
import { moveAttempt } from './attempts.ts'
import type { Movable, Mover } from './mover.ts'

// By then the request that reserved a live key has given up: its submit ends within 25 s.
const ORPHANED_AFTER_MS = 30_000

type Left<Row extends Movable, Failure extends string> = {
  mover: Mover<Row, Failure>
  /** The letters that ids of this noun begin with. */
  prefix: string
  /** Locks the movement of merchant $1 with id $2, if it was not taken back. */
  find: Statement<Row & { published: boolean }>
  /** The 201 as the request would have shown it, without later changes. */
  firstView(tx: Tx, row: Row): Promise<object>
}

/**
 * Finishes the keys that a process left behind when it died between storing a live movement and answering: one that exists
 * gives its key the first answer, one that was taken back frees it (G58). Answers how many.
 */
export const finishMovementKeys = <Row extends Movable, Failure extends string>(
  app: App,
  left: Left<Row, Failure>,
): Promise<number> =>
  finishOrphans(app, {
    prefix: left.prefix,
    afterMs: ORPHANED_AFTER_MS,
    endOf: (tx, orphan) => endOf(app, tx, { ...left, orphan }),
  })

async function endOf<Row extends Movable, Failure extends string>(
  app: App,
  tx: Tx,
  { mover, find, firstView, orphan }: Left<Row, Failure> & { orphan: Orphan },
): Promise<OrphanEnd> {
  const [[row]] = await tx.send(call(find, orphan.merchantId, orphan.objectId))
  if (!row) return { answer: null }
  const body = JSON.stringify(await firstView(tx, row))
  return { answer: { status: 201, body }, writes: row.published ? [] : showInDoubt(app, mover, row) }
}

/** It must be visible once its answer is: from now on a process that wakes up late cannot take it back. */
const showInDoubt = <Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  row: Row,
) => [
  mover.publish(app, row, { acceptedBy: null }),
  moveAttempt({ merchantId: row.merchantId, reference: row.railReference as string }, 'in_doubt', null), // A live one travels.
]
