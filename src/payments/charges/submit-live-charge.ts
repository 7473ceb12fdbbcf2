import type { Answer } from '../../api/http/answer.ts'
import { freeAnsweredKey, type RunningKey } from '../../api/idempotency/keys.ts'
import type { Call } from '../../platform/db/database.ts'
import type { TimeSpent } from '../../platform/log/spent.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { Moment } from '../../platform/time/moment.ts'
import type { App } from '../../program/app.ts'
import { refuseMovement, type Submission, submitMovement } from '../../rails/posting/submit.ts'
import { takeBackUnseen } from '../../rails/posting/take-back.ts'
import type { ChargeFailure, Unavailable } from '../../rails/rail.ts'
import type { Charge } from './charge.ts'
import { chargeJson } from './charge-json.ts'
import { CHARGE_MOVER } from './charge-mover.ts'
import { railUnavailable } from './charge-rules.ts'
import { finishCards } from './finish-cards.ts'
import { takeBackCharge } from './write-charge-status.ts'

/**
 * A stored live charge. `mark` is when it was marked as sending, `installation` will carry it, and `keyed` is the key under which it was
 * stored, with the answer that waits there until the charge is shown: null for a customer on a hosted page, who has none.
 */
type StoredLiveCharge = {
  charge: Charge
  mark: Moment
  installation: string
  keyed: { key: RunningKey; body: string } | null
  spent?: TimeSpent | null
}
type ChargeSubmission = Submission<Charge, ChargeFailure>

/**
 * Asks the rail to collect a stored live charge, outside any transaction, and records the answer (rails.md 3.8). Returns
 * 201 with the charge as `authorized`, or throws 502 when nothing was taken and nothing remains.
 */
export function submitLiveCharge(app: App, stored: StoredLiveCharge): Promise<Answer> {
  const { charge, mark, installation, keyed, spent = null } = stored
  crashPoint('charge.stored')
  const work: ChargeSubmission = {
    mover: CHARGE_MOVER,
    row: charge,
    mark,
    installation,
    owner: null,
    spent,
    firstAnswer: () => ({ status: 201, body: keyed?.body ?? firstLiveAnswer(charge), objectId: charge.id }),
    refuseNotTaken: (_, heard, parked) => refuseNotTaken(app, work, { heard, parked, key: keyed?.key ?? null }),
  }
  return submitMovement(app, work)
}

/** The body of the 201 of every live charge: authorized, never final, whatever its operator says (G11a). So it is known beforehand. */
export const firstLiveAnswer = (charge: Charge): string => chargeJson({ ...charge, status: 'authorized' })

/**
 * Handles the proof that the operator took nothing. A charge that was never shown is taken back. After the 201 it exists, so the
 * proof makes it fail (rails.md 3.8 rule 3).
 */
function refuseNotTaken(
  app: App,
  work: ChargeSubmission,
  { heard, parked, key }: { heard: Unavailable; parked: boolean; key: RunningKey | null },
): Promise<Answer> {
  const undo = async () => {
    if (!parked && (await takeBack(app, work, key))) throw railUnavailable(heard.retryAfterSeconds)
  }
  return refuseMovement(app, work, { heard, reason: 'rail_rejected', undo })
}

/** Takes back a charge that was never shown, and frees its key and card. Returns false when it was shown. */
function takeBack(app: App, work: ChargeSubmission, key: RunningKey | null): Promise<boolean> {
  const { row: charge } = work
  const at = app.clock.now()
  const freed = [...(key === null ? [] : [freeAnsweredKey(key)]), ...freeCard(charge, at)]
  return takeBackUnseen(app, work, { hide: takeBackCharge(charge, at), freed })
}

/** Frees the amount that the charge had reserved on a gift card. */
const freeCard = ({ merchantId, id: chargeId, giftCardAmount }: Charge, at: Date): Call[] =>
  giftCardAmount === 0 ? [] : finishCards([{ merchantId, chargeId, to: 'freed' }], at)
