import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { listAttempts } from '../../../../src/merchants/webhooks/delivery-attempts.ts'
import { resendFailed } from '../../../../src/merchants/webhooks/resend-failed.ts'
import { startReceiver } from '../../../fakes/receiver.ts'
import { owner } from '../../../helpers/service/actors.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { answering, deliver, deliverAll, deliveryOf, endedCharge } from '../../../helpers/web/webhooks.ts'

const DAY_MS = 86_400_000
const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))

async function shopWithHook() {
  const merchant = await service.merchant()
  await service.set(merchant, { webhookUrl: receiver.url })
  const { id: merchantId, tag } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const caller = owner({ merchantId, tag, cell: 'cell_0', mode: 'test' })
  return { merchant, merchantId, caller, api: service.client(merchant.keys.test) }
}

const HOUR_MS = 3_600_000

test('each attempt keeps its address, time, status, duration and how the answer began, without control characters', async () => {
  const own = await shopWithHook()
  receiver.behave((response) => void response.writeHead(422).end(`no\u0000 such\u001b[31m order\n${'x'.repeat(5000)}`))
  const { eventId } = await endedCharge(service, own.api)
  await deliver(service)
  receiver.behave((response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end('elsewhere'))
  service.pass(61_000)
  await deliver(service)
  receiver.behave((response) => void response.writeHead(200).end('thank you'))
  service.pass(301_000 * 1.05)
  await deliver(service)
  const [third, second, first] = await listAttempts(service.app, own.caller, eventId)
  assert.deepEqual([first?.responseCode, first?.error, first?.url], [422, 'http 422', receiver.url])
  assert.match(first?.answer ?? '', /^no such\[31m order\nx+$/)
  assert.equal(first?.answer?.length, 1000)
  assert.deepEqual([second?.responseCode, second?.error, second?.answer], [302, 'redirect refused', null])
  assert.deepEqual([third?.responseCode, third?.error, third?.answer], [200, null, 'thank you'])
  assert.ok((first?.ms ?? -1) >= 0)
  assert.ok((third?.at ?? 0) > (second?.at ?? 0))
  const other = await shopWithHook()
  assert.deepEqual(await listAttempts(service.app, other.caller, eventId), [])
  assert.deepEqual(await listAttempts(service.app, { ...own.caller, mode: 'live' }, eventId), [])
  service.pass(31 * DAY_MS)
  await service.run('prune')
  assert.deepEqual(
    await service.rows('select 1 from delivery_attempts where merchant_id = $1', [own.merchantId]),
    [],
    'forgotten with the delivery',
  )
})

test('events that failed since an instant are sent again, once, and counted; older and arrived ones are left alone', async () => {
  const own = await shopWithHook()
  receiver.behave(answering(500))
  const before = await endedCharge(service, own.api)
  await deliver(service)
  service.pass(HOUR_MS)
  const since = service.clock.now()
  service.pass(1000)
  const failed = [await endedCharge(service, own.api), await endedCharge(service, own.api)]
  await deliverAll(service)
  const [givenUp] = failed
  await service.rows(
    `update deliveries set status = 'failed', attempts = 8, next_attempt_at = null where event_id = $1`,
    [givenUp?.eventId],
  )
  receiver.behave(answering(200))
  const seen = receiver.received.length
  const both = await Promise.all([1, 2].map(() => resendFailed(service.app, own.caller, since)))
  assert.equal(
    both.reduce((sum, { resent }) => sum + resent, 0),
    2,
    'two at once make each due once',
  )
  assert.deepEqual(await resendFailed(service.app, own.caller, since), { resent: 0, more: false })
  for (const { eventId } of failed) {
    const { last_response_code, last_error } = await deliveryOf(own.api, eventId)
    assert.deepEqual([last_response_code, last_error], [null, null], 'nothing is said until it is answered')
  }
  await deliverAll(service)
  assert.deepEqual(
    receiver.received
      .slice(seen)
      .map(({ event }) => event.id)
      .sort(),
    failed.map(({ eventId }) => eventId).sort(),
  )
  for (const { eventId } of failed) assert.equal((await deliveryOf(own.api, eventId)).status, 'sent')
  assert.equal((await deliveryOf(own.api, before.eventId)).status, 'pending')
  assert.deepEqual(await resendFailed(service.app, own.caller, since), { resent: 0, more: false })
  const rows = await service.rows<any>(
    `select after from cell_0.audit where merchant_id = $1 and action = 'webhook.resend-failed'`,
    [own.merchantId],
  )
  assert.equal(
    rows.reduce((sum, { after }) => sum + after.count, 0),
    2,
  )
})

test('a resend of all takes at most 10,000 at a time, and says that there are more', async () => {
  const own = await shopWithHook()
  const since = service.clock.now()
  service.pass(1000)
  const at = service.clock.now().toISOString()
  await service.rows(
    `insert into events (merchant_id, id, mode, type, subject, body, created_at)
     select $1, 'evt_' || lpad(n::text, 21, 'a'), 'test', 'test.ping', 'ping_' || n, '{}', $2 from generate_series(1, 10250) n`,
    [own.merchantId, at],
  )
  await service.rows(
    `insert into deliveries (merchant_id, event_id, mode, event, status, attempts, created_at)
     select merchant_id, id, mode, type, 'failed', 8, created_at from events where merchant_id = $1`,
    [own.merchantId],
  )
  assert.deepEqual(await resendFailed(service.app, own.caller, since), { resent: 10_000, more: true })
  assert.deepEqual(await resendFailed(service.app, own.caller, since), { resent: 250, more: false })
  await service.set(own.merchant, { webhookUrl: null })
})

test('a resend of all refuses a time to come, and whoever may not do it', async () => {
  const own = await shopWithHook()
  const later = new Date(service.clock.nowMs() + 1000)
  await assert.rejects(resendFailed(service.app, own.caller, later), { message: 'since must be in the past' })
  const cashier = { ...own.caller, role: 'cashier' } as const
  await assert.rejects(resendFailed(service.app, cashier, new Date(0)), { status: 403 })
})
