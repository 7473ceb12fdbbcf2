import type { Caller } from '../api/access/actor.ts'
import { parseListWindow } from '../api/http/lists/lists.ts'
import { getLedgerHead } from '../ledger/get-ledger-head.ts'
import type { Merchant } from '../merchants/account/merchant.ts'
import { readFreezes } from '../merchants/account/payout-freeze.ts'
import { findSilentAddresses, type SilentAddress } from '../merchants/webhooks/addresses/find-addresses.ts'
import { type FailingSummary, findFailingDeliveries } from '../merchants/webhooks/failing-deliveries.ts'
import { listDeliveries } from '../merchants/webhooks/find-deliveries.ts'
import { findStop } from '../payments/payouts/find-stop.ts'
import { countPrepared } from '../payments/payouts/prepared/find-prepared.ts'
import { listActiveSchedules, listSchedules } from '../payments/scheduled-payouts/find-schedules.ts'
import { forecastRuns } from '../payments/scheduled-payouts/forecast.ts'
import { findStandingOrder } from '../payments/withdrawals/standing-orders/find-standing-orders.ts'
import { addMs } from '../platform/time/clock.ts'
import type { App } from '../program/app.ts'
import { listDisputes } from '../selling/disputes/close-dispute.ts'

/** Something that waits for a person of the merchant; `subject` is its id, where it is about one object. */
export type Need =
  | { kind: 'disputes'; count: number; more: boolean }
  | { kind: 'webhooks'; subject: string; at: Date }
  /** Events that the receiver does not accept now, with its last answer. */
  | { kind: 'webhooks-failing'; failing: FailingSummary }
  /** A webhook address beside the first one that takes nothing, or was switched off for that. */
  | { kind: 'address-silent'; address: SilentAddress }
  | { kind: 'schedule'; subject: string }
  /** The first cycle of the next days that the balance does not cover, and what is missing, in whole UGX. */
  | { kind: 'payroll-short'; subject: string; at: Date; missing: number }
  | { kind: 'prepared'; count: number; more: boolean }
  | { kind: 'rejected' }
  | { kind: 'payouts-stopped'; says: string }
  /** The standing order was refused (null), or stands still for this reason. */
  | { kind: 'standing-order'; says: string | null }

const NO_STOP = { directory: null, cell: null }
const MAX_COUNTED = 10
const RECENT_MS = 24 * 3_600_000
const PAYROLL_AHEAD_MS = 7 * 24 * 3_600_000

/** Reads what waits for a person of the merchant, most urgent first: a few index look-ups, however much the merchant has. */
export async function readNeeds(
  app: App,
  caller: Caller,
  merchant: Pick<Merchant, 'id' | 'kycStatus' | 'testClockOffsetMs'>,
): Promise<Need[]> {
  const { mode } = caller
  const window = parseListWindow({ limit: '1' })
  const since = new Date(app.clock.nowMs() - RECENT_MS)
  const [head, disputes, failing, silent, failed, paused, waiting, schedules, order] = await Promise.all([
    getLedgerHead(app, { merchantId: merchant.id, mode }),
    listDisputes(app, merchant.id, { mode, state: 'open', limit: MAX_COUNTED + 1 }),
    findFailingDeliveries(app, caller),
    findSilentAddresses(app, caller),
    listDeliveries(app, caller, { ...window, createdAfter: since, status: 'failed', event: null }),
    listSchedules(app, caller, { ...window, status: 'paused' }),
    countPrepared(app, caller, MAX_COUNTED + 1),
    listActiveSchedules(app, caller),
    mode === 'live' ? findStandingOrder(app, merchant.id) : null,
  ])
  const { directory, cell } = mode === 'live' ? await readFreezes(app) : NO_STOP
  const stop = findStop({ mode, frozenFor: directory ?? cell, head })
  const [delivery] = failed.data
  const [schedule] = paused.data
  const until = addMs(app.clock.now(), PAYROLL_AHEAD_MS + (mode === 'test' ? merchant.testClockOffsetMs : 0))
  const short = forecastRuns(schedules, { available: head.available, until }).find(({ after }) => after < 0)
  return [
    ...(stop === null ? [] : [{ kind: 'payouts-stopped' as const, says: stop.message }]),
    ...(merchant.kycStatus === 'rejected' ? [{ kind: 'rejected' as const }] : []),
    ...(order !== null && (order.stillSays !== null || order.state === 'refused')
      ? [{ kind: 'standing-order' as const, says: order.stillSays }]
      : []),
    ...(waiting === 0 ? [] : [{ kind: 'prepared' as const, ...capCount(waiting) }]),
    ...(short === undefined
      ? []
      : [{ kind: 'payroll-short' as const, subject: short.scheduleId, at: short.at, missing: -short.after }]),
    ...(disputes.length === 0 ? [] : [{ kind: 'disputes' as const, ...capCount(disputes.length) }]),
    ...(failing === null ? [] : [{ kind: 'webhooks-failing' as const, failing }]),
    ...silent.map((address) => ({ kind: 'address-silent' as const, address })),
    ...(delivery === undefined ? [] : [{ kind: 'webhooks' as const, subject: delivery.id, at: delivery.createdAt }]),
    ...(schedule === undefined ? [] : [{ kind: 'schedule' as const, subject: schedule.id }]),
  ]
}

const capCount = (count: number) => ({ count: Math.min(count, MAX_COUNTED), more: count > MAX_COUNTED })
