import { serviceActor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { largestPayout } from '../../../ledger/fees.ts'
import type { MerchantTerms } from '../../../merchants/account/merchant.ts'
import { assert } from '../../../platform/assert.ts'
import { type Call, call, type Tx } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import { domainRefusal, Refusal } from '../../../platform/refusal.ts'
import { addMs } from '../../../platform/time/clock.ts'
import { kampalaDay } from '../../../platform/time/kampala.ts'
import type { App } from '../../../program/app.ts'
import type { NewPayout } from '../../payouts/new-payout.ts'
import { releaseWithdrawal } from '../../payouts/write-payouts.ts'
import { acceptWithdrawal, decideWithdrawalRow, type WithdrawalDecision } from '../withdraw.ts'
import type { WithdrawalNumber } from '../withdrawal-number.ts'
import { nextRunOf, ORDER_COLUMNS, type RunFinding, type StandingOrder } from './standing-order.ts'

/** A time at which an order is due. Only one worker may run it. */
export type DueOrder = { merchantId: number; id: string; dueAt: Date }

/** `left`: another worker has claimed it, or it was changed or stopped since it was found due. */
type RunOutcome = RunFinding | 'still' | 'left'

// How long an order that stands still waits until it is looked at again.
const STILL_RETRY_MS = 15 * 60_000
const MAX_REASON_CHARACTERS = 300
const ACTOR = serviceActor('standing orders')

const CLAIM = statement<StandingOrder>(
  'claim standing order',
  `select ${ORDER_COLUMNS} from standing_orders o
   where o.merchant_id = $1 and o.id = $2 and o.state = 'approved' and o.due_at = $3 for no key update skip locked`,
)
/** What orders of the merchant have sent on this day, and of that without staff. */
type DaySums = { all: number; byItself: number }
const SUMS = statement<DaySums>(
  'runs of standing orders today',
  `select coalesce(sum(amount), 0)::bigint as "all", coalesce(sum(amount) filter (where by_itself), 0)::bigint as "byItself"
   from standing_order_runs where merchant_id = $1 and day = $2::date`,
)
type LastRun = { state: 'requested' | WithdrawalDecision; status: string; today: boolean }
const LAST_RUN = statement<LastRun>(
  'last run of standing order',
  `select w.state, p.status, r.day = $3::date as today from standing_order_runs r
     join withdrawals w on w.merchant_id = r.merchant_id and w.id = r.withdrawal_id
     join payouts p on p.merchant_id = r.merchant_id and p.id = r.withdrawal_id
   where r.merchant_id = $1 and r.order_id = $2 order by r.due_at desc limit 1`,
)
const ADD_RUN = statement(
  'add run of standing order',
  `insert into standing_order_runs (merchant_id, order_id, due_at, withdrawal_id, ran_at, day, revision, amount, phone, by_itself, day_total, day_limit)
   values ($1, $2, $3, $4, $5, $6::date, $7, $8, $9, $10, $11, $12)`,
)
const ADVANCE = statement(
  'advance standing order',
  `update standing_orders set due_at = $4, try_at = $4, last_at = $5, last_found = $6,
     still_code = null, still_says = null, still_since = null, still_told = true
   where merchant_id = $1 and id = $2 and state = 'approved' and due_at = $3`,
)
const STAND_STILL = statement(
  'standing order stands still',
  `update standing_orders set try_at = $4, still_since = case when still_code = $5 then still_since else $6 end,
     still_told = still_told and still_code is not distinct from $5, still_code = $5, still_says = $7
   where merchant_id = $1 and id = $2 and state = 'approved' and due_at = $3`,
)

/** The order is not due any more, or another worker has it. */
class NotDue extends Error {}

/** The claimed order, the moment of its run with the day in Kampala, and what was sent on that day. */
type ClaimedRun = { order: StandingOrder; at: Date; day: string; sums: DaySums }

/**
 * Runs an order that is due: at most one withdrawal, made by the door of all withdrawals. Within the approved limit it is approved in the
 * same commit; above it waits for staff. What the door refuses lets the order stand still, and it is tried again.
 */
export async function runStandingOrder(app: App, due: DueOrder): Promise<RunOutcome> {
  const { merchantId, id, dueAt } = due
  allow(ACTOR, 'standing-order.run', merchantId)
  const progress: { run: ClaimedRun | null; found: RunFinding } = { run: null, found: 'asked' }
  const claimed = (): ClaimedRun => {
    assert(progress.run !== null, 'the claim comes first')
    return progress.run
  }
  try {
    await acceptWithdrawal(app, ACTOR, {
      merchantId,
      key: `standing order ${id} ${dueAt.getTime()}`,
      facts: { standing_order: id },
      async claim(tx) {
        progress.run = await claimRun(app, tx, due)
      },
      amount: (available) => chooseAmount(app, claimed(), available),
      least: () => leastOf(app, claimed()),
      judge: judgeAccount,
      judgeNumber: (own) => judgeOwnNumber(claimed().order, own),
      alongside(payout) {
        progress.found = isWithinLimit(claimed(), payout.amount) ? 'sent' : 'asked'
        return recordRun(claimed(), payout, due)
      },
    })
  } catch (error) {
    if (error instanceof NotDue) return 'left'
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    return recordRefusal(app, due, { run: progress.run, refusal: error })
  }
  crashPoint('standing-order.withdrawn')
  return progress.found
}

/** An account that closes sends what it holds with its closing, when customers have had their time to report problems. */
function judgeAccount({ account }: MerchantTerms): void {
  if (account !== 'open')
    throw domainRefusal('account_closed', 'the account is being closed: what it holds is paid out with that')
}

function judgeOwnNumber({ approvedPhone }: StandingOrder, { phone }: WithdrawalNumber): void {
  if (phone !== approvedPhone)
    throw domainRefusal('number_not_approved', 'the number is not the one for which this order was approved')
}

async function claimRun(app: App, tx: Tx, { merchantId, id, dueAt }: DueOrder): Promise<ClaimedRun> {
  // A clock that has stepped ahead must not open the limit of another day, nor put the next time off.
  const at = app.witness.earlier()
  const day = kampalaDay(at)
  const [[order]] = await tx.send(call(CLAIM, merchantId, id, dueAt.toISOString()))
  if (!order) throw new NotDue()
  crashPoint('standing-order.claimed')
  const [[sums], [last]] = await tx.send(call(SUMS, merchantId, day), call(LAST_RUN, merchantId, id, day))
  assert(sums, 'an aggregate is one row')
  if (last?.state === 'requested')
    throw domainRefusal('withdrawal_waits', 'the last withdrawal of this order waits for our staff')
  // What came back once comes back again: it is not tried every hour.
  if (last?.today && last.status === 'failed')
    throw domainRefusal(
      'withdrawal_came_back',
      'the last withdrawal of this order came back: it is tried again tomorrow',
    )
  return { order, at, day, sums }
}

/** The largest amount that keeps back what is to stay and respects the limit of the day, with its fee. */
function chooseAmount({ config }: App, { order, sums }: ClaimedRun, available: number): number {
  const most = Math.min(order.dayLimit - sums.all, config.railPayoutMax, config.amountMax)
  return Math.max(0, Math.min(largestPayout(available - order.keepBack), most))
}

/** The least that is sent: what the merchant ordered, or the minimum of every withdrawal where that was raised above it since. */
const leastOf = ({ config }: App, { order }: ClaimedRun): number => Math.max(order.least, config.withdrawalMin)

const limitOf = ({ order }: ClaimedRun): number => {
  assert(order.approvedLimit !== null, 'an approved order has its limit')
  return order.approvedLimit
}
const isWithinLimit = (run: ClaimedRun, amount: number): boolean => run.sums.byItself + amount <= limitOf(run)

/** Writes the run and the next time with the withdrawal; within the limit also its approval. */
function recordRun(
  run: ClaimedRun,
  { id: withdrawal, amount, recipientPhone: phone }: NewPayout,
  due: DueOrder,
): Call[] {
  const { order, at, day, sums } = run
  const { merchantId, id, revision } = order
  const byItself = isWithinLimit(run, amount)
  const total = byItself ? sums.byItself + amount : sums.byItself
  const facts = [withdrawal, at.toISOString(), day, revision, amount, phone, byItself, total, limitOf(run)]
  const act = { actor: ACTOR, action: 'standing-order.run', at, merchantId, mode: 'live', subject: withdrawal } as const
  return [
    call(ADD_RUN, merchantId, id, due.dueAt.toISOString(), ...facts),
    ...(byItself
      ? [
          decideWithdrawalRow(merchantId, withdrawal, { decision: 'approved', note: null, at }),
          releaseWithdrawal(merchantId, withdrawal, at),
          auditRow({ ...act, after: { standing_order: id, revision, amount, total, limit: limitOf(run) } }),
        ]
      : []),
    advance(run, due, byItself ? 'sent' : 'asked'),
  ]
}

/** Sets the next time. The clock may have stepped back since the order was found due: its own time must not become the next one. */
function advance({ order, at }: ClaimedRun, { merchantId, id, dueAt }: DueOrder, found: RunFinding): Call {
  const next = nextRunOf(order, at < dueAt ? dueAt : at).toISOString()
  return call(ADVANCE, merchantId, id, dueAt.toISOString(), next, at.toISOString(), found)
}

type RefusedRun = { run: ClaimedRun | null; refusal: Refusal }

/** Too little to send leads to the next time; for anything else the order stands still and says why. */
async function recordRefusal(app: App, due: DueOrder, { run, refusal }: RefusedRun): Promise<RunOutcome> {
  if (run !== null && refusal.code === 'amount_too_small') {
    const found = run.order.dayLimit - run.sums.all < leastOf(app, run) ? 'day-limit' : 'too-little'
    const write = advance(run, due, found)
    await app.db.query(write.statement, write.values)
    return found
  }
  const { merchantId, id, dueAt } = due
  const now = app.witness.earlier()
  const retry = addMs(now < dueAt ? dueAt : now, STILL_RETRY_MS)
  const times = [dueAt, retry].map((time) => time.toISOString())
  const why = [refusal.code, now.toISOString(), refusal.message.slice(0, MAX_REASON_CHARACTERS)]
  await app.db.query(STAND_STILL, [merchantId, id, ...times, ...why])
  return 'still'
}
