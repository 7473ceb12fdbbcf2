import type { App } from '../app.ts'
import type { Charge } from '../charges/charge.ts'
import { lockCharges } from '../charges/refunded-charges.ts'
import { type MerchantTerms, termsOf } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { type Batch, batch, done } from '../platform/batch.ts'
import { later } from '../platform/clock.ts'
import { type Call, call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { newId, tagOf } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { byCharge, sharesOf } from '../subaccounts/shares.ts'
import { addEvents } from '../webhooks/events.ts'
import { type Dispute, disputeEventData, newDispute } from './dispute.ts'
import type { Report } from './report.ts'

export type ReportOnCharge = { merchantId: number; chargeId: string; report: Report }

/** `acknowledged`: nothing was stored, and the customer is thanked all the same. */
export type Reported = 'opened' | 'acknowledged'

const DAY_MS = 86_400_000

// The first report that a merchant ever got never goes: whoever holds it counts alone, so that the day's limit is exact.
const LOCK_FIRST = statement(
  'lock first dispute',
  'select d.id from disputes d where d.merchant_id = $1 order by d.opened_at, d.id limit 1 for no key update',
)
const COUNT_SINCE = statement<{ reports: number }>(
  'count reports',
  `select count(*) as reports from (select 1 from disputes d where d.merchant_id = $1 and d.opened_at > $2 limit $3) as latest`,
)
const ADD = statement<{ id: string }>(
  'add dispute',
  `insert into disputes (merchant_id, id, mode, charge_id, reason, details, contact, opened_at, respond_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (merchant_id, charge_id) where closed_at is null do nothing returning id`,
)

/**
 * Stores a customer's report on a payment, with its event, in one commit (contract.md G48). While one is open for that
 * charge, and beyond the reports that a merchant gets in a day, it is acknowledged and nothing is stored. Throws 404
 * `charge not found` for a charge that never succeeded.
 */
export async function openDispute(app: App, reported: ReportOnCharge): Promise<Reported> {
  if (tagOf('txn_', reported.chargeId) === null) throw notFound('charge')
  const outcome = await deskOf(app).reports.add(reported)
  if (outcome === 'too many') warnOnceADay(app, reported.merchantId)
  if (outcome === 'opened') app.nudge('send-deliveries')
  return outcome === 'opened' ? 'opened' : 'acknowledged'
}

type Outcome = Reported | 'too many'
/** What a process knows about reports: the one under way in each lane, and when it last complained about a merchant's. */
type Desk = { reports: Batch<ReportOnCharge, Outcome>; warnedMs: Map<number, number> }
const desks = new WeakMap<App, Desk>()

/** Reports take turns, so that a flood of them waits for itself and not for the connections that money needs. */
function deskOf(app: App): Desk {
  const known = desks.get(app)
  if (known) return known
  const reports = batch<ReportOnCharge, Outcome>({
    run: (items) => Promise.all(items.map(async (one) => done(await storeReport(app, one)))),
    laneOf: ({ merchantId }) => merchantId,
    max: 1,
  })
  const desk = { reports, warnedMs: new Map<number, number>() }
  desks.set(app, desk)
  return desk
}

const storeReport = (app: App, reported: ReportOnCharge): Promise<Outcome> =>
  app.db.transaction((tx) => store(tx, app, reported))

async function store(
  tx: Tx,
  app: App,
  { merchantId, chargeId, report }: ReportOnCharge,
): Promise<{ value: Outcome; last?: readonly Call[] }> {
  const [[terms]] = await tx.send(termsOf([merchantId]))
  assert(terms, 'a page has a merchant')
  const limited = await tooMany(tx, app, merchantId)
  const charge = await paidCharge(tx, { merchantId, chargeId })
  if (limited) return { value: 'too many' }
  const at = app.clock.now()
  const dispute = newDispute(charge, report, { id: newId('dsp_', terms.tag), at })
  const [[stored]] = await tx.send(addDispute(dispute))
  if (!stored) return { value: 'acknowledged' }
  return { value: 'opened', last: eventOf(dispute, { charge, terms }) }
}

async function tooMany(tx: Tx, app: App, merchantId: number): Promise<boolean> {
  const limit = app.config.reportsPerDay
  if (!(limit > 0)) return false
  await tx.send(call(LOCK_FIRST, merchantId))
  const since = later(app.clock.now(), -DAY_MS).toISOString()
  const [[counted]] = await tx.send(call(COUNT_SINCE, merchantId, since, limit))
  return (counted?.reports ?? 0) >= limit
}

/** The charge as it stands, locked until the event that shows it is stored, with its shares where it has some. */
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
  )

function eventOf(dispute: Dispute, { charge, terms }: { charge: Charge; terms: MerchantTerms }): Call[] {
  const { merchantId, mode, id, openedAt } = dispute
  const data = disputeEventData(dispute, charge)
  const { tag, hasWebhookUrl } = terms
  return addEvents(
    [{ merchantId, tag, mode, type: 'dispute.opened', subject: id, data, hasWebhookUrl }],
    openedAt,
  )
}

/** A flood must not become a flood of lines. */
function warnOnceADay(app: App, merchantId: number): void {
  const { warnedMs } = deskOf(app)
  const nowMs = app.clock.nowMs()
  if (nowMs - (warnedMs.get(merchantId) ?? -Infinity) < DAY_MS) return
  warnedMs.set(merchantId, nowMs)
  const limit = app.config.reportsPerDay
  app.log.warn(
    { merchantId, limit },
    'more problems were reported in a day than are stored; the rest is only acknowledged',
  )
}
