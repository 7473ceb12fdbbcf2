import assert from 'node:assert/strict'
import test, { afterEach, beforeEach } from 'node:test'
import { type Receiver, startReceiver } from '../../fakes/receiver.ts'
import { gate } from '../../helpers/database/gate.ts'
import { assertVerified, DAY, eventually } from '../../helpers/service/live-service.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'
import {
  anotherSender,
  answering,
  classOf,
  deliver,
  deliverAll,
  deliveryOf,
  endedCharge,
  hangingSender,
} from '../../helpers/web/webhooks.ts'

// A service for each test: deliveries left due by one test would be started by the workers of the next.
let service: TestService
let receiver: Receiver
let dead: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
  dead = await startReceiver()
  service = await startService({ env: { WEBHOOK_ALLOW_PRIVATE: `${receiver.place},${dead.place}` } })
})
afterEach(async () => {
  await service.close()
  await receiver.close()
  await dead.close()
})

async function shop(webhookUrl = receiver.url) {
  const merchant = await service.merchant()
  await service.set(merchant, { webhookUrl })
  return { merchant, api: service.client(merchant.keys.test) }
}
const timesSent = (eventId: string) => receiver.received.filter(({ event }) => event.id === eventId).length

test('a receiver that never answers delays nobody else, and moves to the slow lane after five seconds', async () => {
  const silent = await shop(dead.url)
  const healthy = await shop()
  dead.behave(() => {})
  const lost = []
  for (let nth = 0; nth < 6; nth += 1) lost.push((await endedCharge(service, silent.api)).eventId)
  const worker = anotherSender(service)
  assert.equal(await worker.start(), 4, 'four places for a receiver that nobody knows yet')
  const started = performance.now()
  const { eventId } = await endedCharge(service, healthy.api)
  assert.equal(await worker.start(), 1)
  await eventually('the healthy receiver was told', () => timesSent(eventId) === 1)
  assert.ok(performance.now() - started < 2500, 'while the dead one still keeps its sockets')
  assert.ok(dead.received.length > 0)
  await worker.idle()
  for (const id of lost.slice(0, 4)) {
    const row = await deliveryOf(silent.api, id)
    assert.deepEqual([row.status, row.attempts, classOf(row)], ['pending', 1, 'timeout'])
  }
  assert.equal(await worker.start(), 1, 'one place in the slow lane')
  dead.behave(answering(200))
  await worker.idle()
  await assertVerified(service)
})

test('two workers never attempt one delivery at once', async () => {
  const { api } = await shop()
  const ids: string[] = []
  for (let nth = 0; nth < 12; nth += 1) ids.push((await endedCharge(service, api)).eventId)
  const held = gate()
  receiver.behave((response) => void held.opened.then(() => response.writeHead(200).end()))
  const workers = [anotherSender(service), anotherSender(service), anotherSender(service)]
  const started = await Promise.all(workers.map((worker) => worker.start()))
  assert.ok(started.reduce((sum, one) => sum + one, 0) <= ids.length)
  held.open()
  await Promise.all(workers.map((worker) => worker.idle()))
  await deliverAll(service)
  for (const id of ids) {
    assert.equal(timesSent(id), 1)
    assert.equal((await deliveryOf(api, id)).attempts, 1)
  }
})

for (const [late, status] of [
  ['failure', 500],
  ['success', 200],
] as const)
  test(`a late ${late} by a worker that has lost its lease writes nothing`, async () => {
    const { api } = await shop()
    const { eventId } = await endedCharge(service, api)
    const { worker: slow, answer } = await hangingSender(service, receiver)
    const other = anotherSender(service)
    assert.equal(await other.start(), 0, 'the lease is held')
    service.pass(16_000)
    receiver.behave(answering(503))
    assert.equal(await other.start(), 1)
    await other.idle()
    const before = await deliveryOf(api, eventId)
    assert.deepEqual([before.status, before.attempts, before.last_response_code], ['pending', 1, 503])
    answer(status)
    await slow.idle()
    assert.deepEqual(await deliveryOf(api, eventId), before)
  })

test('a merchant with thousands of due deliveries delays nobody else', async () => {
  const flooded = await shop(dead.url)
  const { chargeId } = await endedCharge(service, flooded.api)
  await service.rows(
    `insert into events (merchant_id, id, mode, type, subject, occurrence, body, created_at)
     select merchant_id, 'evt_flood' || n::text, mode, type, subject, n, body, $2
     from events, generate_series(1, 6000) n where subject = $1`,
    [chargeId, new Date(service.clock.nowMs() - DAY)],
  )
  await service.rows(
    `insert into deliveries (merchant_id, event_id, mode, event, next_attempt_at, created_at)
     select merchant_id, id, mode, type, created_at, created_at from events where id like 'evt_flood%'`,
  )
  const quiet = await shop()
  const { eventId } = await endedCharge(service, quiet.api)
  await deliver(service)
  assert.equal(timesSent(eventId), 1)
  assert.equal(dead.received.length, 4, 'and the crowd has its four places')
})

test('a worker that stops lets its attempts end and holds no lease', async () => {
  const { api } = await shop()
  const { eventId } = await endedCharge(service, api)
  const held = gate()
  receiver.behave((response) => void held.opened.then(() => response.writeHead(200).end()))
  const worker = anotherSender(service)
  assert.equal(await worker.start(), 1)
  await eventually('the attempt has arrived', () => timesSent(eventId) === 1)
  const stopped = worker.stop()
  held.open()
  await stopped
  assert.equal((await deliveryOf(api, eventId)).status, 'sent')
  assert.deepEqual(await service.rows('select 1 from deliveries where lease_token is not null'), [])
})

test('a claim changes no column that an index names', async () => {
  const { api } = await shop()
  const { eventId } = await endedCharge(service, api)
  const read = async () => {
    const [row] = await service.rows('select * from deliveries where event_id = $1', [eventId])
    assert.ok(row)
    return row
  }
  const due = await read()
  const { worker, answer } = await hangingSender(service, receiver)
  const claimed = await read()
  const changed = Object.keys(claimed).filter((name) => String(claimed[name]) !== String(due[name]))
  assert.ok(changed.includes('lease_until'))
  const indexes = await service.rows<{ made: string }>(
    `select indexdef as made from pg_indexes where schemaname = current_schema() and tablename = 'deliveries'`,
  )
  assert.ok(indexes.length > 0)
  // Then the new version of the row stays in its page, and none of the indexes is written.
  for (const { made } of indexes) for (const name of changed) assert.doesNotMatch(made, new RegExp(`\\b${name}\\b`))
  answer(200)
  await worker.idle()
})
