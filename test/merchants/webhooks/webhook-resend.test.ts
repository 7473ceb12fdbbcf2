import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import test from 'node:test'
import { newWebhookSecret } from '../../../src/merchants/account/rotate-webhook-secret.ts'
import { addSecret, type SecretPurpose } from '../../../src/merchants/account/secrets.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { passUntil } from '../../helpers/payments/following-charges.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { answering, deliver, deliveryOf, endedCharge, hangingSender } from '../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const other = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({ env: { WEBHOOK_ALLOW_PRIVATE: `${receiver.place},${other.place}` } }),
)

async function shopWithHook() {
  const merchant = await service.merchant()
  receiver.behave(answering(200))
  other.behave(answering(200))
  await service.set(merchant, { webhookUrl: receiver.url })
  return { merchant, api: service.client(merchant.keys.test) }
}
type Api = Awaited<ReturnType<typeof shopWithHook>>['api']

const resend = (api: Api, eventId: string) => api.post(`/v1/webhooks/${eventId}/resend`)
const sentAbout = (eventId: string) => receiver.received.filter(({ event }) => event.id === eventId)

test('a sent delivery is due again at once: same id, same bytes, attempts from the start', async () => {
  const { api } = await shopWithHook()
  const { eventId } = await endedCharge(service, api)
  await deliver(service)
  const sent = await deliveryOf(api, eventId)
  assert.equal(sent.status, 'sent')
  service.pass(3_600_000)
  const again = await api.post(`/v1/webhooks/${eventId}/resend`, undefined, { 'idempotency-key': undefined })
  assert.equal(again.status, 202)
  const { ok, status, attempts, delivered_at, id } = again.body
  assert.deepEqual(
    { ok, status, attempts, delivered_at, id },
    { ok: true, status: 'pending', attempts: 0, delivered_at: null, id: eventId },
  )
  assert.deepEqual([sent.last_response_code, again.body.last_response_code], [200, null])
  assert.deepEqual(Object.keys(again.body).sort(), [...Object.keys(sent), 'ok'].sort())
  assert.ok(Math.abs(Date.parse(again.body.next_attempt_at) - service.clock.nowMs()) < 5000)
  await deliver(service)
  const [first, second, ...more] = sentAbout(eventId)
  assert.deepEqual(more, [])
  assert.equal(second?.body, first?.body)
  assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
  assert.ok(Number(second?.headers['webhook-timestamp']) >= Number(first?.headers['webhook-timestamp']) + 3600)
  const row = await deliveryOf(api, eventId)
  assert.deepEqual([row.status, row.attempts, row.last_response_code], ['sent', 1, 200])
})

test('a delivery that was given up gets the whole ladder again', async () => {
  const { api } = await shopWithHook()
  const { eventId } = await endedCharge(service, api)
  receiver.behave(answering(500))
  await exhaust(api, eventId)
  assert.equal((await deliveryOf(api, eventId)).status, 'failed')
  const { body } = await resend(api, eventId)
  assert.deepEqual([body.status, body.attempts], ['pending', 0])
  assert.deepEqual([body.last_response_code, body.last_error], [null, null])
  await exhaust(api, eventId)
  const row = await deliveryOf(api, eventId)
  assert.deepEqual([row.status, row.attempts], ['failed', 8])
  assert.equal(sentAbout(eventId).length, 16)
})

test('a pending delivery keeps the count of its attempts and is due now', async () => {
  const { api } = await shopWithHook()
  const { eventId } = await endedCharge(service, api)
  receiver.behave(answering(500))
  await deliver(service)
  passUntil(service, new Date((await deliveryOf(api, eventId)).next_attempt_at))
  await deliver(service)
  const { body } = await resend(api, eventId)
  assert.deepEqual([body.status, body.attempts], ['pending', 2])
  receiver.behave(answering(200))
  await deliver(service)
  const row = await deliveryOf(api, eventId)
  assert.deepEqual([row.status, row.attempts], ['sent', 3])
})

