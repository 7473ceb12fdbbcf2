import { assert } from '../../platform/assert.ts'
import type { Call } from '../../platform/db/database.ts'
import type { App } from '../../program/app.ts'
import { type AttemptFacts, isCurrentPost, isRefusedOnce } from '../attempt-facts.ts'
import { endAttempt, type Post, storeAttemptRefusal } from '../attempts.ts'
import { addEvidence } from '../evidence.ts'
import type { MoveResult } from '../finishing/move.ts'
import { holdsForPost, lockMovements } from '../lock-movements.ts'
import { buildPost, type Movable, type Mover } from '../mover.ts'
import type { SubmitAnswer } from '../rail.ts'

/** A refusal of the only post of a movement, and the reason with which the movement fails. */
type RefusedPost<Row, Failure> = {
  row: Row
  post: Post
  heard: Extract<SubmitAnswer<Failure>, { kind: 'rejected' | 'unavailable' }>
  reason: Failure
  /** Commits with the failure. */
  alongside: readonly Call[]
  /** Undoes the movement instead if it was never shown, and throws the refusal that its caller gets. */
  undo?: () => Promise<void>
}

/**
 * Applies a definite refusal of the only post. The refusal is stored with the attempt first: if applying it fails (a locked head,
 * a closed month, a crash), this process or another applies it later (rails.md 4.4). Returns `overtaken` when the movement was posted
 * again since, or the operator has accepted it.
 */
export async function applyRefusal<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  refusal: RefusedPost<Row, Failure>,
): Promise<MoveResult> {
  const { row, post, reason: refusedAs, alongside, undo } = refusal
  const stored = await storeRefusal(app, mover, refusal)
  mover.crash.refusalKept()
  if (stored === 'overtaken') return 'overtaken'
  await undo?.()
  const refused = { ...row, installation: post.installation, nth: post.nth, refusedAs }
  return failAsRefused(app, mover, refused, { holds: isRefusedOnce, alongside })
}

/** Decides on the locked attempt whether the refusal counts, and stores it with its evidence. */
function storeRefusal<Row extends Movable, Failure extends string>(
  app: App,
  { noun }: Mover<Row, Failure>,
  { row, post, heard, reason }: RefusedPost<Row, Failure>,
): Promise<'counts' | 'overtaken'> {
  const isKept = holdsForPost(post.nth, isRefusedOnce)
  const isCurrent = holdsForPost(post.nth, (locked) => isCurrentPost(locked, post.nth))
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockMovements(noun, [row]))
    assert(locked, 'a live movement has an attempt')
    // An earlier try of this process was committed, but the answer to its COMMIT was lost.
    if (locked.refusedAs !== null && isKept(locked)) return { value: 'counts' }
    const evidence = addEvidence(post, heard.kind, heard.evidence)
    if (!isCurrent(locked)) return { value: 'overtaken', last: [evidence] }
    return { value: 'counts', last: [storeAttemptRefusal(post, app.clock.now(), reason), evidence] }
  })
}

type RefusedMovement<Row, Failure extends string> = Row &
  Pick<AttemptFacts<Failure>, 'installation' | 'nth' | 'refusedAs'>

/** Makes a movement fail whose refusal is stored with its attempt, if `holds` is still true of the locked rows. */
export function failAsRefused<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  row: RefusedMovement<Row, Failure>,
  { holds, alongside }: { holds: (locked: AttemptFacts) => boolean; alongside: readonly Call[] },
): Promise<MoveResult> {
  assert(row.refusedAs !== null, 'a refusal has its word')
  const finishAttempt = endAttempt(buildPost(row, row.installation, row.nth), { at: app.clock.now() })
  return mover.finish(app, row, {
    to: { status: 'failed', reason: row.refusedAs },
    still: holdsForPost(row.nth, holds),
    alongside: [...alongside, finishAttempt],
  })
}
