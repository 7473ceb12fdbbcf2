import { DAY } from '../../../helpers/service/live-service.ts'
import { FAILING, type Item } from './bulk-and-refund-steps.ts'

/** How long after it was accepted a test charge or payout ends. */
export const OUTCOME_MS = 2000

type Charge = {
  id: string
  amount: number
  fails: boolean
  status: string
  dueMs: number
  heldUntilMs: number | null
}
type Payout = { id: string; cost: number; fails: boolean; status: string; dueMs: number; returns: number }
type Spent = Item & { payout: Payout }

/** The merchant's money as the specification says it must be, computed without the product. */
export class Model {
  available = 0
  pending = 0
  realistic = false
  failNext = 0
  charges: Charge[] = []
  payouts: Payout[] = []
  spent = new Map<string, Spent>()
}

export const feeOf = (amount: number) => Math.min(Math.max(Math.floor((amount * 15) / 1000), 200), 5000)
export const costOf = (amount: number) => amount + feeOf(amount)

/** A payout that the product has accepted now; `returns` is credited when it succeeds, for a refund the fee. */
export function accept(
  model: Model,
  nowMs: number,
  { id, amount, phone, returns = 0 }: { id: string; amount: number; phone: string; returns?: number },
) {
  const failsByPhone = FAILING.includes(phone)
  const fails = model.failNext > 0 || failsByPhone
  if (model.failNext > 0) model.failNext -= 1
  const dueMs = nowMs + OUTCOME_MS
  const payout = { id, cost: costOf(amount), fails, status: 'authorized', dueMs, returns }
  model.available -= payout.cost
  model.payouts.push(payout)
  return payout
}

/** The result that this item of a bulk call must have. */
export function expectItem(model: Model, { amount, phone, reference }: Item): string {
  const spent = model.spent.get(reference)
  if (spent) return spent.amount === amount && spent.phone === phone ? 'replayed' : 'reference_conflict'
  if (amount === 0) return 'amount_not_positive'
  return costOf(amount) > model.available ? 'insufficient_balance' : 'paid'
}

/** Changes the model as a run of this background task must change the product. */
export function sweep(model: Model, nowMs: number, name: string): void {
  const due = <One extends { status: string; dueMs: number }>(list: One[]) =>
    list.filter(({ status, dueMs }) => status === 'authorized' && dueMs <= nowMs)
  if (name === 'follow-charges')
    for (const charge of due(model.charges)) {
      charge.status = charge.fails ? 'failed' : 'succeeded'
      if (charge.fails) continue
      if (model.realistic) charge.heldUntilMs = nowMs + DAY
      model[model.realistic ? 'pending' : 'available'] += charge.amount - feeOf(charge.amount)
    }
  if (name === 'send-payouts')
    for (const payout of due(model.payouts)) {
      payout.status = payout.fails ? 'failed' : 'succeeded'
      model.available += payout.fails ? payout.cost : payout.returns
    }
  if (name === 'settle-charges')
    for (const charge of model.charges) {
      if (charge.heldUntilMs === null || charge.heldUntilMs > nowMs) continue
      charge.heldUntilMs = null
      model.pending -= charge.amount - feeOf(charge.amount)
      model.available += charge.amount - feeOf(charge.amount)
    }
}
