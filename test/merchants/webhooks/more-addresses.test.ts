import assert from 'node:assert/strict'
import test from 'node:test'
import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { serviceSignature, standardHeaders } from '../../../src/merchants/webhooks/signature.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { passUntil } from '../../helpers/payments/following-charges.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { act, addAddress, at, deliveryTo, happening } from '../../helpers/web/addresses.ts'
import { answering, deliverAll, deliveryOf } from '../../helpers/web/webhooks.ts'

const DAY_MS = 86_400_000
const first = opened(() => startReceiver())
const books = opened(() => startReceiver())
const stock = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({ env: { WEBHOOK_ALLOW_PRIVATE: [first, books, stock].map(({ place }) => place).join(',') } }),
)

type Shop = { merchant: CreatedMerchant; api: Client; live: Client }

async function shop(): Promise<Shop> {
  const merchant = await service.merchant()
  for (const receiver of [first, books, stock]) receiver.behave(answering(200))
  await service.set(merchant, { webhookUrl: first.url })
  return { merchant, api: service.client(merchant.keys.test), live: service.client(merchant.keys.live) }
}

const audited = ({ id }: CreatedMerchant, action: string): Promise<unknown[]> =>
  service.rows(
    'select 1 from audit a join merchants m on m.id = a.merchant_id where m.public_id = $1 and a.action = $2 and a.subject like $3',
    [id, action, 'wha_%'],
  )

test('an event goes to each address that wants it, signed with the secret of that address', async () => {
  const { api } = await shop()
  const [of] = (await api.get('/v1/webhook-addresses')).body.data
  assert.deepEqual([of.number, of.url, of.events, of.state, 'secret' in of], [1, first.url, null, 'active', false])
  const own = await addAddress(api, books.url)
  const some = await addAddress(api, stock.url, { events: ['payout.failed', 'payout.succeeded'] })
  assert.deepEqual([own.number, own.events, some.number], [2, null, 3])
  assert.deepEqual(some.events, ['payout.succeeded', 'payout.failed'])
  const eventId = await happening(service, api)
  await deliverAll(service)
  const [sent] = at(books, eventId)
  assert.ok(sent, 'it came')
  assert.equal(sent.headers['x-service-signature'], serviceSignature(own.secret, Buffer.from(sent.body)))
  assert.match(String(sent.headers['x-event-sequence']), /^[1-9]/)
  assert.deepEqual([at(first, eventId).length, at(books, eventId).length, at(stock, eventId).length], [1, 1, 0])
  assert.deepEqual([(await deliveryOf(api, eventId)).address, (await deliveryOf(api, eventId)).status], [of.id, 'sent'])
  const delivery = await deliveryTo(api, own.id, eventId)
  assert.deepEqual([delivery.address, delivery.url, delivery.status, delivery.attempts], [own.id, books.url, 'sent', 1])
  assert.equal(await deliveryTo(api, some.id, eventId), undefined)
  const { body: listed } = await api.get(`/v1/webhook-addresses/${own.id}`)
  assert.deepEqual([listed.failing_since, typeof listed.last_success_at, 'secret' in listed], [null, 'string', false])
  await act(api, own.id, '', { events: ['payout.failed'] })
  const later = await happening(service, api)
  await deliverAll(service)
  assert.equal(at(books, later).length, 0, 'a change counts for what happens then')
})

test('an address that is dead holds up no other one, and keeps its own ladder', async () => {
  const { api } = await shop()
  const dead = await addAddress(api, stock.url)
  const good = await addAddress(api, books.url)
  stock.behave(answering(500))
  const ids = []
  for (let nth = 0; nth < 4; nth += 1) ids.push(await happening(service, api))
  await deliverAll(service)
  for (const id of ids) {
    assert.equal(at(first, id).length, 1)
    assert.equal(at(books, id).length, 1)
    const failing = await deliveryTo(api, dead.id, id)
    assert.deepEqual([failing.status, failing.attempts, failing.last_response_code], ['pending', 1, 500])
    assert.equal((await deliveryTo(api, good.id, id)).status, 'sent')
  }
  stock.behave(answering(200))
  passUntil(service, new Date((await deliveryTo(api, dead.id, ids[3] as string)).next_attempt_at))
  await deliverAll(service)
  for (const id of ids) assert.deepEqual([at(stock, id).length, at(first, id).length], [2, 1])
})

