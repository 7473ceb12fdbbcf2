import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPhone } from '../../../src/platform/text/phone.ts'
import { DASHBOARD_ROUTES } from '../../../src/web/dashboard/routes-list.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { mainOf, type Planted, tillOf } from '../../helpers/web/dashboard.ts'
import { deliverAll } from '../../helpers/web/webhooks.ts'
import { pagesOf } from './whole/places.ts'
import { wholeShop } from './whole/shop.ts'

const SECRET = { name: 'Recipient Nobody Else Knows', reference: 'salary-of-nobody' }
const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startPayingService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop = made(() => wholeShop(service, receiver))
/** Payouts of both modes that have ended: their events hold name, phone and amount. */
const paid = made(async () => {
  const phone = newPayer()
  const ids: string[] = []
  for (const api of [shop.test, shop.live]) {
    const { body } = await api.post('/v1/payouts', {
      ...{ amount: 1234, recipient: { phone, name: SECRET.name }, reference: SECRET.reference },
    })
    ids.push(body.id)
  }
  for (const entry of service.operator.book.values()) if (entry.state === 'open') service.operator.pays(entry.reference)
  service.pass(3000)
  await service.run('send-payouts')
  service.pass(60_000)
  await service.run('send-payouts')
  await deliverAll(service)
  await service.gateway.requests.flush()
  return { ids, phone }
})

/** Everything that a person can open, with the events, requests and searches that are about payouts. */
async function addresses(): Promise<string[]> {
  const { merchantId } = shop
  const events = await service.rows<{ id: string; mode: string }>(
    `select id, mode from events where merchant_id = $1 and type like 'payout.%'`,
    [merchantId],
  )
  assert.ok(events.length > 1, 'the payouts have events')
  const requests = await service.rows<{ id: string; mode: string }>(
    `select id::text as id, mode from request_log where merchant_id = $1 and object_id = any($2)`,
    [merchantId, paid.ids],
  )
  assert.ok(requests.length > 0, 'the requests are kept')
  const base = (mode: string) => (mode === 'test' ? '/dashboard/test' : '/dashboard')
  const texts = [...paid.ids, paid.phone, SECRET.reference, ...events.map(({ id }) => id)]
  return [
    ...pagesOf(shop).map(({ address }) => address),
    ...events.map(({ id, mode }) => `${base(mode)}/developers/webhooks/${id}`),
    ...requests.map(({ id, mode }) => `${base(mode)}/developers/requests/${BigInt(id).toString(36)}`),
    ...['/dashboard', '/dashboard/test'].flatMap((at) => texts.map((text) => `${at}/search?q=${text}`)),
  ]
}

async function tellsOf(person: Planted): Promise<string[]> {
  const told: string[] = []
  const hidden = [SECRET.name, SECRET.reference, paid.phone, formatPhone(paid.phone), ...paid.ids]
  for (const address of await addresses()) {
    const page = await person.get(address)
    const text = page.status === 200 ? page.text.replaceAll(/<input[^>]*name="q"[^>]*>/g, '') : ''
    const found = hidden.filter((one) => text.includes(one) && !address.includes(one))
    if (found.length > 0) told.push(`${address}: ${found.join(' ')}`)
  }
  return told
}

test('whoever may not see payouts finds their names, phones and ids on no road: deliveries, events, requests, search, any page', async () => {
  assert.deepEqual(await tellsOf(shop.people.cashier), [])
  assert.ok((await tellsOf(shop.people.viewer)).length > 3, 'whoever may see them finds them there')
})

const MAY: readonly string[] = ['read', 'charge.create', 'invoice.create', 'link.create', 'order.create']

test('a till asks for payments and sees the counter, charges, links, invoices, orders and disputes, and nothing else of the business', async () => {
  const till = await tillOf(service, shop.merchant)
  const open = DASHBOARD_ROUTES.flatMap((route) =>
    route.kind === 'page' && MAY.includes(route.see) ? [route.path] : [],
  )
  assert.deepEqual(
    open
      .map((path) => path.split('/')[1])
      .filter((one, nth, all) => all.indexOf(one) === nth)
      .sort(),
    ['ask', 'charges', 'counter', 'customers', 'device', 'disputes', 'help', 'invoices', 'links', 'orders', 'search'],
  )
  for (const { route, address } of pagesOf(shop)) {
    if (route.kind !== 'page') continue
    const { status, location } = await till.get(address)
    if (route.path === '/') assert.match(location, /\/counter$/)
    else assert.equal(status, MAY.includes(route.see) ? 200 : 403, address)
  }
  const counter = await till.get('/dashboard/counter')
  assert.doesNotMatch(
    counter.text,
    /href="\/dashboard\/(?:wallet|payouts|settings|developers|verification|subaccounts)/,
  )
  const refused = await till.get('/dashboard/settings/people')
  assert.match(
    mainOf(refused),
    /a till may not do this: it has the counter, charges, links, invoices, orders and disputes/,
  )
  assert.deepEqual(await tellsOf(till), [])
})
