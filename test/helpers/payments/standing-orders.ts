import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { decideStandingOrder } from '../../../src/payments/withdrawals/standing-orders/decide-standing-order.ts'
import { findStandingOrder } from '../../../src/payments/withdrawals/standing-orders/find-standing-orders.ts'
import { setStandingOrder } from '../../../src/payments/withdrawals/standing-orders/set-standing-order.ts'
import type {
  StandingOrder,
  StandingOrderTerms,
} from '../../../src/payments/withdrawals/standing-orders/standing-order.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { BY_HAND, operator, owner } from '../service/actors.ts'
import type { LiveService } from '../service/live-service.ts'
import { richShop } from './payouts.ts'
import { availableOf } from './schedules.ts'

export const OWN_NUMBER = '256772000111'
const EVERY_HOUR: StandingOrderTerms = {
  ...{ rhythm: 'above', weekday: null, hour: null },
  ...{ keepBack: 0, least: 5000, dayLimit: 10_000_000 },
}
const FINANCE = operator('finance', 77)

/** A withdrawal of a standing order with the decision about it. */
type RunRow = { id: string; amount: number; byItself: boolean; state: string; status: string; phone: string }

/** A verified merchant with live money and a verified number, and what its standing order is handled by. */
export async function orderingShop(service: LiveService, funds = 500_000) {
  const shop = await richShop(service, funds)
  const { merchant, app } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const { id: merchantId, tag } = merchant
  const caller = owner({ merchantId, tag, cell: app.cell, mode: 'live' })
  const setNumber = (phone: string) => setWithdrawalNumber(service.app, BY_HAND, { merchantId, phone })
  const verify = (phone: string) => verifyWithdrawalNumber(service.app, BY_HAND, { merchantId, phone })
  await setNumber(OWN_NUMBER)
  await verify(OWN_NUMBER)
  const find = async (): Promise<StandingOrder> => {
    const order = await findStandingOrder(service.app, merchantId)
    assert.ok(order, 'the merchant has a standing order')
    return order
  }
  const set = async (terms: Partial<StandingOrderTerms> = {}) => {
    await setStandingOrder(service.app, caller, { merchantId, tag }, { ...EVERY_HOUR, ...terms } as StandingOrderTerms)
    return find()
  }
  const approve = async (limit?: number, phone = OWN_NUMBER) => {
    const { id, revision, dayLimit } = await find()
    const decision = { merchantId, id, revision, decision: 'approved', phone, limit: limit ?? dayLimit } as const
    await decideStandingOrder(service.app, FINANCE, decision)
    return find()
  }
  const runs = () =>
    service.rows<RunRow>(
      `select p.id, p.amount, r.by_itself as "byItself", w.state, p.status, p.recipient_phone as phone from standing_order_runs r
       join payouts p on p.merchant_id = r.merchant_id and p.id = r.withdrawal_id
       join withdrawals w on w.merchant_id = r.merchant_id and w.id = r.withdrawal_id where r.merchant_id = $1 order by r.due_at`,
      [merchantId],
    )
  const amounts = async () => (await runs()).map(({ amount, byItself }) => [amount, byItself])
  return {
    ...shop,
    merchantId,
    tag,
    caller,
    setNumber,
    verify,
    find,
    set,
    approve,
    runs,
    amounts,
    available: () => availableOf(shop.live),
  }
}

/** Passes this time and lets the order run where it is due. */
export async function runAfter(service: LiveService, ms: number): Promise<number> {
  service.pass(ms)
  return service.run('run-standing-orders')
}
