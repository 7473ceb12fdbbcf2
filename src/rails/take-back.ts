import type { App } from '../app.ts'
import type { Call } from '../platform/db/database.ts'
import { endAttempt } from './attempts.ts'
import { lockPosts } from './lock-posts.ts'
import type { Movable } from './mover.ts'
import { firstPost, type Submission } from './submit.ts'

/**
 * Takes back a movement that nobody has seen, after its operator proved that it took nothing. `hide` answers with a row if it
 * was still hidden, and `freed` gives back what it holds. False, with nothing written, when it was shown. Also true when an
 * earlier try whose COMMIT was not answered has done it.
 */
export function takeBackUnseen<Row extends Movable, Failure extends string>(
  app: App,
  work: Submission<Row, Failure>,
  { hide, freed }: { hide: Call<{ id: string }>; freed: readonly Call[] },
): Promise<boolean> {
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [hidden, [now]] = await tx.send(hide, lockPosts(work.mover.noun, [work.row]))
    if (hidden.length === 0) return { value: now?.voided === true }
    return {
      value: true,
      last: [...freed, endAttempt(firstPost(work), { state: 'void', at: app.clock.now() })],
    }
  })
}
