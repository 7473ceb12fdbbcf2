import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { findOrder } from '../../../src/selling/vending/orders/find-orders.ts'
import { presentOrder } from '../../../src/selling/vending/orders/order.ts'
import { stillClock } from '../../api/rate-limits/still-clock.ts'
import { succeed } from '../payments/following-charges.ts'
import { type LiveService, newPayer, type Shop, startLiveService } from '../service/live-service.ts'
import { startService, type TestService } from '../service/test-service.ts'
import { fundTest, orderRow, type PaidOrder, type Place, PRICE } from './paid-orders.ts'

export type JamOwner = Shop & { merchantId: number; tag: string }
type Switch = 'off' | 'test' | 'live' | 'both'

/** Two processes over one database with live money, and the refunds of orders whose machines jam. */
export type JamRefunds = {
  service: LiveService
  other: TestService
  /** A merchant with vending on whose jams are refunded in these modes; `funds` is its test money in whole UGX. */
  owner(autoRefundOnJam: Switch, funds?: number): Promise<JamOwner>
  /** Gives the merchant available live money. */
  fundLive(owner: JamOwner): Promise<void>
  /** The live mode of an order, with the way it is paid. */
  live: { mode: 'live'; pays(chargeId: string): void }
  refundJams(): Promise<number>
  assertRefundedOnce(order: PaidOrder): Promise<void>
  assertNotRefunded(order: PaidOrder): Promise<void>
  dueOf(order: Place): Promise<Date | null>
  view(order: Place): Promise<ReturnType<typeof presentOrder>>
  /** Verifies everything before it closes. */
  end(): Promise<void>
}

export async function startJamRefunds(): Promise<JamRefunds> {
  const service = await startLiveService({ clock: stillClock() })
  const shared = { database: service.database, clock: service.clock }
  const other = await startService({ ...shared, liveRails: { op1_momo: service.rail } })
  const dueOf = async (order: Place) => (await orderRow(service, order)).refund_due_at
  return {
    service,
    other,
    owner: async (autoRefundOnJam, funds = 0) => {
      const shop = await service.shop()
      await service.set(shop.merchant, { vendingEnabled: true, autoRefundOnJam, instantSettlement: true })
      const { id: merchantId, tag } = (await getMerchantNamed(service.gateway, shop.merchant.id)).merchant
      if (funds > 0) await fundTest(service, { merchantId, tag }, funds)
      return { ...shop, merchantId, tag }
    },
    fundLive: async ({ live }) => {
      const { body } = await live.charge({ amount: 100_000, customer: { phone: newPayer() } })
      await succeed(service, body.id)
    },
    live: { mode: 'live', pays: (id) => service.operator.pays(id) },
    refundJams: () => service.run('refund-jams'),
    assertRefundedOnce: async (order) => {
      const { status, refundId, payouts, events } = await refundsOf(service, order)
      const payout = { id: refundId, mode: order.mode, kind: 'refund', amount: PRICE }
      assert.deepEqual([status, payouts, events], ['refunded', [payout], 1])
      assert.equal(await dueOf(order), null)
    },
    assertNotRefunded: async (order) => {
      const { status, payouts } = await refundsOf(service, order)
      assert.deepEqual([status, payouts], ['succeeded', []])
    },
    dueOf,
    view: async (order) => {
      const found = await findOrder(service.app, order)
      assert.ok(found)
      return presentOrder(found, { baseUrl: service.url, at: service.clock.now() })
    },
    end: async () => {
      try {
        await service.verify()
      } finally {
        await other.close()
        await service.close()
      }
    },
  }
}

async function refundsOf(service: TestService, { merchantId, chargeId }: PaidOrder) {
  const [charge] = await service.rows<any>('select status, refund_id from charges where id = $1', [chargeId])
  const payouts = await service.rows<any>(
    'select id, mode, kind, amount::int from payouts where merchant_id = $1 and charge_id = $2',
    [merchantId, chargeId],
  )
  const events = await service.rows(`select 1 from events where subject = $1 and type = 'charge.refunded'`, [chargeId])
  return { status: charge.status, refundId: charge.refund_id, payouts, events: events.length }
}
