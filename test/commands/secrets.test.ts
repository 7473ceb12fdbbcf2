import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { keepCommand } from '../../src/merchants/command-keys.ts'
import { newWebhookSecret } from '../../src/merchants/rotate-webhook-secret.ts'
import { callbackSecrets } from '../../src/vending/callbacks/callback-secrets.ts'
import { type Receiver, startReceiver } from '../fakes/receiver.ts'
import { assertRefused, oneJson, type Ran, runInside, runProgram } from '../helpers/command-line.ts'
import { opened, openedAndVerified } from '../helpers/opened.ts'
import { startService } from '../helpers/test-service.ts'
import { deliver, endedCharge } from '../helpers/webhooks.ts'
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
  assert.equal(
    told.headers['webhook-signature'],
    standard(newer.webhook_secret, told),
    'the newest alone signs',
  )
})

test('D9: a rotation that died before the new secret was in force is finished by its repeat', async () => {
  const { merchant } = await shopWithHook()
  const input = { merchant: await idOf(merchant.id) }
  const draft = { secret: newWebhookSecret(), atMs: service.clock.nowMs() + 1000 }
  // What such a command has committed when it dies: its answer in the directory, nothing in the cell.
  const kept = keepCommand(
    service.app,
    { key: 'rotate-died', command: 'webhooks rotate-secret', input },
    draft,
  )
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
  assertRefused(await run('webhooks', 'ping', deaf.handle), { code: 1, says: /has no webhook address/ })
  assert.equal(await service.digest(), before)
})

test('D9: keys create gives a second key, keys list shows ends only, keys revoke ends one', async () => {
  const merchant = await service.merchant()
  const balance = async (key: string) => (await service.client(key).get('/v1/balance')).status
  const made = await json('keys', 'create', merchant.handle, '--kind', 'test', '--key', 'second')
  assert.deepEqual(await json('keys', 'create', merchant.handle, '--kind', 'test', '--key', 'second'), made)
  assert.deepEqual([await balance(made.key), await balance(merchant.keys.test)], [200, 200])
  assertRefused(await run('keys', 'create', merchant.handle, '--kind', 'test'), {
    code: 1,
    says: /^there are 2 keys of kind test already: revoke one first\n$/,
  })
  const listed = await json('keys', 'list', merchant.handle)
  assert.equal(listed.length, 5)
  assert.ok(!JSON.stringify(listed).includes(made.key.slice(12, -4)))
  const old = listed.find((one: any) => one.last4 === merchant.keys.test.slice(-4))
  assert.deepEqual(await json('keys', 'revoke', merchant.handle, '--id', old.id), {
    id: old.id,
    revoked: true,
  })
  await service.gateway.keyRing.refresh()
  assert.deepEqual([await balance(made.key), await balance(merchant.keys.test)], [200, 401])
  assertRefused(await run('keys', 'revoke', merchant.handle, '--id', 'key_none'), {
    code: 1,
    says: /^this merchant has no key with the id key_none\n$/,
  })
  const other = await service.merchant()
  assertRefused(await run('keys', 'revoke', other.handle, '--id', made.id), { code: 1, says: /no key/ })
  assert.equal(await balance(made.key), 200, "another merchant's command ends nothing")
})

test('D9: two starts of keys create at the same time never make a third key', async () => {
  const merchant = await service.merchant()
  const ran = await Promise.all(
    [1, 2, 3, 4].map(() => run('keys', 'create', merchant.handle, '--kind', 'live', '--json')),
  )
  assert.equal(ran.filter(({ code }) => code === 0).length, 1)
})

test('D10: a key that a crash left revoked in the directory alone is closed in its cell by a background task', async () => {
  const merchant = await service.merchant()
  await service.rows(
    `update directory.api_keys k set revoked_at = now() from directory.merchants m
     where m.id = k.merchant_id and m.public_id = $1 and k.kind = 'test'`,
    [merchant.id],
  )
  const id = await idOf(merchant.id)
  const signs = async () =>
    (await callbackSecrets(service.app, { merchantId: id, mode: 'test' })).map(({ secret }) => secret)
  assert.ok((await signs()).includes(merchant.keys.test), 'the fault is planted')
  await service.run('finish-keys')
  assert.ok(!(await signs()).includes(merchant.keys.test))
  assert.equal(await service.run('finish-keys'), 0, 'and that is the end of it')
})