test('a resend goes to the current address, signed with the current secret', async () => {
  const { merchant, api } = await shopWithHook()
  const { eventId } = await endedCharge(service, api)
  await deliver(service)
  const secret = newWebhookSecret()
  await giveSecret(merchant.id, { purpose: 'webhook', plain: secret, hours: null })
  await giveSecret(merchant.id, { purpose: 'webhook_previous', plain: merchant.webhook_secret, hours: 24 })
  await service.set(merchant, { webhookUrl: other.url })
  await resend(api, eventId)
  await deliver(service)
  const [before] = sentAbout(eventId)
  const told = other.received.find(({ event }) => event.id === eventId)
  assert.equal(sentAbout(eventId).length, 1)
  assert.equal(told?.body, before?.body)
  assert.equal(told?.headers['x-service-signature'], hex(secret, told?.body ?? ''))
  assert.equal(before?.headers['x-service-signature'], hex(merchant.webhook_secret, before?.body ?? ''))
  assert.equal(
    told?.headers['webhook-signature'],
    `${standard(secret, told)} ${standard(merchant.webhook_secret, told)}`,
    'both secrets for 24 hours, the new one first',
  )
  assert.equal((await deliveryOf(api, eventId)).url, other.url)
  service.pass(25 * 3_600_000)
  await resend(api, eventId)
  await deliver(service)
  const later = other.received.findLast(({ event }) => event.id === eventId)
  assert.equal(later?.headers['webhook-signature'], standard(secret, later))
})

test("an invalid event id is a 400, another merchant's event a 404", async () => {
  const { merchant, api } = await shopWithHook()
  const foreign = await shopWithHook()
  const { eventId } = await endedCharge(service, api)
  for (const malformed of ['txn_abc', 'evt_', 'evt_ABC', 'evt_%25', 'evt-abc', 'latest'])
    assertRefused(await resend(api, malformed), 400, 'event id must look like evt_...')
  const absent = 'no webhook delivery with that event id (deliveries are retained 30 days)'
  assertRefused(await resend(api, 'evt_a'), 404, absent)
  assertRefused(await resend(api, `${eventId.slice(0, -4)}zzzz`), 404, absent)
  assertRefused(await resend(foreign.api, eventId), 404, absent)
  assertRefused(await resend(service.client(merchant.keys.live), eventId), 404, absent)
  assert.equal((await deliveryOf(api, eventId)).status, 'pending')
  assert.equal((await resend(service.client(merchant.keys.test_collections), eventId)).status, 202)
})

test('without an address a resend waits for one', async () => {
  const { merchant, api } = await shopWithHook()
  const { eventId } = await endedCharge(service, api)
  await deliver(service)
  await service.set(merchant, { webhookUrl: null })
  const { status, body } = await resend(api, eventId)
  assert.deepEqual([status, body.status, body.attempts, body.next_attempt_at], [202, 'pending', 0, null])
  assert.equal(body.url, null)
  await deliver(service)
  assert.equal(sentAbout(eventId).length, 1)
  await service.set(merchant, { webhookUrl: receiver.url })
  await deliver(service)
  assert.equal(sentAbout(eventId).length, 2)
})

test('a resend waits for the attempt in progress, which then writes nothing', async () => {
  const { api } = await shopWithHook()
  const { eventId } = await endedCharge(service, api)
  const { worker, answer } = await hangingSender(service, receiver)
  assert.equal((await resend(api, eventId)).status, 202)
  assert.equal(await worker.start(), 0, 'never two attempts of one delivery at a time')
  answer(500)
  await worker.idle()
  const between = await deliveryOf(api, eventId)
  assert.deepEqual([between.status, between.attempts, between.last_response_code], ['pending', 0, null])
  receiver.behave((response) => void response.writeHead(200).end())
  assert.equal(await worker.start(), 1, 'the resend follows at once')
  await worker.idle()
  const row = await deliveryOf(api, eventId)
  assert.deepEqual([row.status, row.attempts, row.last_response_code], ['sent', 1, 200])
  assert.equal(sentAbout(eventId).length, 2)
})

async function exhaust(api: Api, eventId: string): Promise<void> {
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await deliver(service)
    const row = await deliveryOf(api, eventId)
    assert.equal(row.attempts, attempt)
    if (row.next_attempt_at !== null) passUntil(service, new Date(row.next_attempt_at))
  }
}

async function giveSecret(
  publicId: string,
  { purpose, plain, hours }: { purpose: SecretPurpose; plain: string; hours: number | null },
): Promise<void> {
  const [row] = await service.rows<{ id: number }>('select id from cell_0.merchants where public_id = $1', [publicId])
  const merchantId = Number(row?.id)
  const expiresAt = hours === null ? null : new Date(service.clock.nowMs() + hours * 3_600_000)
  const adding = addSecret(service.app, { merchantId, purpose, plain, expiresAt })
  await service.app.db.query(adding.statement, adding.values)
}

function assertRefused(reply: { status: number; body: any }, status: number, error: string): void {
  assert.deepEqual([reply.status, reply.body.error], [status, error])
}

const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')

function standard(secret: string, told: { headers: any; body: string } | undefined): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${told?.headers['webhook-id']}.${told?.headers['webhook-timestamp']}.${told?.body}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}
