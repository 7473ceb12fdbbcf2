import type { Caller } from '../actors/actor.ts'
import type { App } from '../app.ts'
import { listDisputes } from '../disputes/close-dispute.ts'
import { readListWindow } from '../http/lists.ts'
import { findHead } from '../ledger/heads.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { readStops } from '../merchants/payout-freeze.ts'
import { stopOf } from '../payouts/payout-stops.ts'
import { countPrepared } from '../payouts/prepared/find-prepared.ts'
import { later } from '../platform/clock.ts'
import { activeSchedules, listSchedules } from '../scheduled-payouts/find-schedules.ts'
import { forecast } from '../scheduled-payouts/forecast.ts'
import { type Failing, failingDeliveries } from '../webhooks/failing-deliveries.ts'
import { listDeliveries } from '../webhooks/find-deliveries.ts'

/** Something that waits for a person of the merchant; `subject` is its id, where it is about one object. */
export type Need =
  | { kind: 'disputes'; count: number; more: boolean }
  | { kind: 'webhooks'; subject: string; at: Date }
  /** Events that the receiver does not accept now, with its last answer. */
  | { kind: 'webhooks-failing'; failing: Failing }
  | { kind: 'schedule'; subject: string }
  /** The first cycle of the next days that the balance does not cover, and what is missing, in whole UGX. */
  | { kind: 'payroll-short'; subject: string; at: Date; missing: number }
  | { kind: 'prepared'; count: number; more: boolean }
  | { kind: 'rejected' }
  | { kind: 'payouts-stopped'; says: string }

const NO_STOP = { directory: null, cell: null }
const MOST_COUNTED = 10
const RECENT_MS = 24 * 3_600_000
const PAYROLL_AHEAD_MS = 7 * 24 * 3_600_000

/** Reads what waits for a person of the merchant, most urgent first: a few index look-ups, however much the merchant has. */
export async function readNeeds(
  app: App,
  caller: Caller,
  merchant: Pick<Merchant, 'id' | 'kycStatus' | 'testClockOffsetMs'>,
): Promise<Need[]> {
  const { mode } = caller
  const window = readListWindow({ limit: '1' })
  const since = new Date(app.clock.nowMs() - RECENT_MS)
  const [head, disputes, failing, failed, paused, waiting, schedules] = await Promise.all([
    findHead(app, { merchantId: merchant.id, mode }),
    listDisputes(app, merchant.id, { mode, state: 'open', most: MOST_COUNTED + 1 }),
    failingDeliveries(app, caller),
    listDeliveries(app, caller, { ...window, createdAfter: since, status: 'failed', event: null }),
    listSchedules(app, caller, { ...window, status: 'paused' }),
    countPrepared(app, caller, MOST_COUNTED + 1),
    activeSchedules(app, caller),
  ])
  const { directory, cell } = mode === 'live' ? await readStops(app) : NO_STOP
  const stop = stopOf({ mode, frozenFor: directory ?? cell, head })
  const [delivery] = failed.data
  const [schedule] = paused.data
  const until = later(app.clock.now(), PAYROLL_AHEAD_MS + (mode === 'test' ? merchant.testClockOffsetMs : 0))
  const short = forecast(schedules, { available: head.available, until }).find(({ after }) => after < 0)
  return [
    ...(stop === null ? [] : [{ kind: 'payouts-stopped' as const, says: stop.message }]),
    ...(merchant.kycStatus === 'rejected' ? [{ kind: 'rejected' as const }] : []),
    ...(waiting === 0 ? [] : [{ kind: 'prepared' as const, ...counted(waiting) }]),
    ...(short === undefined
      ? []
      : [{ kind: 'payroll-short' as const, subject: short.scheduleId, at: short.at, missing: -short.after }]),
    ...(disputes.length === 0 ? [] : [{ kind: 'disputes' as const, ...counted(disputes.length) }]),
    ...(failing === null ? [] : [{ kind: 'webhooks-failing' as const, failing }]),
    ...(delivery === undefined
      ? []
      : [{ kind: 'webhooks' as const, subject: delivery.id, at: delivery.createdAt }]),
    ...(schedule === undefined ? [] : [{ kind: 'schedule' as const, subject: schedule.id }]),
  ]
}

const counted = (count: number) => ({ count: Math.min(count, MOST_COUNTED), more: count > MOST_COUNTED })
