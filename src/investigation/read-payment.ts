import { at, type Caller, type OperatorCaller } from '../actors/actor.ts'
import { requireRole } from '../actors/allow.ts'
import type { App, Gateway } from '../app.ts'
import type { Charge } from '../charges/charge.ts'
import { getCharge } from '../charges/find-charges.ts'
import { exceptionsAbout } from '../exceptions/exceptions-about.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { findMerchantOfTag } from '../merchants/set-merchant.ts'
import { getPayout } from '../payouts/find-payouts.ts'
import type { Payout } from '../payouts/payout.ts'
import { statement } from '../platform/db/statement.ts'
import { tagOf } from '../platform/ids.ts'
import { notFound, Refusal } from '../platform/refusal.ts'
import { readAttempt } from '../rails/read-attempt.ts'
import { chargeStory, payoutStory, readStory, type Story } from '../reports/story/story.ts'
import { findTopUp } from '../top-ups/find-top-ups.ts'
import type { TopUp } from '../top-ups/top-up.ts'
import { marksOf } from './payment-marks.ts'

/** A payment of any merchant. */
export type Payment =
  | { kind: 'charge'; row: Charge }
  | { kind: 'payout'; row: Payout }
  | { kind: 'top-up'; row: TopUp }

/** A payment with its merchant and cell. `caller`: the staff member acting for its merchant, in its mode. */
export type PaymentPlace = { app: App; merchant: Merchant; caller: OperatorCaller & Caller; payment: Payment }

const NEXT = statement<{ at: Date | null }>(
  'next question about payment',
  `select follow_at as at from charges where merchant_id = $1 and id = $2
   union all select follow_at from payouts where merchant_id = $1 and id = $2
   union all select follow_at from top_ups where merchant_id = $1 and id = $2`,
)
const KINDS = { txn_: 'charge', pout_: 'payout', top_: 'top-up' } as const

/** Finds the payment with this id, of any merchant. Throws 404. */
export async function findPayment(
  gateway: Gateway,
  actor: OperatorCaller,
  id: string,
): Promise<PaymentPlace> {
  requireRole(actor, 'console.read')
  const prefix = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((key) => tagOf(key, id) !== null)
  const tag = prefix === undefined ? null : tagOf(prefix, id)
  if (prefix === undefined || tag === null) throw notFound('payment')
  const { app, merchant } = await findMerchantOfTag(gateway, { tag, noun: 'payment' })
  for (const mode of ['live', 'test'] as const) {
    const caller = at(actor, { merchantId: merchant.id, tag, cell: app.cell, mode })
    const payment = await paymentIn(app, caller, { kind: KINDS[prefix], id })
    if (payment !== null) return { app, merchant, caller, payment }
  }
  throw notFound('payment')
}

async function paymentIn(
  app: App,
  caller: OperatorCaller & Caller,
  { kind, id }: { kind: Payment['kind']; id: string },
): Promise<Payment | null> {
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

/** Reads everything about a payment: its story, the operator's evidence, exceptions, and the marks of staff. */
export async function readPayment({ app, caller, payment }: PaymentPlace) {
  const { merchantId } = caller
  const { id } = payment.row
  const [story, attempt, exceptions, marks, [next]] = await Promise.all([
    storyOf(app, caller, payment),
    readAttempt(app, { merchantId, id }),
    exceptionsAbout(app, merchantId, id),
    marksOf(app, merchantId, id),
    app.db.query(NEXT, [merchantId, id]),
  ])
  return { story, attempt, exceptions, marks, nextAt: next?.at ?? null }
}

function storyOf(app: App, caller: Caller, { kind, row }: Payment): Promise<Story> {
  if (kind === 'charge') return chargeStory(app, caller, row)
  if (kind === 'payout') return payoutStory(app, caller, row)
  return readStory(app, caller, { subject: row.id })
}
