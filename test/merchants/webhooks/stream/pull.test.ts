import assert from 'node:assert/strict'
import test from 'node:test'
import { sealEvents } from '../../../../src/merchants/webhooks/stream/seal-events.ts'
import { assertRefused, badRequest, notFound } from '../../../api/http/refused.ts'
import { startReceiver } from '../../../fakes/receiver.ts'
import { DAY } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { pullAll, streamShop, tell } from '../../../helpers/service/told-events.ts'
import { answering, deliver, endedCharge } from '../../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const seal = async () => {
  while ((await service.run('seal-events')) > 0);
}

const shop = () => streamShop(service)

test('events come oldest first with their webhooks as envelopes, and the cursor stays on an empty page', async () => {
  const { api } = await shop()
  const before = await api.get('/v1/events')
  assert.deepEqual(before.body, { object: 'list', data: [], has_more: false, next_cursor: '0' })
  const ids: string[] = []
  for (let nth = 0; nth < 3; nth += 1) ids.push((await endedCharge(service, api)).eventId)
  const unsealed = await api.get(`/v1/events/${ids[0]}`)
  assert.deepEqual([unsealed.status, unsealed.body.sequence], [200, null])
  assert.deepEqual((await api.get('/v1/events')).body.data, [], 'not before it has its number')
  await seal()
  const { body } = await api.get('/v1/events?limit=2')
  assert.deepEqual(
    body.data.map(({ object, sequence, envelope }: any) => [object, sequence, envelope.id, envelope.event]),
    [0, 1].map((nth) => ['event', nth + 1, ids[nth], 'charge.succeeded']),
  )
  assert.deepEqual([body.has_more, body.next_cursor], [true, '2'])
  const [stored] = await service.rows<{ body: string }>('select body from events where id = $1', [ids[0]])
  assert.deepEqual(body.data[0].envelope, JSON.parse(stored?.body ?? ''))
  const rest = await api.get('/v1/events?starting_after=2')
  assert.deepEqual([rest.body.data.length, rest.body.has_more, rest.body.next_cursor], [1, false, '3'])
  const end = await api.get('/v1/events?starting_after=3')
  assert.deepEqual(end.body, { object: 'list', data: [], has_more: false, next_cursor: '3' })
  assert.deepEqual((await api.get(`/v1/events/${ids[2]}`)).body, rest.body.data[0])
})

test('test and live count apart, other merchants see nothing, and a key for collections sees the same', async () => {
  const [ours, theirs] = [await shop(), await shop()]
  await tell(service, ours.of('test'), 3)
  await tell(service, ours.of('live'), 2)
  await tell(service, theirs.of('test'))
  await seal()
  const read = async (api: typeof ours.api) => (await pullAll(api, null)).rows
  const [tests, lives, others] = [await read(ours.api), await read(ours.live), await read(theirs.api)]
  assert.deepEqual(
    [tests, lives, others].map((rows) => rows.map(({ sequence }) => sequence)),
    [[1, 2, 3], [1, 2], [1]],
  )
  const ids = [...tests, ...lives, ...others].map(({ envelope }) => envelope.id)
  assert.equal(new Set(ids).size, 6)
  const kiosk = service.client(ours.merchant.keys.test_collections)
  assert.deepEqual((await kiosk.get('/v1/events')).body.data, tests)
  for (const { envelope } of [...lives, ...others])
    assertRefused(await ours.api.get(`/v1/events/${envelope.id}`), notFound('event not found'))
})

test('latest is the end of what has a number: an empty page whose cursor leads on', async () => {
  const { api, live, of } = await shop()
  const latest = async (client: typeof api, query = '') =>
    (await client.get(`/v1/events?starting_after=latest${query}`)).body
  const end = (next_cursor: string) => ({ object: 'list', data: [], has_more: false, next_cursor })
  assert.deepEqual(await latest(api), end('0'))
  await tell(service, of('test'), 3)
  assert.deepEqual(await latest(api), end('0'), 'what has no number yet comes later')
  await seal()
  assert.deepEqual(await latest(api, '&event=dispute.opened&limit=1'), end('3'))
  assert.deepEqual(await latest(live), end('0'))
  await tell(service, of('test'))
  await seal()
  assert.deepEqual(
    (await pullAll(api, '3')).rows.map(({ sequence }) => sequence),
    [4],
  )
  service.pass(40 * DAY)
  assert.deepEqual(await latest(api), end('4'), 'however old the last one is')
})

