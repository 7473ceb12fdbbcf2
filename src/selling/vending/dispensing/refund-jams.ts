import { actingFor, serviceActor } from '../../../api/access/actor.ts'
import { dueCondition } from '../../../platform/db/due-times.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { Mode } from '../../../platform/mode.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { refundUndelivered } from './refund-order.ts'

export const JAMS_PER_RUN = 50
// After this long another process takes over, in case the first one died; a refund takes far less.
const LEASE_MS = 60_000
const RETRY_MS = 3_600_000
// After an error of our own the customer should not wait an hour.
const RETRY_SOON_MS = 60_000
const MAX_REASON_CHARACTERS = 200

/** An order whose jam must be refunded; `leaseUntil` identifies the process that has it. */
type DueJamRefund = {
  merchantId: number
  tag: string
  id: string
  mode: Mode
  chargeId: string
  until: Date
  wanted: boolean
  leaseUntil: string
}
/** Why a try did not refund. `forGood`: no later try can succeed. `againMs`: when to try next. */
type RefundTrouble = { reason: string; forGood: boolean; againMs: number }

// The claim commits before the refund begins. The merchant's switch counts as it is now, not as it was at the jam.
const CLAIM_JAMS = statement<Omit<DueJamRefund, 'leaseUntil'>>(
  'claim jam refunds',
  `update vending_orders o set refund_due_at = $2
   from (select d.merchant_id, d.id from vending_orders d where ${dueCondition('d.refund_due_at', '$1', RETRY_MS)}
     order by d.refund_due_at limit $3 for no key update skip locked) due
   join merchants m on m.id = due.merchant_id
   join payment_links l on l.merchant_id = due.merchant_id and l.id = due.id
   where o.merchant_id = due.merchant_id and o.id = due.id and l.charge_id is not null
   returning o.merchant_id as "merchantId", m.tag, o.id, o.mode, l.charge_id as "chargeId", o.refund_until as until,
     (m.auto_refund_on_jam = 'both' or m.auto_refund_on_jam = case when o.mode = 'test' then 'test' else 'live' end) as wanted`,
)
// Changes only a row whose lease is still ours: a retry of the order or a late report of a delivery ends the lease.
const SET_NEXT_TRY = statement<{ id: string }>(
  'next try of jam refund',
  `update vending_orders set refund_due_at = $4, vending_error = coalesce($5, vending_error)
   where merchant_id = $1 and id = $2 and refund_due_at = $3 returning id`,
)

// Refusals that neither time nor the balance can change.
const FINAL_REFUSALS = [
  'not_found',
  'refund_amount_is_zero',
  'no_customer_phone_on_record_to_refund_to',
  'split_charge_refunds_not_yet_supported',
  'unsupported_payout_channel',
]

/**
 * Refunds orders with a reported jam if the merchant has switched that on (contract.md G41b, VE8): an ordinary refund,
 * tried every hour until it is accepted or 72 h are over. The charge row guarantees at most one refund.
 */
export async function refundJams(app: App): Promise<number> {
  const at = app.witness.earlierMs()
  const leaseUntil = new Date(at + LEASE_MS).toISOString()
  const now = new Date(at).toISOString()
  const claimed = await app.db.query(CLAIM_JAMS, [now, leaseUntil, JAMS_PER_RUN])
  if (claimed.length === 0) return 0
  crashPoint('jam-refund.claimed')
  await Promise.all(claimed.map((order) => refundJam(app, { ...order, leaseUntil })))
  return claimed.length
}

async function refundJam(app: App, due: DueJamRefund): Promise<void> {
  if (!due.wanted) return setNextTry(app, due, { at: null, error: SWITCHED_OFF })
  const isLate = app.witness.earlier() > due.until
  const trouble = isLate ? TOO_LATE : await tryRefund(app, due)
  if (trouble === null) return setNextTry(app, due, { at: null })
  const nextTryAt = new Date(app.clock.nowMs() + trouble.againMs)
  if (!trouble.forGood && nextTryAt <= due.until) return setNextTry(app, due, { at: nextTryAt })
  const facts = { object_id: due.id, reason: trouble.reason }
  app.log.warn(facts, 'the automatic refund of a jam is left to the merchant')
  await setNextTry(app, due, { at: null, error: formatTrouble(trouble) })
}

const TOO_LATE: RefundTrouble = { reason: 'not possible within 72 hours', forGood: true, againMs: 0 }

const SWITCHED_OFF =
  'the machine reported a jam - automatic refunds were switched off before this one was made - please refund the customer'

const formatTrouble = ({ reason }: RefundTrouble) =>
  `the machine reported a jam - the automatic refund did not succeed (${[...reason].slice(0, MAX_REASON_CHARACTERS).join('')}) - please refund the customer`

/** Tries the refund. Null if the charge is refunded, by this try or before. */
async function tryRefund(
  app: App,
  { merchantId, tag, mode, id, chargeId }: DueJamRefund,
): Promise<RefundTrouble | null> {
  const caller = actingFor(serviceActor('refund-jams'), { merchantId, tag, cell: app.cell, mode })
  try {
    await refundUndelivered(app, caller, chargeId)
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) {
      app.log.error({ err: error, object_id: id }, 'the refund of a jam failed; it is tried again')
      return { reason: 'internal error', forGood: false, againMs: RETRY_SOON_MS }
    }
    if (error.code === 'already_refunded') return null
    const againMs = error.status === 429 || error.code === 'unavailable' ? RETRY_SOON_MS : RETRY_MS
    return { reason: error.message, forGood: FINAL_REFUSALS.includes(error.code), againMs }
  }
}

async function setNextTry(
  app: App,
  { merchantId, id, leaseUntil }: DueJamRefund,
  { at, error = null }: { at: Date | null; error?: string | null },
): Promise<void> {
  await app.db.query(SET_NEXT_TRY, [merchantId, id, leaseUntil, at?.toISOString() ?? null, error])
}
