import assert from 'node:assert/strict'
import type { CreatedMerchant, NewMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { addMachine } from '../../../src/selling/vending/machines/machines.ts'
import { setVending } from '../../../src/selling/vending/suppliers/vending-settings.ts'
import { BY_HAND } from '../service/actors.ts'
import type { Client, Reply, TestService } from '../service/test-service.ts'

export const ORDERS = '/v1/vending/orders'
export const GOODS = [{ spbh: '1', spmc: 'Water', spdj: 1000 }]
/** One machine for each behaviour of the simulation (contract.md 6.6); `M-1` accepts and then waits. */
const MACHINES = ['M-1', 'M-2', 'M-OK', 'M-JAM', 'M-BUSY', 'M-REFUSE', 'M-LOST']
/** The sandbox accepts payments of this phone and refuses those of one that ends with 1. */
const PAYER = '0700000000'
export const NON_PAYER = '0700000001'

/** A merchant with vending on and its machines. */
export type VendingShop = {
  merchant: CreatedMerchant
  merchantId: number
  api: Client
  live: Client
  collections: Client
}

export async function vendingShop(service: TestService, input: Partial<NewMerchant> = {}): Promise<VendingShop> {
  const merchant = await service.merchant(input)
  await service.set(merchant, { vendingEnabled: true })
  const { id: merchantId } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  await registerMachines(service, merchantId)
  const { keys } = merchant
  return {
    merchant,
    merchantId,
    api: service.client(keys.test),
    live: service.client(keys.live),
    collections: service.client(keys.test_collections),
  }
}

/** Sets when an order of this merchant counts as delivered. */
export const setProfile = (
  service: TestService,
  { merchantId }: { merchantId: number },
  profile: 'default' | 'optimistic',
) => setVending(service.app, BY_HAND, { merchant: { id: merchantId }, change: { profile } })

export async function registerMachines(
  service: TestService,
  merchantId: number,
  machines: readonly string[] = MACHINES,
): Promise<void> {
  for (const machine of machines)
    await addMachine(service.app, BY_HAND, { merchantId, machine, name: `Machine ${machine}` })
}

/** The body of a minimal valid order. */
export const orderBody = (more: object = {}) => ({ machine: 'M-1', amount: 1000, goods: GOODS, ...more })

/** Makes an order; `more` replaces fields of `orderBody`. */
export async function makeOrder({ api }: { api: Client }, more: object = {}): Promise<any> {
  const reply = await api.post(ORDERS, orderBody(more), { 'idempotency-key': undefined })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** Sends the form of the payment page, as a browser does. */
export async function submitPayment(
  service: TestService,
  orderId: string,
  phone = PAYER,
): Promise<{ status: number; location: string | null }> {
  const { status, headers } = await fetch(`${service.url}/pay/${orderId}/submit`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ channel: 'op1_momo', phone }),
  })
  return { status, location: headers.get('location') }
}

/** Pays an order on its page and lets the sandbox decide. No command is sent yet. Returns the id of its charge. */
export async function payOrder(service: TestService, orderId: string, phone = PAYER): Promise<string> {
  const sent = await submitPayment(service, orderId, phone)
  assert.equal(sent.status, 302, `the form was answered ${sent.status}`)
  service.pass(2000)
  await service.run('follow-charges')
  const [link] = await service.rows<{ charge_id: string }>('select charge_id from payment_links where id = $1', [
    orderId,
  ])
  return link?.charge_id as string
}

/** A paid order whose machine has received its command. */
export async function dispensingOrder(service: TestService, shop: { api: Client }, more: object = {}): Promise<any> {
  const { order_id } = await makeOrder(shop, more)
  await payOrder(service, order_id)
  await service.run('dispense')
  return readOrder(shop, order_id)
}

/** An order that was paid while vending was off: it has failed, and no command was ever sent for it. */
export async function failedOrder(
  service: TestService,
  shop: { api: Client; merchant: Pick<CreatedMerchant, 'id'> },
  more: object = {},
): Promise<any> {
  const { order_id } = await makeOrder(shop, more)
  await payOrder(service, order_id)
  await service.set(shop.merchant as CreatedMerchant, { vendingEnabled: false })
  await service.run('dispense')
  await service.set(shop.merchant as CreatedMerchant, { vendingEnabled: true })
  return readOrder(shop, order_id)
}

export const readOrder = async ({ api }: { api: Client }, orderId: string): Promise<any> =>
  (await api.get(`${ORDERS}/${orderId}`)).body

export const retry = ({ api }: { api: Client }, orderId: string): Promise<Reply> =>
  api.post(`${ORDERS}/${orderId}/dispense`)

export const invalidate = ({ api }: { api: Client }, orderId: string): Promise<Reply> =>
  api.post(`${ORDERS}/${orderId}/invalidate`)
