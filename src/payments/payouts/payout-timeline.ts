import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { StoryLine } from '../../rails/movement-story.ts'
import { presentTimeline, readMovementStory, type StoryMovement } from '../exceptions/timeline.ts'
import { getPayout } from './find-payouts.ts'
import type { Payout } from './payout.ts'

const NEXT_CHECK = statement<{ followAt: Date | null }>(
  'next check of payout',
  'select follow_at as "followAt" from payouts where merchant_id = $1 and id = $2',
)

/** Reads what happened to a payout, newest first (rails.md 4.8). Throws 404 as for the payout itself. */
export async function readPayoutTimeline(
  app: App,
  caller: Caller,
  { id, query }: { id: string; query: PayoutTimelineQuery },
) {
  const payout = await getPayout(app, caller, id)
  const [row] = await app.db.query(NEXT_CHECK, [payout.merchantId, payout.id])
  return presentTimeline(app, { ...describePayout(payout), nextCheckAt: row?.followAt ?? null }, query)
}

/** Reads the same as lines of a story. Throws 404 as for the payout itself. */
export const readPayoutStory = async (app: App, caller: Caller, id: string): Promise<StoryLine[]> =>
  readMovementStory(app, describePayout(await getPayout(app, caller, id)))

function describePayout(payout: Payout): StoryMovement {
  const number = payout.railTransactionId
  const paid = number === null ? 'succeeded' : `succeeded, transaction ${number} of the operator`
  const outcome = payout.status === 'failed' ? `failed: ${payout.failureReason}; amount and fee are back` : paid
  const about = payout.status === 'failed' ? payout.failureReason : number
  const status = payout.status === 'failed' ? 'failed' : 'succeeded'
  return { ...payout, changes: [{ at: payout.completedAt, status, about, summary: outcome }] }
}

type PayoutTimelineQuery = Readonly<Record<string, string | undefined>>