test('at most five addresses in a mode, also when many are added at once, and the table itself has no place for more', async () => {
  const { merchant, api, live } = await shop()
  const urls = Array.from({ length: 7 }, (_, nth) => `${books.url}/${nth}`)
  const answers = await Promise.all(urls.map((url) => api.post('/v1/webhook-addresses', { url })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 201, 400, 400, 400])
  assert.equal(answers.find(({ status }) => status === 400)?.body.code, 'too_many_addresses')
  const { body } = await api.get('/v1/webhook-addresses')
  assert.deepEqual(
    body.data.map(({ number }: { number: number }) => number),
    [1, 2, 3, 4, 5],
  )
  const [, second] = body.data
  const copy = (number: number) =>
    service.rows(
      `insert into webhook_addresses (merchant_id, id, mode, number, url, state_since, secret, secret_since, created_at)
       select merchant_id, 'wha_' || left(md5($1::int || id), 21), mode, $1, url || '/more', state_since, secret, secret_since, created_at
       from webhook_addresses where id = $2`,
      [number, second.id],
    )
  await assert.rejects(copy(5), /webhook_addresses_numbers/)
  await assert.rejects(copy(6), /webhook_addresses_number_check/)
  assert.equal((await act(api, second.id, '/remove')).status, 200)
  assert.equal((await addAddress(api, `${books.url}/again`)).number, 2)
  assert.equal((await live.get('/v1/webhook-addresses')).body.data.length, 1, 'each mode has its own')
  assert.ok((await audited(merchant, 'webhook.address')).length >= 6)
})

test('what may not be done with an address is refused', async () => {
  const { merchant, api, live } = await shop()
  const other = await shop()
  const own = await addAddress(api, books.url)
  const [of] = (await api.get('/v1/webhook-addresses')).body.data
  const rows: [unknown, number, string, object?][] = [
    ['an unknown event', 400, '', { url: stock.url, events: ['charge.won'] }],
    ['no event at all', 400, '', { url: stock.url, events: [] }],
    ['a private address', 400, '', { url: 'http://127.0.0.1:1/hook' }],
    ['no address', 400, '', {}],
    ['the address of the first one', 400, '', { url: first.url }],
    ['an address twice', 400, '', { url: books.url }],
    ['a change to a private one', 400, `/${own.id}`, { url: 'https://10.0.0.1/' }],
    ['a change to an unknown event', 400, `/${own.id}`, { events: ['x'] }],
    ['a change to one that is taken', 400, `/${own.id}`, { url: first.url }],
    ['some events of the first one', 400, `/${of.id}`, { events: ['charge.failed'] }],
    ['another place of the first one', 403, `/${of.id}`, { url: stock.url }],
    ['a new secret of the first one', 403, `/${of.id}/rotate`, {}],
    ['the end of the first one', 403, `/${of.id}/remove`],
    ['one that is not there', 404, '/wha_absent', { events: null }],
    ['one that is not there, to test', 404, '/wha_absent/test'],
    ['one that is not there, to rotate', 404, '/wha_absent/rotate', {}],
    ['one that is not there, to pause', 404, '/wha_absent/pause'],
    ['one that is not there, to remove', 404, '/wha_absent/remove'],
  ]
  for (const [what, status, path, body] of rows)
    assert.equal((await api.post(`/v1/webhook-addresses${path}`, body)).status, status, String(what))
  for (const path of ['', '/test', '/pause', '/resume', '/remove', '/rotate'])
    for (const client of [other.api, live]) assert.equal((await act(client, own.id, path, {})).status, 404, path)
  assert.equal((await api.get(`/v1/webhooks?address=wha_absent`)).status, 404)
  const { body: key } = await service.client(merchant.keys.test_collections).post('/v1/webhook-addresses', {
    url: stock.url,
  })
  assert.equal(key.code, 'forbidden')
  assert.deepEqual((await api.get(`/v1/webhook-addresses/${own.id}`)).body.url, books.url)
})

