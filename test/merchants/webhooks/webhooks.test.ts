import assert from 'node:assert/strict'
import test from 'node:test'
import { serviceSignature } from '../../../src/merchants/webhooks/signature.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { passUntil, succeed } from '../../helpers/payments/following-charges.ts'
import { auditedAs } from '../../helpers/service/audited-as.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { answering, classOf, deliver, deliverAll, deliveryOf, endedCharge } from '../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const other = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startLiveService({ env: { WEBHOOK_ALLOW_PRIVATE: `${receiver.place},${other.place}` } }),
)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
// The delays before the second to the eighth attempt (spec 6).
const LADDER = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR]
// The clock of the service also runs during the test.
const MEANWHILE_MS = 5000

async function shopWithHook(url: string | null = receiver.url) {
  const shop = await service.shop()
  receiver.behave(answering(200))
  if (url !== null) await service.set(shop.merchant, { webhookUrl: url })
  return shop
}

test('eight attempts on the ladder, never early, then failed, and each carries the same bytes', async () => {
  const { test: api } = await shopWithHook()
  receiver.behave(answering(500))
  const { eventId } = await endedCharge(service, api)
  const started = service.clock.nowMs()
  const before = receiver.received.length
  assert.equal(await deliver(service), 1)
  for (const [index, delay] of LADDER.entries()) {
    const row = await deliveryOf(api, eventId)
    assert.deepEqual(
      [row.status, row.attempts, row.last_response_code, classOf(row)],
      ['pending', index + 1, 500, 'http 500'],
    )
    assert.equal(row.last_error, `http 500: http://${receiver.place} answered 500, which is no 2xx`)
    const inMs = Date.parse(row.next_attempt_at) - service.clock.nowMs()
    const most = delay >= 5 * MINUTE ? delay * 1.05 : delay
    assert.ok(inMs > delay - MEANWHILE_MS && inMs <= most, `attempt ${index + 2} is due in ${inMs} ms`)
    passUntil(service, new Date(Date.parse(row.next_attempt_at) - MEANWHILE_MS))
    assert.equal(await deliver(service), 0, 'never earlier than its time')
    passUntil(service, new Date(row.next_attempt_at))
    assert.equal(await deliver(service), 1)
  }
  const given = await deliveryOf(api, eventId)
  assert.deepEqual([given.status, given.attempts, given.next_attempt_at], ['failed', 8, null])
  assert.equal(given.delivered_at, null)
  const total = service.clock.nowMs() - started
  const least = LADDER.reduce((sum, delay) => sum + delay, 0)
  assert.equal(least, 44 * HOUR + 36 * MINUTE)
  assert.ok(total >= least && total < least * 1.05 + 8 * MEANWHILE_MS, `${total} ms in all`)

  const received = receiver.received.slice(before)
  assert.equal(received.length, 8)
  assert.equal(new Set(received.map(({ body }) => body)).size, 1)
  assert.ok(received.every(({ headers }) => headers['webhook-id'] === eventId))
  assert.equal(new Set(received.map(({ headers }) => headers['x-service-signature'])).size, 1)
  const times = received.map(({ headers }) => Number(headers['webhook-timestamp']))
  assert.ok(times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0) + 60))
  service.pass(30 * 24 * HOUR)
  assert.equal(await deliver(service), 0)
})

for (const [status, error] of [
  [200, null],
  [201, null],
  [204, null],
  [299, null],
  [304, 'http 304'],
  [400, 'http 400'],
  [404, 'http 404'],
  [410, 'http 410'],
  [429, 'http 429'],
  [500, 'http 500'],
  [503, 'http 503'],
] as const)
  test(`a receiver that answers ${status} has ${error === null ? 'acknowledged' : 'not acknowledged'}`, async () => {
    const { test: api } = await shopWithHook()
    receiver.behave(answering(status, { 'retry-after': '1' }))
    const { eventId } = await endedCharge(service, api)
    await deliver(service)
    const row = await deliveryOf(api, eventId)
    assert.equal(row.status, error === null ? 'sent' : 'pending')
    assert.equal(classOf(row), error)
    assert.equal(row.last_response_code, status)
    assert.equal(row.attempts, 1)
    assert.equal(row.delivered_at === null, error !== null)
    const waitMs = Date.parse(row.next_attempt_at) - service.clock.nowMs()
    if (error === null) assert.equal(row.next_attempt_at, null)
    else assert.ok(waitMs > MINUTE - MEANWHILE_MS, 'no word of the receiver shortens the ladder')
  })

for (const status of [301, 302, 303, 307, 308])
  test(`a ${status} is not followed: the attempt fails, and the redirect's target gets nothing`, async () => {
    const { test: api } = await shopWithHook()
    receiver.behave(answering(status, { location: other.url }))
    const heard = other.received.length
    const { eventId } = await endedCharge(service, api)
    await deliver(service)
    const row = await deliveryOf(api, eventId)
    assert.deepEqual([row.status, row.attempts, classOf(row)], ['pending', 1, 'redirect refused'])
    assert.equal(other.received.length, heard)
  })

