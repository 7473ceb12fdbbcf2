import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { findTerms, type MerchantTerms } from '../../merchants/account/merchant.ts'
import { addEvents } from '../../merchants/webhooks/events.ts'
import type { Charge } from '../../payments/charges/charge.ts'
import { lockCharges } from '../../payments/charges/lock-charges.ts'
import { groupByCharge, sharesOfCharges } from '../../payments/subaccounts/shares.ts'
import { assert } from '../../platform/assert.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { itemDone, itemFailed } from '../../platform/batches/batch-run.ts'
import { defineLane, oncePerCell } from '../../platform/batches/lane.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { type MerchantMode, type Mode, merchantModeKey } from '../../platform/mode.ts'
import { notFound } from '../../platform/refusal.ts'
import { newId, parseTag } from '../../platform/text/ids.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { type Dispute, disputeEventData, newDispute } from './dispute.ts'
import type { CustomerReport } from './report.ts'

export type ReportOnCharge = { merchantId: number; chargeId: string; report: CustomerReport }

/** `acknowledged`: nothing was stored; the customer sees the same page as for `opened`. */
export type ReportResult = 'opened' | 'acknowledged'

const DAY_MS = 86_400_000

// The first report of a merchant is never deleted. Locking it lets one transaction count at a time, so that the day's limit
// is exact.
const LOCK_FIRST_DISPUTE = statement(
  'lock first dispute',
  'select d.id from disputes d where d.merchant_id = $1 order by d.opened_at, d.id limit 1 for no key update',
)
const EVENT_TIME_A_LIMIT_AGO = statement<{ at: Date }>(
  'when so many reports were told',
  `select coalesce(d.tell_at, d.opened_at) as at from disputes d where d.merchant_id = $1 and d.mode = $2
   order by coalesce(d.tell_at, d.opened_at) desc offset $3 limit 1`,
)
const ADD_DISPUTE = statement<{ id: string }>(
  'add dispute',
  `insert into disputes (merchant_id, id, mode, charge_id, reason, details, contact, opened_at, respond_by, tell_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (merchant_id, charge_id) where closed_at is null do nothing returning id`,
)

/**
 * Stores a customer's report on a payment, with its event, in one commit (contract.md G48). While one is open for that
 * charge it is acknowledged and nothing is stored. A merchant gets a limited number of events a day, each mode counted
 * separately: beyond that a test report is only acknowledged, and a live one is stored with its event on a later day.
 * Throws 404 `charge not found` for a charge that never succeeded.
 */
export async function openDispute(app: App, actor: Actor, input: ReportOnCharge): Promise<ReportResult> {
  allow(actor, 'dispute.open')
  if (parseTag('txn_', input.chargeId) === null) throw notFound('charge')
  const outcome = await reportLane(app).add(input)
  const { kind, beyondLimit } = outcome
  if (beyondLimit !== null) warnOnceADay(app, { merchantId: input.merchantId, mode: beyondLimit })
  if (kind === 'opened') app.nudge('send-deliveries')
  return kind
}

/** `beyondLimit`: the mode in which the merchant's limit for the day is reached. */
type StoredReport = { kind: ReportResult; beyondLimit: Mode | null }
/** One report of a merchant at a time, so that many of them do not use up the connections that payments need. */
const reportLane = defineLane(
  'report problems',
  (app): Batch<ReportOnCharge, StoredReport> =>
    newBatch({
      run: (items) => Promise.all(items.map((item) => storeReport(app, item).then(itemDone, itemFailed))),
      keyOf: ({ merchantId }) => merchantId,
      max: 1,
    }),
)

const storeReport = (app: App, input: ReportOnCharge): Promise<StoredReport> =>
  app.db.transaction((tx) => storeInTransaction(tx, app, input))

