import type { App } from '../../../program/app.ts'
import { askAboutMovement, QUESTION_DEADLINE_MS } from '../../../rails/following/ask.ts'
import { budgetedClaims, hasUnlimitedInstallation } from '../../../rails/following/budgeted-claims.ts'
import { followSafely } from '../../../rails/following/follow-safely.ts'
import { hasLiveRail } from '../../../rails/live-rails.ts'
import { SENDING_MS } from '../../../rails/posting/repost-times.ts'
import type { CallDeadline } from '../../../rails/rail.ts'
import { authorizeTestPayouts } from '../write-payout-status.ts'
import { claimLivePayouts, type DuePayout, dueTestPayouts, type PayoutQueueName } from './claim-payouts.ts'
import { PAYOUTS_TO_ASK } from './claim-payouts-to-ask.ts'
import { PAYOUT_MOVER } from './payout-mover.ts'
import { sendQueuedPayout } from './send-queued-payout.ts'

/** How many test payouts one run takes; the next run follows at once. */
export const TEST_PAYOUTS_PER_RUN = 200
// Each queue has at most this many calls under way, so that a payroll never blocks a single payout (rails.md 4.6). One merchant
// gets half of them, so that the others have some while its own hang.
const MAX_LIVE_CALLS = 32
const MAX_CALLS_PER_MERCHANT = 16
// Fewer than all, so that an installation that does not answer leaves some for the others.
const MAX_QUESTIONS_PER_INSTALLATION = 24

/** Sends and follows payouts. `stop` waits for live calls that were started. */
type PayoutSender = { start(): Promise<number>; stop(): Promise<void> }

/** The calls of one queue that are under way, each with its payout. */
type QueueCalls = Map<Promise<unknown>, DuePayout>

/**
 * Makes the sender of every open payout that is due: it sends the queued ones and asks the rail about those under way (rails.md
 * section 4). Only the rail's answer finishes a payout: not its age, not silence, not `not_found`. A slow operator delays neither the
 * sandbox nor questions about others: calls are started, not awaited, and each queue has its own limit.
 */
export function payoutSender(app: App): PayoutSender {
  const queues: Record<PayoutQueueName, QueueCalls> = { queue: new Map(), 'under way': new Map() }

  const budgeted = budgetedClaims(app, PAYOUTS_TO_ASK, (installation) => {
    const underWay = [...queues['under way'].values()]
    const atInstallation = underWay.filter((duePayout) => duePayout.installation === installation).length
    return Math.min(MAX_LIVE_CALLS - underWay.length, MAX_QUESTIONS_PER_INSTALLATION - atInstallation)
  })

  function begin(name: PayoutQueueName, payout: DuePayout): void {
    const work = advanceSafely(app, payout, () => app.deadlineIn(QUESTION_DEADLINE_MS)).catch((error) =>
      app.log.warn({ err: error, object_id: payout.id }, 'a payout waits for the database'),
    )
    queues[name].set(work, payout)
    work.finally(() => queues[name].delete(work))
  }

  async function startQueue(name: PayoutQueueName): Promise<number> {
    const calls = queues[name]
    const free = MAX_LIVE_CALLS - calls.size
    if (free <= 0) return 0
    const leaseUntil = new Date(app.clock.nowMs() + SENDING_MS)
    const limited = app.statusBudget.limited()
    const room = {
      limit: free,
      limitPerMerchant: MAX_CALLS_PER_MERCHANT,
      busy: countByMerchant(calls),
      limited,
    }
    const claim = claimLivePayouts(name, { now: app.clock.now(), leaseUntil }, room)
    const due = await app.db.query(claim.statement, claim.values)
    for (const payout of due) begin(name, payout)
    return due.length
  }

  async function startLive(): Promise<number> {
    const queued = await startQueue('queue')
    const allowed = await budgeted.claim(SENDING_MS)
    for (const payout of allowed) begin('under way', payout)
    return queued + allowed.length + (hasUnlimitedInstallation(app) ? await startQueue('under way') : 0)
  }

  return {
    async start() {
      const live = hasLiveRail(app) ? await startLive() : 0
      return (await advanceTestPayouts(app)) + live
    },
    async stop() {
      budgeted.stop()
      await Promise.all(Object.values(queues).flatMap((calls) => [...calls.keys()]))
    },
  }
}

function countByMerchant(calls: QueueCalls): Map<number, number> {
  const busy = new Map<number, number>()
  for (const { merchantId } of calls.values()) busy.set(merchantId, (busy.get(merchantId) ?? 0) + 1)
  return busy
}

async function advanceTestPayouts(app: App): Promise<number> {
  const sending = authorizeTestPayouts(app.clock.now(), TEST_PAYOUTS_PER_RUN, app.config.sandboxOutcomeSeconds)
  const sent = await app.db.query(sending.statement, sending.values)
  const due = dueTestPayouts(app.clock.now(), TEST_PAYOUTS_PER_RUN)
  const payouts = await app.db.query(due.statement, due.values)
  // The sandbox makes no call, so one deadline serves all its rows.
  const deadline = app.deadlineIn(QUESTION_DEADLINE_MS)
  const handled = await Promise.all(payouts.map((payout) => advanceSafely(app, payout, () => deadline)))
  return sent.length + handled.filter(Boolean).length
}

const advanceSafely = (app: App, payout: DuePayout, deadline: () => CallDeadline): Promise<boolean> =>
  followSafely(app, PAYOUT_MOVER, payout, () => advancePayout(app, payout, deadline))

async function advancePayout(app: App, payout: DuePayout, deadline: () => CallDeadline): Promise<boolean> {
  switch (payout.state) {
    case 'queued':
    case 'not_sent':
      return sendQueuedPayout(app, payout)
    case 'sending':
    case 'accepted':
    case 'in_doubt':
      return askAboutMovement(app, PAYOUT_MOVER, { row: payout, deadline: deadline() })
    case 'ended':
    case 'void':
      return false
  }
}
