import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { StoryLine } from '../../rails/movement-story.ts'
import { presentTimeline, readMovementStory, type StoryMovement } from '../exceptions/timeline.ts'
import type { Charge } from './charge.ts'
import { getCharge } from './find-charges.ts'

const NEXT_CHECK = statement<{ followAt: Date | null }>(
  'next check of charge',
  'select follow_at as "followAt" from charges where merchant_id = $1 and id = $2',
)

/** Reads what happened to a charge, newest first (rails.md 4.8). Throws 404 as for the charge itself. */
export async function readChargeTimeline(
  app: App,
  caller: Caller,
  { id, query }: { id: string; query: ChargeTimelineQuery },
) {
  const charge = await getCharge(app, caller, id)
  const [row] = await app.db.query(NEXT_CHECK, [charge.merchantId, charge.id])
  return presentTimeline(app, { ...describeCharge(charge), nextCheckAt: row?.followAt ?? null }, query)
}

/** Reads the same as lines of a story. Throws 404 as for the charge itself. */
export const readChargeStory = async (app: App, caller: Caller, id: string): Promise<StoryLine[]> =>
  readMovementStory(app, describeCharge(await getCharge(app, caller, id)))

function describeCharge(charge: Charge): StoryMovement {
  const { failureReason, railTransactionId, completedAt, refundedAt } = charge
  const number = railTransactionId === null ? '' : `, transaction ${railTransactionId} of the operator`
  const outcome = failureReason === null ? `succeeded${number}` : `failed: ${failureReason}`
  const status = failureReason === null ? 'succeeded' : 'failed'
  const changes = [
    { at: completedAt, status, about: failureReason ?? railTransactionId, summary: outcome },
    { at: refundedAt, status: 'refunded', about: null, summary: 'refunded' },
  ]
  return { ...charge, changes }
}

type ChargeTimelineQuery = Readonly<Record<string, string | undefined>>
