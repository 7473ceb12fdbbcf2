import type { Call } from '../../platform/db/database.ts'
import type { App } from '../../program/app.ts'
import { endAttempt } from '../attempts.ts'
import { lockMovements } from '../lock-movements.ts'
import type { Movable } from '../mover.ts'
import { firstPost, type Submission } from './submit.ts'

/**
 * Takes back a movement that was never shown, after its operator proved that it took nothing. `hide` returns a row if the movement
 * was still hidden, and `freed` gives back its key and card. Returns false, with nothing written, when it was shown; true also when an
 * earlier try has done it whose COMMIT was not answered.
 */
export function takeBackUnseen<Row extends Movable, Failure extends string>(
  app: App,
  work: Submission<Row, Failure>,
  { hide, freed }: { hide: Call<{ id: string }>; freed: readonly Call[] },
): Promise<boolean> {
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [hidden, [locked]] = await tx.send(hide, lockMovements(work.mover.noun, [work.row]))
    if (hidden.length === 0) return { value: locked?.voided === true }
    return {
      value: true,
      last: [...freed, endAttempt(firstPost(work), { state: 'void', at: app.clock.now() })],
    }
  })
}
