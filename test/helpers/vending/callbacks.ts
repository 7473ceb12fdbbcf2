import assert from 'node:assert/strict'
import { type Callback, type CallbackKind, callbackOf, postCallback } from '../../fakes/supplier-callbacks.ts'
import type { TestService } from '../service/test-service.ts'
import { GOODS, type VendingShop, vendingShop } from './vending.ts'

export const RECEIVED = { code: '1', message: 'Received data successfully' }
export const SECRET_PATH = '/v1/vending/dispense-secret'

/** Makes the dispense secret of the shop's test mode. */
export async function dispenseSecret({ api }: Pick<VendingShop, 'api'>): Promise<string> {
  const { status, body } = await api.post(SECRET_PATH)
  assert.equal(status, 201)
  return body.secret
}

/** A shop whose machines report with its dispense secret. */
export async function reportingShop(service: TestService): Promise<VendingShop & { secret: string }> {
  const shop = await vendingShop(service)
  return { ...shop, secret: await dispenseSecret(shop) }
}

type About = {
  secret: string
  order_id?: string
  charge_id?: string | null
  machine?: string
  goods?: readonly any[]
}

/** The callback of this kind about an order, dated now on the service's clock. */
export const report = (service: TestService, kind: CallbackKind, about: About): Callback =>
  callbackOf(kind, {
    at: service.clock.nowMs(),
    secret: about.secret,
    machine: about.machine ?? 'M-1',
    goods: about.goods ?? GOODS,
    ...(about.order_id === undefined ? {} : { orderId: about.order_id }),
    ...(about.charge_id == null ? {} : { chargeId: about.charge_id }),
  })

/** Posts it and asserts that it was accepted. */
export async function send(service: TestService, body: Callback | string): Promise<void> {
  const reply = await postCallback(service.url, body)
  assert.deepEqual({ status: reply.status, body: reply.body }, { status: 200, body: RECEIVED })
}

/** Posts it, asserts the exact answer and that nothing was written. */
export async function assertRefused(
  service: TestService,
  body: Callback | string,
  { status, message }: { status: number; message: string },
): Promise<void> {
  const everything = async () =>
    (await service.digest()) + JSON.stringify(await service.rows('select id from vendor_callbacks order by id'))
  const before = await everything()
  const reply = await postCallback(service.url, body)
  assert.deepEqual({ status: reply.status, body: reply.body }, { status, body: { code: '0', message } })
  assert.equal(await everything(), before, message)
}

/** The outcomes of all stored callbacks about an order, oldest first. */
export const keptOf = async (service: TestService, orderId: string): Promise<string[]> =>
  (
    await service.rows<{ outcome: string }>(
      'select outcome from vendor_callbacks where order_id = $1 order by received_at, id',
      [orderId],
    )
  ).map(({ outcome }) => outcome)

/** The vending events of an order, or of the newest direct dispense with this number, with their data. */
export async function vendingEventsOf(service: TestService, orderId: string): Promise<any[]> {
  const rows = await service.rows<{ body: string; deliveries: number }>(
    `select e.body, (select count(*)::int from deliveries d where (d.merchant_id, d.event_id) = (e.merchant_id, e.id)) as deliveries
     from events e where e.type like 'vending.%' order by e.created_at, e.id`,
  )
  const own = rows.map((row) => ({ ...JSON.parse(row.body), deliveries: row.deliveries }))
  return own.filter(({ data }) => data.order_id === orderId)
}
