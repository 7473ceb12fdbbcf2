import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { addMachine } from '../../../src/selling/vending/machines/machines.ts'
import { type SupplierAccess, setVending } from '../../../src/selling/vending/suppliers/vending-settings.ts'
import { startSupplier } from '../../fakes/supplier.ts'
import { succeed } from '../payments/following-charges.ts'
import { BY_HAND } from '../service/actors.ts'
import { newPayer, type Shop, startLiveService } from '../service/live-service.ts'
import { opened, openedAndVerified } from '../service/opened.ts'
import type { Client } from '../service/test-service.ts'

export const GOODS = [
  { spbh: 1, spmc: 'Water', spdj: 1000, kept: { as: ['it', 'is'] } },
  { spbh: 'A-2', spdj: '2500' },
]
/** An allowed address where nothing listens. */
export const DEAD = '127.0.0.1:9'

type Vendor = Shop & { merchantId: number; machines(...machines: string[]): Promise<void> }

/** Two suppliers, and merchants whose live orders are commanded through one of them. */
export function openVendors() {
  const supplier = opened(() => startSupplier())
  const other = opened(() => startSupplier({ key: 'other key', secret: 'other secret', shbh: 'M2' }))
  const service = openedAndVerified(() =>
    startLiveService({
      env: { SUPPLIER_ALLOW_PRIVATE: [supplier.place, other.place, DEAD].join() },
      resolve: async (host) => {
        if (host === 'inside.shop.ug') return [{ address: '10.0.0.7', family: 4 }]
        throw new Error('ENOTFOUND')
      },
    }),
  )

  async function vendor(access: SupplierAccess | null = supplier.access): Promise<Vendor> {
    const shop = await service.shop({ vending: true })
    const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
    if (access !== null) await setVending(service.app, BY_HAND, { merchant, change: { supplier: access } })
    const machines = async (...numbers: string[]) => {
      for (const machine of numbers)
        await addMachine(service.app, BY_HAND, { merchantId: merchant.id, machine, name: null })
    }
    return { ...shop, merchantId: merchant.id, machines }
  }

  const read = async (api: Client, id: string) => (await api.get(`/v1/vending/orders/${id}`)).body

  /** An order whose payment request was sent; the operator has not yet said that it is paid. */
  async function submitted(api: Client, machine: string, more: object = {}) {
    const made = await api.post('/v1/vending/orders', { machine, amount: 3500, goods: GOODS, ...more })
    assert.equal(made.status, 201, made.text)
    const { order_id: id } = made.body
    const phone = newPayer()
    const form = new URLSearchParams({ phone, channel: 'op1_momo' })
    const sent = await fetch(`${service.url}/pay/${id}/submit`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    })
    assert.ok(sent.status < 400, await sent.text())
    const order = await read(api, id)
    return { id: id as string, chargeId: order.charge_id as string, phone }
  }
  async function paid(api: Client, machine: string, more: object = {}) {
    const order = await submitted(api, machine, more)
    await succeed(service, order.chargeId)
    return order
  }

  /** The newest claim on this order. */
  async function claimOf(id: string): Promise<any> {
    const [newest] = await service.rows<any>(
      'select state, supplier_code, supplier_message from dispense_claims where order_id = $1 order by attempt desc',
      [id],
    )
    return newest
  }
  const commandsFor = (id: string) =>
    [...supplier.commands, ...other.commands].filter((command) => command.orderId === id)

  return { supplier, other, service, vendor, submitted, paid, read, claimOf, commandsFor }
}
