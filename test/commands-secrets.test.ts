import assert from 'node:assert/strict'
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import test, { after, before } from 'node:test'
import { SEALED_IN_CELL, SEALED_IN_DIRECTORY } from '../src/commands/secrets.ts'
import { callbackSecrets } from '../src/vending/callback-secrets.ts'
import { type Receiver, startReceiver } from './fakes/receiver.ts'
import { assertRefused, oneJson, type Ran, runProgram } from './helpers/command-line.ts'
import { assertVerified } from './helpers/live-service.ts'
import { startService, type TestService } from './helpers/test-service.ts'
import { deliver, endedCharge } from './helpers/webhooks.ts'

const KEY_A = Buffer.alloc(32, 7)
const KEY_B = Buffer.alloc(32, 9)
const DAY_MS = 86_400_000

let service: TestService
let receiver: Receiver
let settings: Record<string, string>
before(async () => {
  receiver = await startReceiver()
  const env = { WEBHOOK_ALLOW_PRIVATE: receiver.place }
  service = await startService({ env })
  settings = { DATABASE_URL: service.database.url, MASTER_KEY: KEY_A.toString('base64'), ...env }
})
after(async () => {
  await assertVerified(service)
  await service.close()
  await receiver.close()
})

const run = (...args: string[]): Promise<Ran> => runProgram(args, settings)
const json = async (...args: string[]) => oneJson(await run(...args, '--json'))

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
  assertRefused(await run('keys', 'revoke', merchant.handle, '--id', 'key_none\u001b[2J'), {
    code: 1,
    says: /^this merchant has no key with the id key_none\[2J\n$/,
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

test('D9: every sealed column of the schema is known to secrets rewrap', async () => {
  const columns = await service.rows<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema in ('cell_0', 'directory') and data_type = 'bytea' order by 1`,
  )
  const notSealed = new Set([
    'api_keys.hash',
    'command_keys.fingerprint',
    'idempotency_keys.fingerprint',
    'gift_cards.code_hash',
    'storefront_items.picture',
  ])
  const sealed = columns.map(({ name }) => name).filter((name) => !notSealed.has(name))
  const known = [...SEALED_IN_CELL, ...SEALED_IN_DIRECTORY].map(({ name }) => name)
  assert.deepEqual(known.sort(), sealed)
})

test('D9: secrets rewrap moves everything to a new MASTER_KEY, old forms included, while the old one is still read', async () => {
  const { merchant } = await shopWithHook()
  const id = await idOf(merchant.id)
  await json('merchants', 'set', merchant.handle, '--vending', 'true')
  const supplier = ['--base-url', 'https://1.1.1.1', '--key', 'K', '--secret', 'S', '--shbh', '7']
  await json('vending', 'set', merchant.handle, ...supplier)
  await service.client(merchant.keys.live).post('/v1/vending/dispense-secret')
  const cards = await json('gift-cards', 'issue', merchant.handle, '--value', '5000', '--key', 'cards')
  // As the release before sealed it: one key for all columns.
  const plain = `whsec_${randomBytes(32).toString('base64')}`
  await service.rows(
    `update cell_0.merchant_secrets set ciphertext = $2 where merchant_id = $1 and purpose = 'webhook'`,
    [id, sealedByVersion1(plain, [id, 'webhook', 'merchant_secrets.ciphertext'])],
  )
  const derived = service.app.vault.derive('gift card codes')
  const signs = async (where: TestService) =>
    (await callbackSecrets(where.app, { merchantId: id, mode: 'live' })).map(({ secret }) => secret).sort()
  const before = await signs(service)
  assert.equal(before.length, 4, 'dispense secret, operator secret, two keys')

  const both = {
    ...settings,
    MASTER_KEY: KEY_B.toString('base64'),
    MASTER_KEY_PREVIOUS: settings.MASTER_KEY ?? '',
  }
  const alone = { ...settings, MASTER_KEY: KEY_B.toString('base64') }
  assertRefused(await runProgram(['merchants', 'list'], alone), {
    code: 2,
    says: /^MASTER_KEY is not the key/,
  })
  const { findings } = oneJson(await runProgram(['doctor', '--json'], both))
  assert.match(JSON.stringify(findings), /merchant_secrets\.ciphertext.* sealed with an older key/)
  const { rewrapped } = oneJson(await runProgram(['secrets', 'rewrap', '--json'], both))
  for (const [name, count] of Object.entries(rewrapped)) assert.ok((count as number) > 0, name)
  const again = oneJson(await runProgram(['secrets', 'rewrap', '--json'], both))
  for (const [name, count] of Object.entries(again.rewrapped)) assert.equal(count, 0, name)

  const next = await startService({ database: service.database, env: alone, clock: service.clock })
  assert.deepEqual(await signs(next), before)
  assert.deepEqual(next.app.vault.derive('gift card codes'), derived, 'codes of gift cards are still found')
  assert.deepEqual(
    oneJson(
      await runProgram(
        ['gift-cards', 'issue', merchant.handle, '--value', '5000', '--key', 'cards', '--json'],
        alone,
      ),
    ),
    cards,
  )
  const { eventId } = await endedCharge(next, next.client(merchant.keys.test))
  await deliver(next)
  const [told] = about(eventId)
  assert.equal(told?.headers['x-service-signature'], hex(plain, told?.body ?? ''))
  await next.close()
  assertRefused(await run('merchants', 'list'), { code: 2, says: /^MASTER_KEY is not the key/ })
  const back = { ...settings, MASTER_KEY_PREVIOUS: KEY_B.toString('base64') }
  oneJson(await runProgram(['secrets', 'rewrap', '--json'], back))
})

async function idOf(publicId: string): Promise<number> {
  const [row] = await service.rows<{ id: number }>(
    'select id from directory.merchants where public_id = $1',
    [publicId],
  )
  assert.ok(row)
  return Number(row.id)
}

function sealedByVersion1(plain: string, boundTo: unknown[]): Buffer {
  const key = createHmac('sha256', KEY_A).update('secrets at rest').digest()
  const id = createHash('sha256').update(key).digest().subarray(0, 4)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(JSON.stringify(boundTo)))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([1]), id, nonce, cipher.getAuthTag(), body])
}
