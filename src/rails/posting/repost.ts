import type { Call, Tx } from '../../platform/db/database.ts'
import { momentAt } from '../../platform/time/moment.ts'
import type { App } from '../../program/app.ts'
import { countQuestion, type Post, sendAttempt } from '../attempts.ts'
import { addEvidence } from '../evidence.ts'
import { findRail, READINESS_WAIT_MS } from '../find-rail.ts'
import { lockMovements } from '../lock-movements.ts'
import { buildPost, type Followed, type Movable, type Mover } from '../mover.ts'
import type { AnswerEvidence } from '../rail.ts'
import { postAndRecord } from './post.ts'
import { repostTimesFor, SENDING_MS } from './repost-times.ts'

/**
 * Posts again a movement that the operator does not know, under the same reference and through the same installation (rails.md
 * 4.5). `notFound` is the answer that led here. Returns false when it may not be posted now; then the questions go on.
 */
export function repostLost<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  lost: { row: Followed<Row, Failure>; notFound: AnswerEvidence },
): Promise<boolean> {
  switch (mover.repost) {
    case 'at once':
      return repostAtOnce(app, mover, lost)
    case 'through the queue':
      return backToQueue(app, mover, lost)
  }
}

type LostMovement<Row, Failure extends string> = { row: Followed<Row, Failure>; notFound: AnswerEvidence }

async function repostAtOnce<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  lost: LostMovement<Row, Failure>,
): Promise<boolean> {
  const { row } = lost
  const deadline = app.deadlineIn(READINESS_WAIT_MS)
  const ready = await findRail(app, row)?.readiness(mover.side, deadline, row.installation)
  if (ready?.kind !== 'ready') return false
  const sent = await markAsLost(app, mover, lost, async (tx, post, now) => {
    const [[marked]] = await tx.send(sendAttempt(post, row.installation, now))
    return {
      value: marked ? { post: { ...post, nth: marked.nth }, mark: momentAt(now) } : null,
      last: [mover.setFollowAt(row, new Date(now.getTime() + SENDING_MS))],
    }
  })
  if (sent === null) return false
  await postAndRecord(app, mover, { row, ...sent, repeated: true })
  return true
}

async function backToQueue<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  lost: LostMovement<Row, Failure>,
): Promise<boolean> {
  const queued = await markAsLost(app, mover, lost, async (_tx, _post, now) => ({
    value: true,
    last: [mover.setNextQuestion(lost.row, now, false)],
  }))
  return queued === true
}

/**
 * Marks the movement as not sent, on the locked row, and writes what `next` returns with it. Null when another process has sent or
 * finished it, or got an answer.
 */
function markAsLost<Row extends Movable, Failure extends string, T>(
  app: App,
  mover: Mover<Row, Failure>,
  { row, notFound }: LostMovement<Row, Failure>,
  next: (tx: Tx, post: Post, now: Date) => Promise<{ value: T; last: Call[] }>,
): Promise<T | null> {
  const post = buildPost(row, row.installation, row.nth)
  return app.db.transactionFor<T | null>({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockMovements(mover.noun, [row]))
    const now = app.clock.now()
    if (!locked?.open || locked.nth !== row.nth || !repostTimesFor(app, mover, row).isLost(locked, now.getTime()))
      return { value: null }
    await tx.send(countQuestion(post, 'not_sent', { at: now, notFoundAt: now, answer: 'not_found' }))
    const { value, last } = await next(tx, post, now)
    return { value, last: [...last, addEvidence(post, 'not_found', notFound)] }
  })
}
