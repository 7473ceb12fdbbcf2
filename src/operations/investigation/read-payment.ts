import { actingFor, type Caller, type StaffCaller } from '../../api/access/actor.ts'
import { requireRole } from '../../api/access/allow.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { getMerchantOfTag } from '../../merchants/account/set-merchant.ts'
import type { Charge } from '../../payments/charges/charge.ts'
import { getCharge } from '../../payments/charges/find-charges.ts'
import { readExceptionsAbout } from '../../payments/exceptions/exceptions-about.ts'
import { getPayout } from '../../payments/payouts/find-payouts.ts'
import type { Payout } from '../../payments/payouts/payout.ts'
import { readPayoutWaits } from '../../payments/payouts/read-payout-waits.ts'
import { findTopUp } from '../../payments/top-ups/find-top-ups.ts'
import type { TopUp } from '../../payments/top-ups/top-up.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App, Gateway } from '../../program/app.ts'
import { readAttempt } from '../../rails/read-attempt.ts'
import { chargeStory, type ObjectStory, payoutStory, readStory } from '../../reports/story/story.ts'
import { listCasesBeside } from '../cases/read-cases.ts'
import { listMarks } from './payment-marks.ts'

/** A payment of any merchant. */
export type AnyPayment =
  | { kind: 'charge'; row: Charge }
  | { kind: 'payout'; row: Payout }
  | { kind: 'top-up'; row: TopUp }

/** A payment with its merchant and cell. `caller`: the staff member acting for its merchant, in its mode. */
export type PaymentAtMerchant = {
  app: App
  merchant: Merchant
  caller: StaffCaller & Caller
  payment: AnyPayment
}

const NEXT_QUESTION = statement<{ at: Date | null }>(
  'next question about payment',
  `select follow_at as at from charges where merchant_id = $1 and id = $2
   union all select follow_at from payouts where merchant_id = $1 and id = $2
   union all select follow_at from top_ups where merchant_id = $1 and id = $2`,
)
const KIND_BY_PREFIX = { txn_: 'charge', pout_: 'payout', top_: 'top-up' } as const

/** Finds the payment with this id, of any merchant. Throws 404. */
export async function getPayment(gateway: Gateway, actor: StaffCaller, id: string): Promise<PaymentAtMerchant> {
  requireRole(actor, 'console.read')
  const prefix = (Object.keys(KIND_BY_PREFIX) as (keyof typeof KIND_BY_PREFIX)[]).find(
    (key) => parseTag(key, id) !== null,
  )
  const tag = prefix === undefined ? null : parseTag(prefix, id)
  if (prefix === undefined || tag === null) throw notFound('payment')
  const { app, merchant } = await getMerchantOfTag(gateway, { tag, noun: 'payment' })
  for (const mode of ['live', 'test'] as const) {
    const caller = actingFor(actor, { merchantId: merchant.id, tag, cell: app.cell, mode })
    const payment = await findPaymentIn(app, caller, { kind: KIND_BY_PREFIX[prefix], id })
    if (payment !== null) return { app, merchant, caller, payment }
  }
  throw notFound('payment')
}

async function findPaymentIn(
  app: App,
  caller: StaffCaller & Caller,
  { kind, id }: { kind: AnyPayment['kind']; id: string },
): Promise<AnyPayment | null> {
  try {
    if (kind === 'charge') return { kind, row: await getCharge(app, caller, id) }
    if (kind === 'payout') return { kind, row: await getPayout(app, caller, id) }
    const row = caller.mode === 'live' ? await findTopUp(app, caller.merchantId, id) : null
    return row === null ? null : { kind, row }
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null
    throw error
  }
}

/** Reads everything about a payment: its story, the operator's evidence, exceptions, the marks of staff, and what its merchant wrote to us about it. */
export async function readPayment({ app, caller, payment }: PaymentAtMerchant) {
  const { merchantId } = caller
  const { id } = payment.row
  const [story, attempt, exceptions, marks, cases, [next], waits] = await Promise.all([
    readPaymentStory(app, caller, payment),
    readAttempt(app, { merchantId, id }),
    readExceptionsAbout(app, merchantId, id),
    listMarks(app, merchantId, id),
    listCasesBeside(app, merchantId, id),
    app.db.query(NEXT_QUESTION, [merchantId, id]),
    readPayoutWaits(app, payment.kind === 'payout' ? [payment.row] : []),
  ])
  return { story, attempt, exceptions, marks, cases, nextAt: next?.at ?? null, wait: waits.get(id) ?? null }
}

function readPaymentStory(app: App, caller: Caller, { kind, row }: AnyPayment): Promise<ObjectStory> {
  if (kind === 'charge') return chargeStory(app, caller, row)
  if (kind === 'payout') return payoutStory(app, caller, row)
  return readStory(app, caller, { subject: row.id })
}
