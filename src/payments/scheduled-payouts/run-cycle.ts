import { inOpenMonth, lockHeads } from '../../ledger/book.ts'
import { clockOffsetMs, type MerchantTerms } from '../../merchants/account/merchant.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { Refusal } from '../../platform/refusal.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { openDesk } from '../payouts/desk/desk.ts'
import { lockGuards } from '../payouts/desk/lock-desk.ts'
import { type NewPayout, newPayout } from '../payouts/new-payout.ts'
import { judgePayout } from '../payouts/payout-rules.ts'
import { computeCost } from '../payouts/reserve-payout.ts'
import { cycleDay, nextRun } from './next-run.ts'
import { SCHEDULE_COLUMNS, type Schedule } from './schedule.ts'

/** One date of one schedule, which only one worker may run. */
export type DueCycle = { merchantId: number; mode: Mode; id: string; dueAt: Date }

/** `left`: nothing was written and the cycle stays due, because another worker has claimed it or the account may not pay now. */
export type CycleOutcome = 'ran' | 'paused' | 'left'

/** A claimed schedule, the date that is due, and the real time of the run. */
type ClaimedCycle = { schedule: Schedule; dueAt: Date; terms: MerchantTerms; at: Date }

const CLAIM_CYCLE = statement<Schedule>(
  'claim cycle',
  `select ${SCHEDULE_COLUMNS} from schedules s
   where s.merchant_id = $1 and s.id = $2 and s.status = 'active' and s.next_run_at = $3 for no key update skip locked`,
)
const ADVANCE_SCHEDULE = statement(
  'advance schedule',
  `update schedules set next_run_at = $4, last_run_at = $5
   where merchant_id = $1 and id = $2 and status = 'active' and next_run_at = $3`,
)
const PAUSE_SCHEDULE = statement(
  'pause schedule of cycle',
  `update schedules set status = 'paused', failure_reason = $4
   where merchant_id = $1 and id = $2 and status = 'active' and next_run_at = $3`,
)

/**
 * Runs one cycle completely or not at all: all payouts with their reservations and the next date are one commit (G15c). If
 * the balance is too low for all of them, or a rule refuses them, the schedule is paused and no one is paid.
 */
export async function runCycle(app: App, due: DueCycle): Promise<CycleOutcome> {
  const outcome = await inOpenMonth(() => runOnce(app, due))
  if (outcome !== 'ran') return outcome
  crashPoint('cycle.advanced')
  app.nudge('send-payouts')
  return outcome
}

function runOnce(app: App, { merchantId, mode, id, dueAt }: DueCycle): Promise<CycleOutcome> {
  const at = app.witness.earlier()
  const merchantMode = { merchantId, mode }
  return app.db.transaction<CycleOutcome>(async (tx) => {
    const [[schedule], terms, stops] = await tx.send(
      call(CLAIM_CYCLE, merchantId, id, dueAt.toISOString()),
      ...lockGuards([merchantMode]),
    )
    if (!schedule) return { value: 'left' }
    crashPoint('cycle.claimed')
    const [heads] = await tx.send(lockHeads([merchantMode]))
    const desk = await openDesk(app, tx, { terms, stops, heads, at })
    const cycle = { schedule, dueAt, terms: desk.termsOf(merchantId), at }
    if (!cycle.terms.active || desk.findStop(merchantMode) !== null) return { value: 'left' }
    const payouts = newCyclePayouts(app, cycle)
    const available = desk.availableFor({ ...merchantMode, subaccountId: null })
    const reason = findBrokenRule(app, cycle) ?? findShortfall(available, payouts)
    if (reason !== null)
      return { value: 'paused', last: [call(PAUSE_SCHEDULE, merchantId, id, dueAt.toISOString(), reason)] }
    for (const payout of payouts) desk.reserve(payout)
    await tx.send(...desk.writes())
    crashPoint('cycle.created')
    return { value: 'ran', last: [advanceSchedule(cycle)] }
  })
}

/** Returns why the rules of a payout refuse this cycle, or null. Checked for each cycle: verification and limits may have changed. */
function findBrokenRule(app: App, { schedule, terms }: ClaimedCycle): string | null {
  const { amount, channel, mode } = schedule
  try {
    judgePayout({ amount, currency: 'UGX', channel }, { terms, mode, config: app.config })
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.code === 'verification_required' ? error.code : error.message
  }
}

function findShortfall(available: number, payouts: readonly NewPayout[]): string | null {
  const need = payouts.reduce((sum, payout) => sum + computeCost(payout), 0)
  if (available >= need) return null
  return `insufficient balance: have ${available}, need ${need} for ${payouts.length} recipient(s)`
}

function newCyclePayouts(app: App, { schedule, dueAt, terms, at }: ClaimedCycle): NewPayout[] {
  const { merchantId, id, mode, amount, channel, recipients, metadata } = schedule
  const day = cycleDay(dueAt)
  return recipients.map(({ phone, name, reference }, itemIndex) =>
    newPayout(
      app,
      { merchantId, tag: terms.tag, mode },
      {
        origin: { kind: 'scheduled', scheduleId: id, cycleAt: dueAt, itemIndex },
        amount,
        channel,
        phone,
        name,
        reference: reference ?? `${id}-${day}-${itemIndex}`,
        metadata,
        at,
      },
    ),
  )
}

/** Sets the next date after this cycle. */
function advanceSchedule({ schedule, dueAt, terms, at }: ClaimedCycle): Call {
  const { merchantId, id, mode, interval, anchorAt } = schedule
  const now = addMs(at, clockOffsetMs(terms, mode))
  // The clock may have stepped back since the cycle was found due; its own date must not become the next one.
  const next = nextRun(interval, { anchor: anchorAt, after: now < dueAt ? dueAt : now })
  return call(ADVANCE_SCHEDULE, merchantId, id, dueAt.toISOString(), next.toISOString(), at.toISOString())
}
