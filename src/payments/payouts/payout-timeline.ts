import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { presentTimeline } from '../exceptions/timeline.ts'
import { getPayout } from './find-payouts.ts'

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
  const number = payout.railTransactionId
  const paid = number === null ? 'succeeded' : `succeeded, transaction ${number} of the operator`
  const outcome = payout.status === 'failed' ? `failed: ${payout.failureReason}; amount and fee are back` : paid
  const changes = [{ at: payout.completedAt, summary: outcome }]
  return presentTimeline(app, { ...payout, nextCheckAt: row?.followAt ?? null, changes }, query)
}

type PayoutTimelineQuery = Readonly<Record<string, string | undefined>>
