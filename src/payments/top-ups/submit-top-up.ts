import type { Moment } from '../../platform/time/moment.ts'
import type { App } from '../../program/app.ts'
import { refuseMovement, type Submission, submitMovement } from '../../rails/posting/submit.ts'
import { takeBackUnseen } from '../../rails/posting/take-back.ts'
import type { ChargeFailure } from '../../rails/rail.ts'
import { railUnavailable } from '../charges/charge-rules.ts'
import { presentTopUp, type TopUp } from './top-up.ts'
import { TOP_UP_MOVER } from './top-up-mover.ts'
import { takeBackTopUp } from './write-top-ups.ts'

/**
 * A stored top-up, when it was marked as sending, and the installation that will carry it. `untilAnswered`: the caller waits for the rail's
 * answer without a time limit.
 */
type TopUpSubmission = { topUp: TopUp; mark: Moment; installation: string; untilAnswered: boolean }

/**
 * Asks the rail to collect a stored top-up, outside any transaction, and records the answer (rails.md 3.8). Throws 502 if
 * the rail did not accept it and the top-up was taken back.
 */
export async function submitTopUp(
  app: App,
  { topUp, mark, installation, untilAnswered }: TopUpSubmission,
): Promise<void> {
  const work: Submission<TopUp, ChargeFailure> = {
    mover: TOP_UP_MOVER,
    row: topUp,
    mark,
    installation,
    owner: null,
    spent: null,
    untilAnswered,
    firstAnswer: () => ({
      status: 201,
      body: JSON.stringify(presentTopUp({ ...topUp, status: 'authorized' })),
      objectId: topUp.id,
    }),
    refuseNotTaken: (_, heard, parked) => {
      const undo = async () => {
        const hide = takeBackTopUp(topUp, app.clock.now())
        if (!parked && (await takeBackUnseen(app, work, { hide, freed: [] })))
          throw railUnavailable(heard.retryAfterSeconds)
      }
      return refuseMovement(app, work, { heard, reason: 'rail_rejected', undo })
    },
  }
  await submitMovement(app, work)
}
