import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import type { App } from '../app.ts'
import type { Charge } from '../charges/charge.ts'
import { lockCharges } from '../charges/lock-charges.ts'
import { type MerchantTerms, termsOf } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { type Batch, batch } from '../platform/batch.ts'
import { done, failed } from '../platform/batch-run.ts'
import { later } from '../platform/clock.ts'
import { type Call, call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { newId, tagOf } from '../platform/ids.ts'
import { defineLane, oneInEachCell } from '../platform/lane.ts'
import { type MerchantMode, type Mode, merchantModeKey } from '../platform/mode.ts'
import { notFound } from '../platform/refusal.ts'
import { byCharge, sharesOf } from '../subaccounts/shares.ts'
import { addEvents } from '../webhooks/events.ts'
import { type Dispute, disputeEventData, newDispute } from './dispute.ts'
import type { Report } from './report.ts'

export type ReportOnCharge = { merchantId: number; chargeId: string; report: Report }

/** `acknowledged`: nothing was stored; the customer sees the same page as for `opened`. */
export type Reported = 'opened' | 'acknowledged'

const DAY_MS = 86_400_000

// The first report of a merchant is never deleted. Locking it lets one transaction count at a time, so that the day's limit
// is exact.
const LOCK_FIRST = statement(
  'lock first dispute',
  'select d.id from disputes d where d.merchant_id = $1 order by d.opened_at, d.id limit 1 for no key update',
)
const TOLD_BEFORE = statement<{ at: Date }>(
  'when so many reports were told',
  `select coalesce(d.tell_at, d.opened_at) as at from disputes d where d.merchant_id = $1 and d.mode = $2
   order by coalesce(d.tell_at, d.opened_at) desc offset $3 limit 1`,
)
const ADD = statement<{ id: string }>(
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
export async function openDispute(app: App, actor: Actor, input: ReportOnCharge): Promise<Reported> {
  allow(actor, 'dispute.open')
  if (tagOf('txn_', input.chargeId) === null) throw notFound('charge')
  const outcome = await reportLane(app).add(input)
  const { kind, beyondLimit } = outcome
  if (beyondLimit !== null) warnOnceADay(app, { merchantId: input.merchantId, mode: beyondLimit })
  if (kind === 'opened') app.nudge('send-deliveries')
  return kind
}

/** `beyondLimit`: the mode in which the merchant's limit for the day is reached. */
type Outcome = { kind: Reported; beyondLimit: Mode | null }
/** One report of a merchant at a time, so that many of them do not use up the connections that payments need. */
const reportLane = defineLane(
  'report problems',
  (app): Batch<ReportOnCharge, Outcome> =>
    batch({
      run: (items) => Promise.all(items.map((item) => storeReport(app, item).then(done, failed))),
      laneOf: ({ merchantId }) => merchantId,
      max: 1,
    }),
)

const storeReport = (app: App, input: ReportOnCharge): Promise<Outcome> =>
  app.db.transaction((tx) => store(tx, app, input))

async function store(
  tx: Tx,
  app: App,
  { merchantId, chargeId, report }: ReportOnCharge,
): Promise<{ value: Outcome; last?: readonly Call[] }> {
  const [[terms]] = await tx.send(termsOf([merchantId]))
  assert(terms, 'a page has a merchant')
  if (app.config.reportsPerDay > 0) await tx.send(call(LOCK_FIRST, merchantId))
  const charge = await paidCharge(tx, { merchantId, chargeId })
  const { mode } = charge
  const at = app.clock.now()
  const tellAt = await laterThan(at, tx, { app, merchantId, mode })
  const beyondLimit = tellAt === null ? null : mode
  if (mode === 'test' && tellAt !== null) return { value: { kind: 'acknowledged', beyondLimit } }
  const dispute = newDispute(charge, report, { id: newId('dsp_', terms.tag), at, tellAt })
  const [[stored]] = await tx.send(addDispute(dispute))
  if (!stored) return { value: { kind: 'acknowledged', beyondLimit: null } }
  return { value: { kind: 'opened', beyondLimit }, last: eventOf(dispute, { charge, terms }) }
}

/**
 * When the event of a further report in this mode may be sent: null for at once. Otherwise a day after the event that is
 * `reportsPerDay` events back.
 */
async function laterThan(
  at: Date,
  tx: Tx,
  { app, merchantId, mode }: { app: App; merchantId: number; mode: Mode },
): Promise<Date | null> {
  const limit = app.config.reportsPerDay
  if (!(limit > 0)) return null
  const [[before]] = await tx.send(call(TOLD_BEFORE, merchantId, mode, limit - 1))
  if (!before) return null
  const nextSlot = later(before.at, DAY_MS)
  return nextSlot > at ? nextSlot : null
}

/** Locks the charge until the event about it is stored, and reads its shares. Throws 404 for one that never succeeded. */
async function paidCharge(tx: Tx, { merchantId, chargeId }: { merchantId: number; chargeId: string }) {
  const [[charge]] = await tx.send(lockCharges([{ merchantId, id: chargeId }]))
  if (charge?.status !== 'succeeded' && charge?.status !== 'refunded') throw notFound('charge')
  if (charge.shares === null) return charge
  const [shares] = await tx.send(sharesOf([charge]))
  return { ...charge, split: byCharge(shares).get(charge.id) ?? [] }
}

const addDispute = (dispute: Dispute) =>
  call(
    ADD,
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

function eventOf(dispute: Dispute, { charge, terms }: { charge: Charge; terms: MerchantTerms }): Call[] {
  const { merchantId, mode, id, openedAt, tellAt: notBefore } = dispute
  const data = disputeEventData(dispute, charge)
  const { tag, hasWebhookUrl } = terms
  return addEvents(
    [{ merchantId, tag, mode, type: 'dispute.opened', subject: id, data, hasWebhookUrl, notBefore }],
    openedAt,
  )
}

// When this process last logged a warning about a merchant and mode, in ms.
const warnings = oneInEachCell(() => new Map<number, number>())

/** Logs at most one warning a day for each merchant and mode, so that many reports do not cause many log lines. */
function warnOnceADay(app: App, { merchantId, mode }: MerchantMode): void {
  const warnedMs = warnings(app)
  const nowMs = app.clock.nowMs()
  const key = merchantModeKey({ merchantId, mode })
  if (nowMs - (warnedMs.get(key) ?? -Infinity) < DAY_MS) return
  warnedMs.set(key, nowMs)
  app.log.warn({ merchantId, mode, limit: app.config.reportsPerDay }, TOO_MANY[mode])
}

const TOO_MANY: Record<Mode, string> = {
  test: 'more test problems were reported in a day than are stored; the rest is only acknowledged',
  live: 'more live problems were reported in a day than a merchant is told of; the rest is stored and told of later',
}
