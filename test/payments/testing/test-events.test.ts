import assert from 'node:assert/strict'
import test from 'node:test'
import { EVENT_TYPES } from '../../../src/merchants/webhooks/events.ts'
import { serviceSignature } from '../../../src/merchants/webhooks/signature.ts'
import { assertRefused, badRequest, invalid } from '../../api/http/refused.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { pullAll } from '../../helpers/service/told-events.ts'
import { addAddress, at, deliveryTo } from '../../helpers/web/addresses.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { answering, deliver, deliverAll } from '../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const books = opened(() => startReceiver())
const stock = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({ env: { WEBHOOK_ALLOW_PRIVATE: [receiver, books, stock].map(({ place }) => place).join(',') } }),
)
const shop = made(async () => {
  const merchant = await service.merchant()
  await service.set(merchant, { webhookUrl: receiver.url })
  return merchant
})
const api = made(async () => service.client(shop.keys.test))

const send = (body: object, headers: Record<string, string> = {}) => api.post('/v1/test/events', body, headers)
/** The event as it is pulled, once it has its number: transactions of others on this server may hold that up. */
async function pulled(id: string): Promise<unknown> {
  for (;;) {
    await service.run('seal-events')
    const { rows } = await pullAll(api, null)
    const found = rows.find(({ envelope }) => envelope.id === id)
    if (found !== undefined) return found.envelope
  }
}

const lastHeard = () => receiver.received.at(-1)?.event ?? {}

for (const event of EVENT_TYPES)
  test(`${event} comes to the address and into the stream as a sample, and stands for no payment`, async () => {
    receiver.behave(answering(200))
    const { status, body } = await send({ event })
    assert.deepEqual([status, body.object, body.event, body.webhook_url], [201, 'test_event', event, receiver.url])
    await deliver(service)
    const heard = lastHeard()
    assert.deepEqual([heard.id, heard.event, heard.data.sample, heard.data.mode], [body.id, event, true, 'test'])
    assert.ok(Object.keys(heard.data).length > 3, 'the data of the example')
    assert.deepEqual(await pulled(body.id), heard)
    const { body: page } = await api.get('/v1/webhooks?limit=1')
    assert.deepEqual([page.data[0].id, page.data[0].event], [body.id, 'test.ping'])
  })

test('given data is sent as it is, its keys in order, with the mark that it is a sample', async () => {
  const data = { reference: 'order-1', amount: 5000, lines: [{ name: 'Maize', count: 2 }], sample: false, mode: 'live' }
  assert.equal((await send({ event: 'charge.succeeded', data })).status, 201)
  await deliver(service)
  const raw = receiver.received.at(-1)?.body ?? ''
  const sent = '{"amount":5000,"lines":[{"count":2,"name":"Maize"}],"mode":"test","reference":"order-1","sample":true}'
  assert.ok(raw.startsWith(`{"data":${sent},"event":"charge.succeeded"`), raw)
  const [act] = await service.rows<{ actor: string; after: object }>(
    `select actor, after from audit where action = 'webhook.ping' order by id desc limit 1`,
  )
  assert.deepEqual(act?.after, { event: 'charge.succeeded' })
  assert.match(act?.actor ?? '', /^test full key \.\.\./)
})

test('what is no event or no fit object is refused, and nothing is sent', async () => {
  const before = await service.digest()
  let deep: object = {}
  for (let level = 0; level < 3000; level += 1) deep = { deep }
  const event = 'charge.failed'
  for (const [data, text] of [
    ['text', 'data must be an object'],
    [[], 'data must be an object'],
    [7, 'data must be an object'],
    [deep, 'invalid request: body is nested too deeply'],
    [{ text: 'x'.repeat(16_384) }, 'data must be at most 16384 characters of JSON'],
    [{ text: '\u0000' }, 'invalid request: body contains control characters'],
    [{ list: [{ '\ud800': 1 }] }, 'invalid request: body contains invalid Unicode'],
  ] as const)
    assertRefused(await send({ event, data }), badRequest(text))
  const names = EVENT_TYPES.join(', ')
  assertRefused(await send({ event: 'charge.paid' }), invalid(`event must be one of ${names} (got charge.paid)`))
  assertRefused(await send({}), invalid('event is required'))
  assert.equal(await service.digest(), before)
})

test('without an address it waits for one, a key sent again sends nothing, and another merchant hears nothing', async () => {
  const other = service.client((await service.merchant()).keys.test)
  const keyed = { 'idempotency-key': 'event once' }
  const first = await other.post('/v1/test/events', { event: 'payout.failed' }, keyed)
  const again = await other.post('/v1/test/events', { event: 'payout.failed' }, keyed)
  assert.equal(first.body.webhook_url, null)
  assert.deepEqual([again.text, again.headers.get('idempotency-status')], [first.text, 'replayed'])
  await service.run('seal-events')
  const { rows } = await pullAll(other, null)
  assert.deepEqual(
    rows.map(({ envelope }) => envelope.id),
    [first.body.id],
  )
  const own = await pullAll(api, null)
  assert.ok(own.rows.every(({ envelope }) => envelope.id !== first.body.id))
})

