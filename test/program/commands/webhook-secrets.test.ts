import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import test from 'node:test'
import { storeCommand } from '../../../src/merchants/account/command-keys.ts'
import { newWebhookSecret } from '../../../src/merchants/account/rotate-webhook-secret.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { type Receiver, startReceiver } from '../../fakes/receiver.ts'
import { assertRefused, oneJson, runInside } from '../../helpers/service/command-line.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { deliver, endedCharge } from '../../helpers/web/webhooks.ts'
import { commandsOn } from './commands-on.ts'

const DAY_MS = 86_400_000

const receiver = opened(() => startReceiver())
const env = () => ({ WEBHOOK_ALLOW_PRIVATE: receiver.place })
const service = openedAndVerified(() => startService({ env: env() }))
const { settings, run, json } = commandsOn(service, { more: env })

async function shopWithHook() {
  const merchant = await service.merchant()
  await service.set(merchant, { webhookUrl: receiver.url })
  return { merchant, api: service.client(merchant.keys.test) }
}

const about = (eventId: string) => receiver.received.filter(({ event }) => event.id === eventId)
const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')
function standard(secret: string, { headers, body }: Receiver['received'][number]): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

test('D9: webhooks rotate-secret signs with the new secret at once and with both in the standard header for 24 hours', async () => {
  const { merchant, api } = await shopWithHook()
  const rotated = await json('webhooks', 'rotate-secret', merchant.handle)
  assert.deepEqual(Object.keys(rotated), ['webhook_secret', 'previous_until'])
  assert.match(rotated.webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const first = await endedCharge(service, api)
  await deliver(service)
  const [told] = about(first.eventId)
  assert.ok(told)
  assert.equal(told.headers['x-service-signature'], hex(rotated.webhook_secret, told.body))
  assert.equal(
    told.headers['webhook-signature'],
    `${standard(rotated.webhook_secret, told)} ${standard(merchant.webhook_secret, told)}`,
  )
  service.pass(DAY_MS + 60_000)
  const second = await endedCharge(service, api)
  await deliver(service)
  const [later] = about(second.eventId)
  assert.ok(later)
  assert.equal(later.headers['webhook-signature'], standard(rotated.webhook_secret, later))
  await service.run('prune')
  const left = await service.rows(
    `select s.purpose from cell_0.merchant_secrets s join cell_0.merchants m on m.id = s.merchant_id where m.public_id = $1`,
    [merchant.id],
  )
  assert.deepEqual(left, [{ purpose: 'webhook' }], 'the old secret is erased')
})

test('D9: the same rotation with a key, five at once and after another rotation, is one rotation', async () => {
  const { merchant } = await shopWithHook()
  const rotate = () => run('webhooks', 'rotate-secret', merchant.handle, '--key', 'rotate-once', '--json')
  const together = await Promise.all([rotate(), rotate(), rotate(), rotate(), rotate()])
  const secrets = new Set(together.map((ran) => oneJson(ran).webhook_secret))
  assert.equal(secrets.size, 1)
  const newer = await json('webhooks', 'rotate-secret', merchant.handle, '--revoke-now')
  assert.equal(newer.previous_until, null)
  assert.equal(oneJson(await rotate()).webhook_secret, [...secrets][0])
  const { eventId } = await endedCharge(service, service.client(merchant.keys.test))
  await deliver(service)
  const [told] = about(eventId)
  assert.ok(told)
  assert.equal(told.headers['webhook-signature'], standard(newer.webhook_secret, told), 'the newest alone signs')
})

test('D9: a rotation that died before the new secret was in force is finished by its repeat', async () => {
  const { merchant } = await shopWithHook()
  const found = await getMerchantNamed(service.gateway, merchant.id)
  const input = { merchant: found.merchant.id }
  const draft = { secret: newWebhookSecret(), atMs: service.clock.nowMs() + 1000 }
  // A command that dies here has committed its answer in the directory, and nothing in the cell.
  const kept = storeCommand(service.app, { key: 'rotate-died', command: 'webhooks rotate-secret', input }, draft)
  await service.app.directory.query(kept.statement, kept.values)
  const again = await json('webhooks', 'rotate-secret', merchant.handle, '--key', 'rotate-died')
  assert.equal(again.webhook_secret, draft.secret)
  const { eventId } = await endedCharge(service, service.client(merchant.keys.test))
  await deliver(service)
  const [told] = about(eventId)
  assert.equal(told?.headers['x-service-signature'], hex(draft.secret, told?.body ?? ''))
})

test('D9, C23: webhooks ping sends a test.ping once, signed, in the mode named', async () => {
  const { merchant, api } = await shopWithHook()
  const ping = () => json('webhooks', 'ping', merchant.handle, '--mode', 'live', '--key', 'ping-1')
  const sent = await ping()
  assert.deepEqual([sent.mode, sent.url], ['live', receiver.url])
  assert.deepEqual(await ping(), sent, 'a repeat sends nothing new')
  await deliver(service)
  const [told, ...more] = about(sent.event_id)
  assert.ok(told)
  assert.deepEqual(more, [])
  const { timestamp, data, ...rest } = told.event
  assert.deepEqual(rest, { event: 'test.ping', id: sent.event_id })
  assert.deepEqual(data, {
    merchant: merchant.handle,
    message: 'test event',
    mode: 'live',
    sent_at: data.sent_at,
  })
  assert.equal(Math.floor(Date.parse(data.sent_at) / 1000), timestamp)
  assert.equal(told.headers['x-service-signature'], hex(merchant.webhook_secret, told.body))
  assert.equal((await json('webhooks', 'ping', merchant.handle)).mode, 'test')
  await deliver(service)
  const { body } = await api.get('/v1/webhooks?event=test.ping')
  assert.equal(body.data[0].status, 'sent')
  const deaf = await service.merchant()
  const before = await service.digest()
  assertRefused(await run('webhooks', 'ping', deaf.handle), {
    code: 1,
    says: /has no webhook address: an owner enters one on the dashboard under Developers, Webhooks/,
  })
  assert.equal(await service.digest(), before)
})

test('C9: WEBHOOK_SIGNATURE_ALIAS carries the same signature under a second name', async (t) => {
  const env = { WEBHOOK_ALLOW_PRIVATE: receiver.place, WEBHOOK_SIGNATURE_ALIAS: 'X-Gateway-Signature' }
  const other = await startService({ env })
  t.after(() => other.close())
  const merchant = await other.merchant()
  await other.set(merchant, { webhookUrl: receiver.url })
  const { eventId } = await endedCharge(other, other.client(merchant.keys.test))
  await deliver(other)
  const [told] = about(eventId)
  assert.ok(told)
  assert.equal(told.headers['x-gateway-signature'], hex(merchant.webhook_secret, told.body))
  assert.equal(told.headers['x-gateway-signature'], told.headers['x-service-signature'])
  for (const name of ['Content-Length', 'webhook-id', 'x-service-signature', 'two words', 'X:Y', 'Host'])
    assertRefused(await runInside(['merchants', 'list'], { ...settings, WEBHOOK_SIGNATURE_ALIAS: name }), {
      code: 2,
      says: /^WEBHOOK_SIGNATURE_ALIAS must be a header name/,
    })
})