for (const [what, misbehave, error] of [
  ['resets the connection', (response: any) => response.socket.resetAndDestroy(), 'reset'],
  ['closes without a word', (response: any) => response.socket.destroy(), 'reset'],
  ['speaks no HTTP', (response: any) => response.socket.end('hello\r\n\r\n'), 'protocol'],
] as const)
  test(`a receiver that ${what} fails only this attempt`, async () => {
    const { test: api } = await shopWithHook()
    receiver.behave(misbehave)
    const { eventId } = await endedCharge(service, api)
    await deliver(service)
    const row = await deliveryOf(api, eventId)
    assert.deepEqual([row.status, row.attempts, classOf(row)], ['pending', 1, error])
    assert.equal(row.last_response_code, null)
    receiver.behave(answering(200))
    passUntil(service, new Date(row.next_attempt_at))
    await deliver(service)
    assert.equal((await deliveryOf(api, eventId)).status, 'sent')
  })

test('a target that is refused has the same delays, and no packet is sent to it', async () => {
  const { merchant, test: api } = await shopWithHook()
  const hidden = await startReceiver()
  // It was public when it was saved, and has become private since.
  await service.rows('update merchants set webhook_url = $2 where public_id = $1', [merchant.id, hidden.url])
  await auditedAs(service, merchant.id, ['webhook.address', { webhookUrl: hidden.url }])
  const { eventId } = await endedCharge(service, api)
  for (const [index, delay] of [...LADDER, null].entries()) {
    await deliver(service)
    const row = await deliveryOf(api, eventId)
    assert.deepEqual([row.attempts, classOf(row), row.last_response_code], [index + 1, 'refused target', null])
    if (delay === null) assert.deepEqual([row.status, row.next_attempt_at], ['failed', null])
    else {
      assert.ok(Date.parse(row.next_attempt_at) - service.clock.nowMs() > delay - MEANWHILE_MS)
      passUntil(service, new Date(row.next_attempt_at))
    }
  }
  assert.equal(hidden.received.length, 0)
  await hidden.close()
})

test('every payload names its mode, in test and in live, paid and failed', async () => {
  const { live, test: api } = await shopWithHook()
  const before = receiver.received.length
  const paid = await endedCharge(service, api)
  const failed = await endedCharge(service, api, '0700000001')
  const livePaid = (await live.charge({ customer: { phone: newPayer() } })).body.id
  await succeed(service, livePaid)
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'refuse' }, phone)
  const liveFailed = (await live.charge({ customer: { phone } })).body.id
  await deliverAll(service)
  const told = receiver.received.slice(before).map(({ event }) => event)
  const expected = [
    [paid.chargeId, 'charge.succeeded', 'test'],
    [failed.chargeId, 'charge.failed', 'test'],
    [livePaid, 'charge.succeeded', 'live'],
    [liveFailed, 'charge.failed', 'live'],
  ]
  assert.deepEqual(
    told.map(({ event, data }) => [data.id, event, data.mode]).sort(),
    expected.map((one) => [...one]).sort(),
  )
  for (const { id, data } of told) {
    const shown = await (data.mode === 'live' ? live : api).get(`/v1/charges/${data.id}`)
    assert.equal(shown.body.status, data.status)
    const listed = await (data.mode === 'live' ? live : api).get('/v1/webhooks')
    assert.ok(listed.body.data.some((one: any) => one.id === id && one.mode === data.mode))
  }
})

test('an event goes only to the address of its own merchant, signed with its own secret', async () => {
  const mine = await shopWithHook()
  const theirs = await shopWithHook(other.url)
  const before = { receiver: receiver.received.length, other: other.received.length }
  await endedCharge(service, mine.test)
  await endedCharge(service, theirs.test)
  await deliverAll(service)
  const atMine = receiver.received.slice(before.receiver)
  const atTheirs = other.received.slice(before.other)
  assert.deepEqual([atMine.length, atTheirs.length], [1, 1])
  assert.notEqual(atMine[0]?.headers['x-service-signature'], atTheirs[0]?.headers['x-service-signature'])
  assert.equal((await mine.test.get('/v1/webhooks')).body.data[0].id, atMine[0]?.event.id)
  assert.equal((await theirs.test.get('/v1/webhooks')).body.data[0].id, atTheirs[0]?.event.id)
})

test('events of test and of live mode go to one address and are signed with one secret', async () => {
  const shop = await shopWithHook()
  const before = receiver.received.length
  const tested = await endedCharge(service, shop.test)
  const { id } = (await shop.live.charge({ customer: { phone: newPayer() } })).body
  await succeed(service, id)
  await deliverAll(service)
  const received = receiver.received.slice(before)
  const modes = received.map(({ body }) => JSON.parse(body).data.mode).sort()
  assert.deepEqual(modes, ['live', 'test'], tested.eventId)
  for (const { headers, body } of received)
    assert.equal(headers['x-service-signature'], serviceSignature(shop.merchant.webhook_secret, Buffer.from(body)))
})