test('D10: what a command printed under its key is forgotten after 24 hours, that it ran is not', async () => {
  const merchant = await service.merchant()
  const create = () => run('keys', 'create', merchant.handle, '--kind', 'test', '--key', 'blanked', '--json')
  const made = oneJson(await create())
  // The program has the machine's clock, the service a moved one: the row is put where the service's clock is.
  await service.rows(`update directory.command_keys set created_at = $1 where key = 'blanked'`, [
    service.clock.now(),
  ])
  service.pass(23 * 3_600_000)
  await service.run('prune')
  assert.deepEqual(oneJson(await create()), made)
  service.pass(2 * 3_600_000)
  await service.run('prune')
  assertRefused(await create(), { code: 1, says: /ran under this key more than 24 hours ago/ })
  assert.equal((await service.client(made.key).get('/v1/balance')).status, 200)
  const kept = await service.rows(`select answer from directory.command_keys where key = 'blanked'`)
  assert.deepEqual(kept, [{ answer: null }])
})

test('D10: supplier secrets come from a file or standard input, and in production from nowhere else', async () => {
  const merchant = await service.merchant({ vending: true })
  const id = await idOf(merchant.id)
  const place = ['--base-url', 'https://1.1.1.1', '--shbh', '7']
  const set = ['vending', 'set', merchant.handle, ...place]
  const secretNow = async () =>
    (await callbackSecrets(service.app, { merchantId: id, mode: 'live' })).find(
      ({ kind }) => kind === 'operator_secret',
    )?.secret
  const given = JSON.stringify({ key: 'key-by-stdin', secret: 'secret-by-stdin' })
  const ran = await runProgram([...set, '--secrets-from', '-', '--json'], settings, given)
  assert.equal(oneJson(ran).base_url, 'https://1.1.1.1')
  assert.equal(await secretNow(), 'secret-by-stdin')
  const file = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'supplier.json')
  writeFileSync(file, JSON.stringify({ key: 'key-by-file', secret: 'secret-by-file' }), { mode: 0o600 })
  await json(...set, '--secrets-from', file)
  assert.equal(await secretNow(), 'secret-by-file')
  rmSync(dirname(file), { recursive: true })
  const production = {
    ...settings,
    NODE_ENV: 'production',
    TRUSTED_PROXIES: '1',
    BASE_URL: 'https://pay.shops.invalid',
  }
  const { WEBHOOK_ALLOW_PRIVATE: _, ...allowed } = production as Record<string, string>
  const cases: [Promise<Ran>, RegExp][] = [
    [runInside([...set, '--key', 'k', '--secret', 's'], allowed), /do not belong on the command line/],
    [
      runProgram([...set, '--secrets-from', '-'], settings, '{"key":"only-this"}'),
      /JSON object with key and secret/,
    ],
    [
      runProgram([...set, '--secrets-from', '-'], settings, '{"key":"torn'),
      /JSON object with key and secret/,
    ],
    [runProgram([...set, '--secrets-from', '-'], settings, 'x'.repeat(10_001)), /longer than 10000 bytes/],
    [run(...set, '--secrets-from', file), /cannot be read: ENOENT/],
    [run(...set, '--secrets-from', '-', '--key', 'k'), /takes the place of --key and --secret/],
    [run('vending', 'set', merchant.handle, '--secrets-from', '-'), /belong together/],
  ]
  for (const [wrong, says] of cases) assertRefused(await wrong, { code: 2, says })
  assert.ok(!(await cases[2]?.[0])?.stderr.includes('torn'), 'nothing of a secret is echoed')
  assert.equal(await secretNow(), 'secret-by-file')
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

async function idOf(publicId: string): Promise<number> {
  const [row] = await service.rows<{ id: number }>(
    'select id from directory.merchants where public_id = $1',
    [publicId],
  )
  assert.ok(row)
  return Number(row.id)
}