/** A merchant with an address for both modes, one beside it for refunds and one for every event. */
async function shopOfThree() {
  const merchant = await service.merchant()
  for (const heard of [receiver, books, stock]) heard.behave(answering(200))
  await service.set(merchant, { webhookUrl: receiver.url })
  const client = service.client(merchant.keys.test)
  const some = await addAddress(client, books.url, { events: ['charge.refunded'] })
  const all = await addAddress(client, stock.url)
  return { merchant, client, some, all }
}
const arrivals = (id: string) => [receiver, books, stock].map((heard) => at(heard, id).length)

test('a sample goes to each address of test mode that gets such an event, with the same bytes and its own signature', async () => {
  const { client, some } = await shopOfThree()
  const { body: refund } = await client.post('/v1/test/events', { event: 'charge.refunded' })
  const { body: payout } = await client.post('/v1/test/events', { event: 'payout.failed' })
  const { body: ping } = await client.post('/v1/test/events', { event: 'test.ping' })
  await deliverAll(service)
  assert.deepEqual(
    [refund, payout, ping].map(({ id }) => arrivals(id)),
    [
      [1, 1, 1],
      [1, 0, 1],
      [1, 0, 1],
    ],
  )
  const [[first], [own]] = [at(receiver, refund.id), at(books, refund.id)]
  assert.ok(first && own)
  assert.equal(own.body, first.body)
  assert.equal(own.headers['x-service-signature'], serviceSignature(some.secret, Buffer.from(own.body)))
  const delivery = await deliveryTo(client, some.id, refund.id)
  assert.deepEqual([delivery.event, delivery.status, delivery.url], ['test.ping', 'sent', books.url])
  await service.run('seal-events')
  await deliverAll(service)
  assert.deepEqual(arrivals(refund.id), [1, 1, 1], 'its number brings it to nobody again')
})

test('a sample waits for an address that is paused, is not sent to one of live mode or one that is removed, and comes once for its key', async () => {
  const { merchant, client, some, all } = await shopOfThree()
  await client.post(`/v1/webhook-addresses/${some.id}/pause`)
  await client.post(`/v1/webhook-addresses/${all.id}/remove`)
  await addAddress(service.client(merchant.keys.live), `${stock.url}/live`)
  const keyed = { 'idempotency-key': 'to all of them' }
  const sent = () => client.post('/v1/test/events', { event: 'charge.refunded' }, keyed)
  const [{ body }, again] = [await sent(), await sent()]
  assert.equal(again.body.id, body.id)
  await deliverAll(service)
  assert.deepEqual(arrivals(body.id), [1, 0, 0])
  const waiting = await deliveryTo(client, some.id, body.id)
  assert.deepEqual([waiting.status, waiting.attempts, waiting.next_attempt_at], ['pending', 0, null])
  await client.post(`/v1/webhook-addresses/${some.id}/resume`)
  await deliverAll(service)
  assert.deepEqual(arrivals(body.id), [1, 1, 0])
})

test('without a first address a sample still goes to the others', async () => {
  const client = service.client((await service.merchant()).keys.test)
  books.behave(answering(200))
  const own = await addAddress(client, books.url)
  const { body } = await client.post('/v1/test/events', { event: 'payout.succeeded' })
  assert.equal(body.webhook_url, null)
  await deliverAll(service)
  assert.equal(at(books, body.id).length, 1)
  assert.equal((await deliveryTo(client, own.id, body.id)).status, 'sent')
})

test('the test event of the dashboard goes to the others of its mode too, sent twice only once, and that of one address to it alone', async () => {
  const { merchant, client, some } = await shopOfThree()
  const live = await addAddress(service.client(merchant.keys.live), `${books.url}/live`)
  const owner = await signedInAs(service, merchant)
  const page = await owner.get('/dashboard/test/developers/webhooks')
  const sent = await owner.send(page, '/webhooks/ping')
  assert.equal((await owner.send(page, '/webhooks/ping')).location, sent.location)
  const id = sent.location.split('/').at(-1) ?? ''
  await deliverAll(service)
  assert.deepEqual(arrivals(id), [1, 0, 1])
  assert.equal(await deliveryTo(client, some.id, id), undefined, 'it gets refunds alone')
  assert.deepEqual(await service.rows('select 1 from address_deliveries where address_id = $1', [live.id]), [])
  const [first] = (await client.get('/v1/webhook-addresses')).body.data
  const { body } = await client.post(`/v1/webhook-addresses/${first.id}/test`)
  await deliverAll(service)
  assert.deepEqual(arrivals(body.event_id), [1, 0, 0])
})
