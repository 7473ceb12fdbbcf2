import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, invalid } from '../../api/http/refused.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import {
  makeOrder,
  NON_PAYER,
  ORDERS,
  orderBody,
  payOrder,
  readOrder,
  submitPayment,
  vendingShop,
} from '../../helpers/vending/vending.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => vendingShop(service))
const METADATA = { order: 'A-17', 10: 'ten', clerk: '<b>Okello</b>' }

test('a link gives its metadata to the charge that pays it, and shows it to its merchant alone', async () => {
  const { body: link } = await shop.api.post('/v1/payment-links', { amount: 5000, metadata: METADATA })
  assert.deepEqual(link.metadata, METADATA)
  const { body: plain } = await shop.api.post('/v1/payment-links', { amount: 5000, metadata: null })
  assert.deepEqual(plain.metadata, {})
  const page = await (await fetch(link.url)).text()
  assert.doesNotMatch(page, /A-17|Okello/)
  const id = await payOrder(service, link.id)
  const { body: charge } = await shop.api.get(`/v1/charges/${id}`)
  assert.deepEqual([charge.payment_link_id, charge.metadata], [link.id, METADATA])
  await service.run('seal-events')
  const { body: events } = await shop.api.get('/v1/events?limit=100')
  const told = events.data.find(({ envelope }: any) => envelope.data.id === id)
  assert.deepEqual(told.envelope.data.metadata, METADATA)
  const { body: list } = await shop.api.get('/v1/payment-links')
  assert.deepEqual(list.data.find((row: any) => row.id === link.id).metadata, METADATA)
  const owner = await signedInAs(service, shop.merchant)
  const own = await owner.get(`/dashboard/test/links/${link.id}`)
  assert.match(mainOf(own), /Metadata .*A-17/)
  assert.doesNotMatch(own.text, /<b>Okello/)
})

test('an order of a machine has it too, on its charge and in its events', async () => {
  const order = await makeOrder(shop, { metadata: METADATA })
  assert.deepEqual(order.metadata, METADATA)
  assert.deepEqual((await makeOrder(shop)).metadata, {})
  const state = await (await fetch(order.state_url)).text()
  assert.doesNotMatch(state, /A-17/)
  const id = await payOrder(service, order.order_id)
  assert.deepEqual((await shop.api.get(`/v1/charges/${id}`)).body.metadata, METADATA)
  assert.deepEqual((await readOrder(shop, order.order_id)).metadata, METADATA)
  const owner = await signedInAs(service, shop.merchant)
  assert.match(mainOf(await owner.get(`/dashboard/test/orders/${order.order_id}`)), /Metadata .*A-17/)
  for (const [metadata, problem] of [
    [[], 'metadata must be an object'],
    [{ order: 7 }, 'metadata.order must be a string; write it in quotes: "7"'],
  ])
    assertRefused(await shop.api.post(ORDERS, { ...orderBody(), metadata }), invalid(problem as string))
})

test('forgetting a customer takes metadata off the links and orders of the number, and off no other', async () => {
  const { api } = shop
  const [gone, other] = ['0700000104', '0700000105']
  const makeLink = async (more: object = {}) =>
    (await api.post('/v1/payment-links', { amount: 5000, metadata: METADATA, ...more })).body.id as string
  const [paid, kept, forMany] = [await makeLink(), await makeLink(), await makeLink({ allow_multiple_uses: true })]
  const order: string = (await makeOrder(shop, { metadata: METADATA })).order_id
  for (const id of [paid, order]) await payOrder(service, id, gone)
  await payOrder(service, kept, other)
  assert.equal((await submitPayment(service, forMany, gone)).status, 302)
  const refused = await makeLink()
  await submitPayment(service, refused, NON_PAYER)
  service.pass(3000)
  await service.run('follow-charges')
  const owner = await signedInAs(service, shop.merchant)
  for (const phone of [`256${gone.slice(1)}`, `256${NON_PAYER.slice(1)}`]) {
    const page = await owner.get(`/dashboard/test/customers/${phone}`)
    assert.equal((await owner.send(page, '/forget')).status, 303)
  }
  const metadataOf = async (id: string) => (await api.get(`/v1/payment-links/${id}`)).body.metadata
  assert.deepEqual(await Promise.all([paid, kept, forMany, refused].map(metadataOf)), [
    {},
    METADATA,
    METADATA,
    METADATA,
  ])
  assert.deepEqual((await readOrder(shop, order)).metadata, {})
  for (const page of [`links/${paid}`, `orders/${order}`])
    assert.doesNotMatch(mainOf(await owner.get(`/dashboard/test/${page}`)), /Metadata|A-17/)
  assert.match(mainOf(await owner.get(`/dashboard/test/links/${kept}`)), /Metadata .*A-17/)
})
