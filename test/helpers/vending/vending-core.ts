import { refundCharge } from '../../../src/payments/refunds/refund-charge.ts'
import { stillClock } from '../../api/rate-limits/still-clock.ts'
import { type Payer, payer } from '../payments/schedules.ts'
import { fullKey } from '../service/actors.ts'
import { assertVerified } from '../service/live-service.ts'
import { startService, type TestService } from '../service/test-service.ts'
import { orderRow, type PaidOrder, type Place, paidOrder } from './paid-orders.ts'

/** Two processes over one database, a clock that stands still, and a test merchant that is new for each test. */
export type VendingCore = {
  service: TestService
  other: TestService
  shop: Payer
  /** Makes a new merchant with vending on. */
  begin(): Promise<void>
  vending(on: boolean): Promise<void>
  trust(profile: 'default' | 'optimistic'): Promise<unknown>
  paid(machine?: string): Promise<PaidOrder>
  refund(order: PaidOrder, at?: TestService): Promise<unknown>
  claimsOf(order: Place): Promise<{ attempt: number; state: string; sent: boolean }[]>
  statesOf(order: Place): Promise<string[]>
  /** How many commands may have been sent for it. */
  sentOf(order: Place): Promise<number>
  /** Its status, whether that is confirmed, and the error. */
  standing(order: Place): Promise<unknown[]>
  /** Verifies everything before it closes. */
  end(): Promise<void>
}

export async function startCore(): Promise<VendingCore> {
  const service = await startService({ clock: stillClock() })
  const other = await startService({ database: service.database, clock: service.clock })
  const claimsOf: VendingCore['claimsOf'] = ({ id }) =>
    service.rows(
      'select attempt, state, commanded_at is not null as sent from dispense_claims where order_id = $1 order by attempt',
      [id],
    )
  const core: VendingCore = {
    service,
    other,
    shop: await payer(service),
    begin: async () => {
      core.shop = await payer(service, 1_000_000)
      await core.vending(true)
    },
    vending: (vendingEnabled) => service.set(core.shop.merchant, { vendingEnabled }),
    trust: (profile) =>
      service.rows(
        `insert into vending_profiles (merchant_id, profile, changed_at) values ($1, $2, $3)
         on conflict (merchant_id) do update set profile = $2`,
        [core.shop.merchantId, profile, service.clock.now()],
      ),
    paid: (machine = 'M-1') => paidOrder(service, core.shop, { machine }),
    refund: ({ chargeId }, { app } = service) => {
      const { merchantId, tag } = core.shop
      const caller = fullKey({ merchantId, tag, cell: app.cell, mode: 'test' })
      return refundCharge(app, caller, { chargeId })
    },
    claimsOf,
    statesOf: async (order) => (await claimsOf(order)).map(({ state }) => state),
    sentOf: async (order) => (await claimsOf(order)).filter(({ sent }) => sent).length,
    standing: async (order) => {
      const { vending_status, confirmed, vending_error } = await orderRow(service, order)
      return [vending_status, confirmed, vending_error]
    },
    end: async () => {
      try {
        await assertVerified(service)
      } finally {
        await other.close()
        await service.close()
      }
    },
  }
  return core
}