test('a filter shows its events only, and leads past the others', async () => {
  const { api, of } = await shop()
  await endedCharge(service, api)
  await tell(service, of('test'), 2)
  await endedCharge(service, api, '0700000001')
  await seal()
  const ask = async (query: string) => (await api.get(`/v1/events?${query}`)).body
  const some = await ask('event=charge.failed,charge.succeeded')
  assert.deepEqual(
    [some.data.map(({ sequence }: any) => sequence), some.has_more, some.next_cursor],
    [[1, 4], false, '4'],
  )
  const none = await ask('event=dispute.opened')
  assert.deepEqual([none.data, none.has_more, none.next_cursor], [[], false, '4'])
  const first = await ask('event=test.ping&limit=1')
  assert.deepEqual([first.data.length, first.has_more, first.next_cursor], [1, true, '2'])
})

test('a filter that few events pass gives an empty page with more behind it', async () => {
  const { api, of } = await shop()
  await tell(service, of('test'), 10_001)
  await endedCharge(service, api)
  await seal()
  const far = (await api.get('/v1/events?event=charge.succeeded')).body
  assert.deepEqual([far.data, far.has_more, far.next_cursor], [[], true, '10000'])
  const next = (await api.get('/v1/events?event=charge.succeeded&starting_after=10000')).body
  assert.deepEqual([next.data[0].sequence, next.has_more, next.next_cursor], [10_002, false, '10002'])
})

test('a query that is wrong is refused with what is wrong', async () => {
  const { api, of } = await shop()
  await tell(service, of('test'))
  await seal()
  const ask = (query: string) => api.get(`/v1/events?${query}`)
  for (const limit of ['0', '101', 'x', '1.5'])
    assertRefused(await ask(`limit=${limit}`), badRequest('limit must be an integer between 1 and 100'))
  for (const wait of ['-1', '26', '1.5', 'x', '100'])
    assertRefused(await ask(`wait=${wait}`), badRequest('wait must be an integer between 0 and 25'), { because: wait })
  for (const event of ['charge.paid', 'charge.succeeded,charge.paid', 'CHARGE.SUCCEEDED', 'charge.succeeded,'])
    assertRefused(await ask(`event=${event}`), badRequest(`invalid event: ${event}`), {
      because: event,
    })
  for (const cursor of [
    'LATEST',
    'latest1',
    'newest',
    '2',
    '-1',
    '01',
    '1.0',
    '0x1',
    'evt_1',
    '9'.repeat(15),
    '9'.repeat(400),
  ])
    assertRefused(await ask(`starting_after=${cursor}`), badRequest('invalid starting_after cursor'), {
      because: cursor,
    })
})

test('after 30 days an event is gone, and a cursor of before is told where to go on', async () => {
  const { api, of } = await shop()
  for (const count of [3, 2]) {
    await tell(service, of('test'), count)
    await seal()
    service.pass(20 * DAY)
  }
  const first = (await pullAll(api, '3')).rows[0]
  const expired = await api.get('/v1/events?starting_after=1')
  assert.deepEqual(
    [expired.status, expired.body.code, expired.body.error],
    [410, 'cursor_expired', 'events are kept 30 days: the first one that is left has sequence 4'],
  )
  assert.match(expired.body.hint, /starting_after=3\b/)
  assert.deepEqual(
    (await pullAll(api, null)).rows.map(({ sequence }) => sequence),
    [4, 5],
    'from the first that is left',
  )
  assert.equal((await api.get(`/v1/events/${first.envelope.id}`)).status, 200)
  service.pass(20 * DAY)
  assertRefused(await api.get(`/v1/events/${first.envelope.id}`), notFound('event not found'))
  assert.equal((await api.get('/v1/events?starting_after=4')).status, 410)
  const end = await api.get('/v1/events?starting_after=5')
  assert.deepEqual([end.status, end.body.next_cursor], [200, '5'], 'who has read everything has missed nothing')
  assert.deepEqual((await pullAll(api, null)).cursor, '5')
})

test('a webhook says the number of its event once it has one', async () => {
  const { merchant, api } = await shop()
  receiver.behave(answering(500))
  await service.set(merchant, { webhookUrl: receiver.url })
  await endedCharge(service, api)
  await deliver(service)
  await seal()
  service.pass(DAY)
  await deliver(service)
  const heard = receiver.received.map(({ headers }) => headers['x-event-sequence'])
  assert.deepEqual([heard[0], heard.at(-1)], [undefined, '1'])
  receiver.behave(answering(200))
})

test('a number never changes and no number goes away', async () => {
  for (const change of [
    'update event_seals set sequence = sequence + 1',
    'delete from event_seals',
    'truncate event_seals',
  ])
    await assert.rejects(service.rows(change), /event_seals\w* is append-only/)
  assert.equal(await sealEvents(service.app), 0)
})
