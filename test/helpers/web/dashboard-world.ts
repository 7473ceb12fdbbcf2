import type { Action } from '../../../src/api/access/actions.ts'
import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { DASHBOARD_ROUTES } from '../../../src/web/dashboard/routes-list.ts'
import type { TestService } from '../service/test-service.ts'
import { formOf } from './browser.ts'
import { routesOfThisRun } from './changed-routes.ts'
import { type Planted, signedInAs } from './dashboard.ts'

/** Texts that a merchant or its customers may write: long, in Luganda, and what would be markup. */
export type Words = { name: string; reference: string; description: string; person: string }

const PLAIN: Words = {
  name: "Nnalongo's Ŋŋoma & Kitenge Emporium of Nakasero Market",
  reference: `INV-${'9'.repeat(251)}`,
  description: 'Engoma ennene, eya langi eya bbululu',
  person: "Nakato Ŋŋanda o'Brien",
}

/** A merchant with one of everything that the dashboard shows in test mode. */
export type DashboardWorld = {
  merchant: CreatedMerchant
  owner: Planted
  /** An id for the `:id` of each page, by the path before it. */
  ids: Readonly<Record<string, string>>
}

/** A page of the dashboard: its path, what its reader must be allowed to do, and whether it is about one object. */
export type WorldPage = { path: string; see: Action; own: boolean }

const LOOKED_AT = await routesOfThisRun(DASHBOARD_ROUTES)

/** Every page, with an id where it is about one object. */
export const pagesOf = ({ ids }: Pick<DashboardWorld, 'ids'>): WorldPage[] =>
  LOOKED_AT.flatMap((route): WorldPage[] => {
    if (route.kind !== 'page') return []
    const { path, see } = route
    if (!path.includes(':')) return [{ path, see, own: false }]
    const id = ids[path] ?? ids[path.split('/:', 1)[0] ?? '']
    return id === undefined ? [] : [{ path: path.replace(/:\w+/, id), see, own: true }]
  })

const BASE = '/dashboard/test'
const last = (location: string) => location.split('?')[0]?.split('/').at(-1) ?? ''

export async function dashboardWorld(service: TestService, words: Words = PLAIN): Promise<DashboardWorld> {
  const merchant = await service.merchant({ name: words.name, vending: true })
  const api = service.client(merchant.keys.test)
  const owner = await signedInAs(service, merchant)
  const customer = { phone: '0700000000', email: 'ann@buyer.example' }
  const { body: charge } = await api.charge({ amount: 9_999_999, reference: words.reference, customer })
  await api.charge({ customer: { phone: '0700000001' } })
  await decided(service)
  await owner.send(await owner.get(BASE), '/funds', { amount: '90,000,000' })
  const payee = { phone: '0700000000', name: words.person }
  const { body: payout } = await api.post('/v1/payouts', {
    ...{ amount: 5000, channel: 'op1_momo', recipient: payee, reference: words.reference.slice(0, 100) },
  })
  const { body: link } = await api.post('/v1/payment-links', {
    amount: 25_000,
    description: words.description,
    reference: words.reference.slice(0, 200),
  })
  const paper = await owner.get(`${BASE}/invoices/new`)
  const invoice = await owner.send(paper, '/invoices/new', {
    ...{ name: words.person, phone: '0700000001', email: 'ann@buyer.example', note: words.description, reminds: 'yes' },
    ...{ description_1: words.description, quantity_1: '2', price_1: '20,000' },
  })
  const { body: subaccount } = await api.post('/v1/subaccounts', { name: words.person, phone: '0700000000' })
  const { body: schedule } = await api.post('/v1/scheduled-payouts', {
    name: words.description.slice(0, 60),
    ...{ interval: 'monthly', amount: 10_000, channel: 'op1_momo' },
    recipients: [payee],
  })
  await owner.send(await owner.get(`${BASE}/vending/add`), '/vending/add', {
    machine: '1707-A',
    name: words.person,
  })
  const { body: order } = await api.post('/v1/vending/orders', {
    ...{ machine: '1707-A', amount: 1000, reference: words.reference.slice(0, 60) },
    goods: [{ spbh: '1', spmc: words.description.slice(0, 30) }],
  })
  const lines = `phone,amount,reference,name\n0700000000,5000,b-1,${words.person.replaceAll(/[",\n]/g, ' ')}\n`
  const bulk = await api.post('/v1/payouts/bulk', lines, { 'content-type': 'text/csv' })
  const bulkPage = await owner.get(`${BASE}/bulk`)
  const draft = await owner.send(bulkPage, '/bulk/paste', pasted(formOf(bulkPage, '/bulk/paste').fields, lines))
  // What a cashier writes, every role reads.
  const cashier = await signedInAs(service, merchant, { role: 'cashier' })
  const help = await cashier.get(`${BASE}/help/new?from=/charges/${charge.id}`)
  const asked = await cashier.send(help, '/help/new', { message: words.description })
  await api.get('/v1/charges/txn_none')
  await service.gateway.requests.flush()
  await decided(service)
  return {
    merchant,
    owner,
    ids: {
      '/charges': charge.id,
      '/payouts': payout.id,
      ...{ '/links': link.id, '/ask/qr': link.id, '/ask': charge.id, '/customers': '256700000001' },
      '/invoices': last(invoice.location),
      '/subaccounts': subaccount.id,
      '/payroll': schedule.id,
      '/vending/machines': '1707-A',
      '/orders': order.order_id,
      '/bulk': bulk.body.batch_id ?? bulk.body.id,
      '/bulk/drafts': last(draft.location),
      '/help': last(asked.location),
      ...(await rowsOf(service, merchant)),
    },
  }
}

const pasted = (fields: Readonly<Record<string, string>>, lines: string) => {
  const name = Object.keys(fields).find((key) => !['csrf', 'form', 'confirm', 'note'].includes(key)) ?? 'lines'
  return { [name]: lines }
}

async function rowsOf(service: TestService, { id }: CreatedMerchant): Promise<Record<string, string>> {
  const { merchant } = await getMerchantNamed(service.gateway, id)
  const first = async (sql: string) => (await service.rows<{ id: string }>(sql, [merchant.id]))[0]?.id ?? ''
  const request = await first('select id::text as id from request_log where merchant_id = $1 limit 1')
  return {
    '/developers/keys': await first(`select id from cell_0.api_keys where merchant_id = $1 and kind = 'test'`),
    '/developers/webhooks': await first('select event_id as id from deliveries where merchant_id = $1 limit 1'),
    '/developers/requests': BigInt(request || 0).toString(36),
  }
}

async function decided(service: TestService): Promise<void> {
  service.pass(3000)
  for (const sweep of ['follow-charges', 'send-payouts', 'settle-charges', 'tally-days']) await service.run(sweep)
}
