import type { Client, TestService } from './test-service.ts'
import { CHARGE } from './test-service.ts'

const PHONE = '0700000000'

/** A right body for each POST, by the name of its endpoint; a charge where nothing else is said. */
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
}
export const bodyOf = (endpoint: { name: string }): unknown => BODIES[endpoint.name] ?? CHARGE

/** Something of every kind that a merchant can have, in test mode, and how each endpoint is asked about it. */
export type EveryKind = { pathsOf(endpoint: { path: string }): string[] }

/** Makes it: charges of every end and a split one, a refundable one, a payout, two schedules, a subaccount, two links. */
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
  charges.push((await api.charge()).body.id)
  const payout = await make('/v1/payouts', 'createPayout')
  const schedule = () => make('/v1/scheduled-payouts', 'createScheduledPayout')
  const link = async (more: object) =>
    (await api.post('/v1/payment-links', { amount: 1000, ...more })).body.id
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
  }
  const [event] = (await api.get('/v1/webhooks')).body.data
  const period = service.clock.now().toISOString().slice(0, 7)
  return {
    pathsOf: ({ path }) => {
      const asked = path.replace(':event_id', event.id).replace(':period', period)
      if (path === '/v1/resolve-account') return [`${path}?phone=${PHONE}`]
      if (!asked.includes(':id')) return [asked]
      const owner = ids[path] ?? ids[path.replace(/\/(pause|resume|cancel)$/, '')] ?? []
      return owner.map((id) => asked.replace(':id', id))
    },
  }
}
