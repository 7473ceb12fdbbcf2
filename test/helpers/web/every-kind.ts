import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { kampalaMonth } from '../../../src/platform/time/kampala.ts'
import { CHARGE, type Client, type TestService } from '../service/test-service.ts'
import { dispenseBody, paidCharge } from '../vending/direct-dispenses.ts'
import { dispensingOrder, failedOrder, makeOrder, orderBody, registerMachines } from '../vending/vending.ts'

const PHONE = '0700000000'

/** A valid body for each POST, by the name of its endpoint; all others take that of a charge. */
const BODIES: Record<string, unknown> = {
  createPayout: { amount: 1000, recipient: { phone: PHONE, name: 'Akello' }, reference: 'r' },
  createBulkPayout: { payouts: [{ amount: 1000, phone: PHONE, reference: 'a' }, { amount: 'x' }] },
  createScheduledPayout: { amount: 1000, interval: 'daily', recipients: [{ phone: PHONE, name: 'Akello' }] },
  createSubaccount: { name: 'Cook', payout_phone: PHONE, external_ref: 'c-1' },
  createPaymentLink: {
    amount: 1000,
    description: 'Eggs',
    reference: 'r',
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/basket',
  },
  createVendingOrder: orderBody({ description: 'Cold', reference: 'tea 2', pay_account: 'hall' }),
  sendTestEvent: { event: 'charge.succeeded' },
  moveTestClock: { advance_seconds: 1 },
  setNextEnds: { kind: 'payout', phone: '0700000099', outcome: 'succeeded' },
  createTestAccount: { name: 'CI run' },
  createWebhookAddress: { url: 'https://1.1.1.1/hook' },
  checkConformance: { payload: { ddbh: 'lnk_1', status: '1' }, sign: '0'.repeat(32) },
}
const bodyOf = ({ name }: { name: string }): unknown => BODIES[name] ?? CHARGE

/** An object of every kind a merchant can have, in test mode, and the request that each endpoint gets about it. */
export type EveryKind = {
  pathsOf(endpoint: { path: string }): string[]
  bodyOf(endpoint: { name: string }): unknown
}

/** Makes them: charges with every end and a split one, a refundable one, a payout, two schedules, a subaccount, links, orders. */
export async function makeEveryKind(service: TestService, api: Client): Promise<EveryKind> {
  const make = async (path: string, name: string) => (await api.post(path, bodyOf({ name }))).body.id
  const subaccount = await make('/v1/subaccounts', 'createSubaccount')
  const charges: string[] = []
  for (const phone of [PHONE, '0700000001']) {
    const customer = { phone, email: 'a@b' }
    charges.push((await api.charge({ amount: 90_000, reference: phone, customer })).body.id)
  }
  charges.push((await api.charge({ split: [{ subaccount, amount: 100 }] })).body.id)
  const refundable = (await api.charge()).body.id
  service.pass(2000)
  await service.run('follow-charges')
  const vending = await makeVendingKinds(service, api)
  charges.push((await api.charge()).body.id)
  const payout = await make('/v1/payouts', 'createPayout')
  const schedule = () => make('/v1/scheduled-payouts', 'createScheduledPayout')
  const link = async (more: object) => (await api.post('/v1/payment-links', { amount: 1000, ...more })).body.id
  const ids: Record<string, string[]> = {
    '/v1/charges/:id': charges,
    '/v1/charges/:id/refund': [refundable],
    '/v1/payouts/:id': [payout],
    '/v1/subaccounts/:id': [subaccount],
    '/v1/scheduled-payouts/:id': [await schedule(), await schedule()],
    '/v1/payment-links/:id': [
      await make('/v1/payment-links', 'createPaymentLink'),
      await link({ allow_multiple_uses: true }),
    ],
    '/v1/webhook-addresses/:id': [(await api.post('/v1/webhook-addresses', { url: 'https://1.1.1.1/own' })).body.id],
    ...vending.ids,
  }
  await service.run('seal-events')
  const [event] = (await api.get('/v1/webhooks')).body.data
  const period = kampalaMonth(service.clock.now())
  return {
    pathsOf: ({ path }) => {
      const asked = path.replace(':event_id', event.id).replace(':period', period)
      if (path === '/v1/vending/machines/:machine/goods') return [path.replace(':machine', 'M-1')]
      if (path === '/v1/resolve-account') return [`${path}?phone=${PHONE}`]
      if (!asked.includes(':id')) return [asked]
      const owner = ids[path] ?? ids[path.replace(/\/(pause|resume|cancel|rotate|test|remove)$/, '')] ?? []
      return owner.map((id) => asked.replace(':id', id))
    },
    bodyOf: (endpoint) => (endpoint.name === 'dispense' ? dispenseBody(vending.charge) : bodyOf(endpoint)),
  }
}

/** Machines, a secret, an order that is unpaid, one dispensed and one failed; a charge for a direct dispense. */
async function makeVendingKinds(service: TestService, api: Client) {
  const merchant = (await api.get('/v1/me')).body
  await service.set(merchant, { vendingEnabled: true })
  const { id: merchantId } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const shop = { api, merchant, merchantId }
  await registerMachines(service, merchantId)
  await api.post('/v1/vending/dispense-secret')
  const failed = await failedOrder(service, shop)
  const dispensed = await dispensingOrder(service, shop, { machine: 'M-OK', reference: 'tea 1' })
  service.pass(2000)
  await service.run('dispense')
  const charge = await paidCharge(service, { api })
  const unpaid = await makeOrder(shop)
  const ids = {
    '/v1/vending/orders/:id': [unpaid.order_id, dispensed.order_id, failed.order_id],
    '/v1/vending/orders/:id/invalidate': [unpaid.order_id],
    '/v1/vending/orders/:id/dispense': [failed.order_id, dispensed.order_id],
  }
  return { ids, charge }
}