async function storeInTransaction(
  tx: Tx,
  app: App,
  { merchantId, chargeId, report }: ReportOnCharge,
): Promise<{ value: StoredReport; last?: readonly Call[] }> {
  const [[terms]] = await tx.send(findTerms([merchantId]))
  assert(terms, 'a page has a merchant')
  if (app.config.reportsPerDay > 0) await tx.send(call(LOCK_FIRST_DISPUTE, merchantId))
  const charge = await lockPaidCharge(tx, { merchantId, chargeId })
  const { mode } = charge
  const at = app.clock.now()
  const tellAt = await findNotBefore(at, tx, { app, merchantId, mode })
  const beyondLimit = tellAt === null ? null : mode
  if (mode === 'test' && tellAt !== null) return { value: { kind: 'acknowledged', beyondLimit } }
  const dispute = newDispute(charge, report, { id: newId('dsp_', terms.tag), at, tellAt })
  const [[stored]] = await tx.send(addDispute(dispute))
  if (!stored) return { value: { kind: 'acknowledged', beyondLimit: null } }
  return { value: { kind: 'opened', beyondLimit }, last: disputeOpenedEvents(dispute, { charge, terms }) }
}

/**
 * When the event of a further report in this mode may be sent: null for at once. Otherwise a day after the event that is
 * `reportsPerDay` events back.
 */
async function findNotBefore(
  at: Date,
  tx: Tx,
  { app, merchantId, mode }: { app: App; merchantId: number; mode: Mode },
): Promise<Date | null> {
  const limit = app.config.reportsPerDay
  if (!(limit > 0)) return null
  const [[before]] = await tx.send(call(EVENT_TIME_A_LIMIT_AGO, merchantId, mode, limit - 1))
  if (!before) return null
  const nextSlot = addMs(before.at, DAY_MS)
  return nextSlot > at ? nextSlot : null
}

/** Locks the charge until the event about it is stored, and reads its shares. Throws 404 for one that never succeeded. */
async function lockPaidCharge(tx: Tx, { merchantId, chargeId }: { merchantId: number; chargeId: string }) {
  const [[charge]] = await tx.send(lockCharges([{ merchantId, id: chargeId }]))
  if (charge?.status !== 'succeeded' && charge?.status !== 'refunded') throw notFound('charge')
  if (charge.shares === null) return charge
  const [shares] = await tx.send(sharesOfCharges([charge]))
  return { ...charge, split: groupByCharge(shares).get(charge.id) ?? [] }
}

const addDispute = (dispute: Dispute) =>
  call(
    ADD_DISPUTE,
    dispute.merchantId,
    dispute.id,
    dispute.mode,
    dispute.chargeId,
    dispute.reason,
    dispute.details,
    dispute.contact,
    dispute.openedAt.toISOString(),
    dispute.respondBy.toISOString(),
    dispute.tellAt?.toISOString() ?? null,
  )

function disputeOpenedEvents(dispute: Dispute, { charge, terms }: { charge: Charge; terms: MerchantTerms }): Call[] {
  const { merchantId, mode, id, openedAt, tellAt: notBefore } = dispute
  const data = disputeEventData(dispute, charge)
  const { tag, webhookUrl } = terms
  const hasWebhookUrl = webhookUrl !== null
  return addEvents(
    [{ merchantId, tag, mode, type: 'dispute.opened', subject: id, data, hasWebhookUrl, notBefore }],
    openedAt,
  )
}

// When this process last logged a warning about a merchant and mode, in ms.
const lastWarnings = oncePerCell(() => new Map<number, number>())

/** Logs at most one warning a day for each merchant and mode, so that many reports do not cause many log lines. */
function warnOnceADay(app: App, { merchantId, mode }: MerchantMode): void {
  const warnedMs = lastWarnings(app)
  const nowMs = app.clock.nowMs()
  const key = merchantModeKey({ merchantId, mode })
  if (nowMs - (warnedMs.get(key) ?? -Infinity) < DAY_MS) return
  warnedMs.set(key, nowMs)
  app.log.warn({ merchantId, mode, limit: app.config.reportsPerDay }, LIMIT_WARNINGS[mode])
}

const LIMIT_WARNINGS: Record<Mode, string> = {
  test: 'more test problems were reported in a day than are stored; the rest is only acknowledged',
  live: 'more live problems were reported in a day than a merchant is told of; the rest is stored and told of later',
}
