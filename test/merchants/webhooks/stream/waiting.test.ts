import assert from 'node:assert/strict'
import { request } from 'node:http'
import test from 'node:test'
import { revokeKey } from '../../../../src/merchants/account/api-keys.ts'
import { countWaitingReaders } from '../../../../src/merchants/webhooks/stream/waiting-readers.ts'
import { assertRefused, unauthorized } from '../../../api/http/refused.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { eventually } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService, type TestService } from '../../../helpers/service/test-service.ts'
import { streamShop, tell } from '../../../helpers/service/told-events.ts'

const service = openedAndVerified(() => startService())
const waiting = (count: number, of: Pick<TestService, 'app'> = service) =>
  eventually(`${count} wait`, () => countWaitingReaders(of.app) === count)

test('a reader that waits is answered when its event has its number, and with nothing when its time is over', async () => {
  const { api, of } = await streamShop(service)
  const pending = api.get('/v1/events?wait=25')
  await waiting(1)
  await tell(service, of('live'))
  await service.run('seal-events')
  assert.equal(countWaitingReaders(service.app), 1, 'the other mode is none of its business')
  await tell(service, of('test'))
  await service.run('seal-events')
  const { status, body } = await pending
  assert.deepEqual([status, body.data.length, body.next_cursor], [200, 1, '1'])
  const silent = api.get('/v1/events?wait=25&starting_after=1')
  await waiting(1)
  service.pass(24_000)
  await new Promise((resolve) => setTimeout(resolve, 600))
  assert.equal(countWaitingReaders(service.app), 1)
  service.pass(1000)
  assert.deepEqual((await silent).body, { object: 'list', data: [], has_more: false, next_cursor: '1' })
})

test('a reader that waits from the latest event on hears of the next one alone', async () => {
  const { api, of } = await streamShop(service)
  await tell(service, of('test'), 2)
  while ((await service.run('seal-events')) > 0);
  const pending = api.get('/v1/events?wait=25&starting_after=latest')
  await waiting(1)
  await tell(service, of('test'))
  await service.run('seal-events')
  const { body } = await pending
  assert.deepEqual([body.data.map(({ sequence }: any) => sequence), body.next_cursor], [[3], '3'])
})

test('a reader hears of what another process has sealed', async () => {
  const { api, of } = await streamShop(service)
  const beside = await startService({ database: service.database, clock: service.clock })
  const pending = api.get('/v1/events?wait=25')
  await waiting(1)
  await tell(beside, of('test'))
  await beside.run('seal-events')
  assert.equal((await pending).body.data.length, 1)
  await beside.close()
})

test('a reader with a filter goes on waiting past what it did not ask for', async () => {
  const { api, of } = await streamShop(service)
  const pending = api.get('/v1/events?wait=25&event=charge.succeeded')
  await waiting(1)
  await tell(service, of('test'), 3)
  await service.run('seal-events')
  await waiting(1)
  service.pass(25_000)
  assert.deepEqual((await pending).body, { object: 'list', data: [], has_more: false, next_cursor: '3' })
})

test('two requests of a key may wait, a third is refused, and other keys wait beside them', async () => {
  const { api, live } = await streamShop(service)
  const pending = [api, api, live].map((client) => client.get('/v1/events?wait=25'))
  await waiting(3)
  const third = await api.get('/v1/events?wait=25')
  assert.deepEqual(
    [third.status, third.body.code, third.body.error, third.headers.get('retry-after')],
    [429, 'rate_limited', 'two requests of this key wait for events already', '5'],
  )
  assert.equal((await api.get('/v1/events')).status, 200, 'who does not wait is served')
  service.pass(25_000)
  await Promise.all(pending)
  await waiting(0)
})

test('a reader that hangs up is forgotten', async () => {
  const { merchant } = await streamShop(service)
  const headers = { authorization: `Bearer ${merchant.keys.test}` }
  const sent = request(`${service.url}/v1/events?wait=25`, { headers }).end()
  sent.on('error', () => {})
  await waiting(1)
  sent.destroy()
  await waiting(0)
})

test('a key that was revoked meanwhile reads nothing', async () => {
  const { merchant, api, of } = await streamShop(service)
  const pending = api.get('/v1/events?wait=25')
  await waiting(1)
  const { merchantId } = of('test')
  const [key] = await service.rows<{ id: string }>(
    `select id from api_keys where merchant_id = $1 and kind = 'test' and revoked_at is null`,
    [merchantId],
  )
  await revokeKey(service.app, BY_HAND, { holder: { ...merchant, id: merchantId } as never, id: key?.id ?? '' })
  await tell(service, of('test'))
  await service.run('seal-events')
  assertRefused(await pending, unauthorized('invalid api key'))
})

test('a process that stops answers those who wait', async () => {
  const stopping = await startService({ database: service.database, clock: service.clock })
  const { merchant } = await streamShop(service)
  const pending = stopping.client(merchant.keys.test).get('/v1/events?wait=25')
  await waiting(1, stopping)
  const began = performance.now()
  await stopping.close()
  assert.deepEqual([(await pending).status, (await pending).body.next_cursor], [200, '0'])
  assert.ok(performance.now() - began < 10_000)
})

test('readers hold no connection of the database: with hundreds of them everybody else is served', async () => {
  // Six at a time: sixty at once would wait for the connections of the service themselves.
  const shops: Awaited<ReturnType<typeof streamShop>>[] = []
  while (shops.length < 60) shops.push(...(await Promise.all(Array.from({ length: 6 }, () => streamShop(service)))))
  const pending = shops.flatMap(({ api, live }) => [api, live].map((client) => client.get('/v1/events?wait=25')))
  await waiting(120)
  const [first] = shops
  assert.ok(first)
  assert.equal((await first.api.charge()).status, 201)
  assert.equal((await first.live.get('/v1/balance')).status, 200)
  service.pass(25_000)
  for (const { status } of await Promise.all(pending)) assert.equal(status, 200)
})
