import type { App } from '../app.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import { markAt } from '../platform/mark.ts'
import { addEvidence, countQuestion, type Post, sendAttempt } from './attempts.ts'
import { lockPosts } from './lock-posts.ts'
import { type Followed, type Movable, type Mover, postOf } from './mover.ts'
import { postAndRecord } from './post.ts'
import type { Evidence } from './rail.ts'
import { READINESS_WAIT_MS, railFor } from './rail-for.ts'
import { repostsOf, SENDING_MS } from './repost-times.ts'

/**
 * Posts again a movement that the operator does not know, under the same reference and through the same installation (rails.md
 * 4.5). `notFound` is the answer that led here. Returns false when it may not be posted now; then the questions go on.
 */
export function postAgain<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  lost: { row: Followed<Row, Failure>; notFound: Evidence },
): Promise<boolean> {
  switch (mover.repost) {
    case 'at once':
      return repostAtOnce(app, mover, lost)
    case 'through the queue':
      return backToQueue(app, mover, lost)
  }
}

type Lost<Row, Failure extends string> = { row: Followed<Row, Failure>; notFound: Evidence }

async function repostAtOnce<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  lost: Lost<Row, Failure>,
): Promise<boolean> {
  const { row } = lost
  const deadline = app.deadlineIn(READINESS_WAIT_MS)
  const ready = await railFor(app, row)?.readiness(mover.side, deadline, row.installation)
  if (ready?.kind !== 'ready') return false
  const sent = await markAsLost(app, mover, lost, async (tx, post, now) => {
    const [[marked]] = await tx.send(sendAttempt(post, row.installation, now))
    return {
      value: marked ? { post: { ...post, nth: marked.nth }, mark: markAt(now) } : null,
      last: [mover.lookAt(row, new Date(now.getTime() + SENDING_MS))],
    }
  })
  if (sent === null) return false
  await postAndRecord(app, mover, { row, ...sent, repeated: true })
  return true
}

async function backToQueue<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  lost: Lost<Row, Failure>,
): Promise<boolean> {
  const queued = await markAsLost(app, mover, lost, async (_tx, _post, now) => ({
    value: true,
    last: [mover.askAgain(lost.row, now, false)],
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
  { row, notFound }: Lost<Row, Failure>,
  next: (tx: Tx, post: Post, now: Date) => Promise<{ value: T; last: Call[] }>,
): Promise<T | null> {
  const post = postOf(row, row.installation, row.nth)
  return app.db.transactionFor<T | null>({ kind: 'outcome' }, async (tx) => {
    const [[locked]] = await tx.send(lockPosts(mover.noun, [row]))
    const now = app.clock.now()
    if (!locked?.open || locked.nth !== row.nth || !repostsOf(app, mover, row).isLost(locked, now.getTime()))
      return { value: null }
    await tx.send(countQuestion(post, 'not_sent', { at: now, notFoundAt: now, answer: 'not_found' }))
    const { value, last } = await next(tx, post, now)
    return { value, last: [...last, addEvidence(post, 'not_found', notFound)] }
  })
}