test('no key changes the first address or takes its secret: a thief of one could write events that are believed', async () => {
  const { merchant, live } = await shop()
  const [of] = (await live.get('/v1/webhook-addresses')).body.data
  for (const [path, body] of [
    ['', { url: books.url }],
    ['/rotate', {}],
    ['/remove', undefined],
  ] as const) {
    const reply = await live.post(`/v1/webhook-addresses/${of.id}${path}`, body)
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden'], path)
    assert.match(reply.body.error, /changed on the dashboard, under Developers, Webhooks/)
  }
  assert.equal((await live.get(`/v1/webhook-addresses/${of.id}`)).body.url, first.url)
  assert.deepEqual(await audited(merchant, 'webhook.rotate'), [])
})

test('a new secret signs at once, and for 24 hours the old one beside it', async () => {
  const { api } = await shop()
  const own = await addAddress(api, books.url)
  const { body: rotated } = await act(api, own.id, '/rotate')
  assert.notEqual(rotated.secret, own.secret)
  assert.ok(Date.parse(rotated.previous_secret_until) - service.clock.nowMs() > DAY_MS - 60_000)
  const signatures = async () => {
    const eventId = await happening(service, api)
    await deliverAll(service)
    const sent = at(books, eventId)[0]
    assert.ok(sent)
    const by = (secret: string) =>
      standardHeaders({
        id: eventId,
        at: new Date(Number(sent.headers['webhook-timestamp']) * 1000),
        body: Buffer.from(sent.body),
        secrets: [secret],
      })['webhook-signature']
    assert.equal(sent.headers['x-service-signature'], serviceSignature(rotated.secret, Buffer.from(sent.body)))
    return { sent: sent.headers['webhook-signature'], fresh: by(rotated.secret), old: by(own.secret) }
  }
  const both = await signatures()
  assert.equal(both.sent, `${both.fresh} ${both.old}`)
  service.pass(DAY_MS + 60_000)
  const one = await signatures()
  assert.equal(one.sent, one.fresh)
  const stored = async () =>
    (
      await service.rows<{ has: boolean }>(
        'select previous_secret is not null as has from webhook_addresses where id = $1',
        [own.id],
      )
    )[0]
  assert.equal((await stored())?.has, true)
  await service.run('prune')
  assert.equal((await stored())?.has, false, 'and then it is forgotten')
  const { body: atOnce } = await act(api, own.id, '/rotate', { at_once: true })
  assert.equal(atOnce.previous_secret_until, null)
})

test('a test event goes to the address that is tested alone, and one delivery is sent again to its address', async () => {
  const { api } = await shop()
  const own = await addAddress(api, books.url, { events: ['payout.failed'] })
  const { body: ping, status } = await act(api, own.id, '/test')
  assert.equal(status, 202)
  await service.run('seal-events')
  await deliverAll(service)
  assert.deepEqual([at(books, ping.event_id).length, at(first, ping.event_id).length], [1, 0])
  assert.equal(at(books, ping.event_id)[0]?.event.event, 'test.ping')
  const again = await api.post(`/v1/webhooks/${ping.event_id}/resend?address=${own.id}`)
  assert.deepEqual([again.status, again.body.address, again.body.status], [202, own.id, 'pending'])
  await deliverAll(service)
  assert.equal(at(books, ping.event_id).length, 2)
  assert.equal((await api.post(`/v1/webhooks/${ping.event_id}/resend`)).status, 404)
  const [of] = (await api.get('/v1/webhook-addresses')).body.data
  const { body: pingOfFirst } = await act(api, of.id, '/test')
  await deliverAll(service)
  assert.deepEqual([at(books, pingOfFirst.event_id).length, at(first, pingOfFirst.event_id).length], [0, 1])
})
