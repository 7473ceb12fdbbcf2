import assert from 'node:assert/strict'
import test from 'node:test'
import { payoutsOf, testClockTo } from '../../../helpers/payments/schedule-runs.ts'
import { payer, planned, sendAll } from '../../../helpers/payments/schedules.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { type Client, startService } from '../../../helpers/service/test-service.ts'
import { makeOrder, payOrder, vendingShop } from '../../../helpers/vending/vending.ts'
import { assertRefused, badRequest } from '../refused.ts'

const service = openedAndVerified(() => startService())
const read = async (api: Client, path: string) => {
  const { status, body, text } = await api.get(path)
  assert.equal(status, 200, text)
  return body
}

/** A shop with two payments on links, the second of them refunded, and one that is on none. */
async function shopWithPayments() {
  const shop = await payer(service, 100_000)
  const links = []
  for (const reference of ['first', 'second']) {
    const { body } = await shop.api.post('/v1/payment-links', { amount: 5000, reference })
    links.push({ id: body.id as string, charge: await payOrder(service, body.id) })
  }
  const { body: plain } = await shop.api.charge()
  const refunded = await shop.api.post(`/v1/charges/${links[1]?.charge}/refund`)
  assert.equal(refunded.status, 202, refunded.text)
  return { ...shop, links, plain: plain.id as string }
}

test('a charge shows its link and its refund, in lists as alone, with the same members as they have themselves', async () => {
  const { api, links, plain } = await shopWithPayments()
  const [first, second] = links
  const { data } = await read(api, '/v1/charges?expand=payment_link,refund')
  const byId = new Map<string, any>(data.map((charge: any) => [charge.id, charge]))
  for (const { id, charge } of links) {
    const alone = await read(api, `/v1/charges/${charge}?expand=payment_link,refund`)
    assert.deepEqual(byId.get(charge), alone)
    assert.deepEqual(alone.payment_link, await read(api, `/v1/payment-links/${id}`))
    const { payment_link, refund, ...rest } = alone
    assert.deepEqual(rest, await read(api, `/v1/charges/${charge}`), 'nothing else changes')
  }
  assert.equal(byId.get(first?.charge ?? '').refund, null)
  const { refund_id, refund } = byId.get(second?.charge ?? '')
  assert.deepEqual(refund, await read(api, `/v1/payouts/${refund_id}`))
  assert.deepEqual([byId.get(plain).payment_link, byId.get(plain).refund], [null, null])
})

test('a payout shows the charge it returns or its schedule, a link the charge that paid it', async () => {
  const { api, links, ...owner } = await shopWithPayments()
  const [link, refunded] = links
  const schedule = await planned(api, { amount: 1000 })
  await testClockTo(service, { ...owner, api }, schedule.next_run_at)
  await service.run('run-schedules')
  await sendAll(service)
  assert.equal((await payoutsOf(service, schedule.id)).length, 1)
  const { data } = await read(api, '/v1/payouts?expand=charge,scheduled_payout,charge')
  const [returned, planned1] = ['charge_id', 'scheduled_payout_id'].map((field) => data.find((one: any) => one[field]))
  assert.deepEqual(returned.charge, await read(api, `/v1/charges/${refunded?.charge}`))
  assert.equal(returned.scheduled_payout, null)
  assert.deepEqual(planned1.scheduled_payout, await read(api, `/v1/scheduled-payouts/${schedule.id}`))
  const shown = await read(api, `/v1/payment-links/${link?.id}?expand=charge`)
  assert.deepEqual(shown.charge, await read(api, `/v1/charges/${link?.charge}`))
})

test('a name that is no object of the list is refused, and a key sees no more than by itself', async () => {
  const { api, links, merchant } = await shopWithPayments()
  const refusal = badRequest('expand must be of: payment_link, refund')
  for (const text of ['payout', 'payment_link,', 'constructor', 'payment_link refund'])
    for (const path of ['/v1/charges', `/v1/charges/${links[0]?.charge}`])
      assertRefused(await api.get(`${path}?expand=${text}`), refusal, { because: text })
  const kiosk = service.client(merchant.keys.test_collections)
  assert.equal((await kiosk.get('/v1/charges?expand=payment_link')).status, 200)
  assertRefused(await kiosk.get('/v1/charges?expand=refund'), {
    ...{ status: 403, code: 'forbidden' },
    error: 'this endpoint requires a full secret key; collections-only keys cannot move money out',
  })
})

test('an order shows its charge; the charge shows no link for it, and no other merchant sees either', async () => {
  const shop = await vendingShop(service)
  const { order_id } = await makeOrder(shop)
  const id = await payOrder(service, order_id)
  const [order, charge] = [
    await read(shop.api, `/v1/vending/orders/${order_id}?expand=charge`),
    await read(shop.api, `/v1/charges/${id}?expand=payment_link`),
  ]
  assert.deepEqual(order.charge, await read(shop.api, `/v1/charges/${id}`))
  assert.deepEqual([charge.payment_link_id, charge.payment_link], [order_id, null])
  const other = await payer(service)
  for (const path of [`/v1/vending/orders/${order_id}?expand=charge`, `/v1/charges/${id}?expand=payment_link`])
    assert.equal((await other.api.get(path)).status, 404)
})
