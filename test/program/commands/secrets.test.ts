import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { readCallbackSecrets } from '../../../src/selling/vending/callbacks/callback-secrets.ts'
import { assertRefused, oneJson, type Ran, runInside, runProgram } from '../../helpers/service/command-line.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { commandsOn } from './commands-on.ts'

const service = openedAndVerified(() => startService())
const { settings, run, json } = commandsOn(service)
const idOf = async (publicId: string) => (await getMerchantNamed(service.gateway, publicId)).merchant.id

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

test('keys addresses, keys signers and keys limit bind a key, keys list shows it, and without an option it is free again', async () => {
  const merchant = await service.merchant()
  const [{ id }] = (await json('keys', 'list', merchant.handle)).filter(({ kind }: any) => kind === 'test')
  const bound = await json('keys', 'addresses', merchant.handle, '--id', id, '--only', '192.0.2.1, 10.0.0.0/8')
  assert.deepEqual(bound, { id, allowed_from: ['192.0.2.1', '10.0.0.0/8'] })
  const listed = await run('keys', 'list', merchant.handle)
  assert.match(listed.stdout, /in force {2}only from 192\.0\.2\.1, 10\.0\.0\.0\/8\n/)
  await service.gateway.keyRing.refresh()
  assert.equal((await service.client(merchant.keys.test).get('/v1/balance')).status, 403)
  assertRefused(await run('keys', 'addresses', merchant.handle, '--id', id, '--only', 'here'), {
    code: 1,
    says: /here is none\n$/,
  })
  assert.deepEqual(await json('keys', 'addresses', merchant.handle, '--id', id), { id, allowed_from: [] })
  const publicKey = Buffer.alloc(32, 7).toString('base64')
  const signers = ['keys', 'signers', merchant.handle, '--id', id]
  assert.deepEqual(await json(...signers, '--public-keys', publicKey), { id, signed_by: [publicKey] })
  assert.match((await run('keys', 'list', merchant.handle)).stdout, /in force {2}only signed\n/)
  assertRefused(await run(...signers, '--public-keys', 'mine'), { code: 1, says: /mine is none\n$/ })
  assert.deepEqual(await json(...signers), { id, signed_by: [] })
  assert.deepEqual(await json('keys', 'limit', merchant.handle, '--id', id, '--day', '5000'), { id, daily_limit: 5000 })
  assert.match((await run('keys', 'list', merchant.handle)).stdout, /in force {2}at most 5000 a day\n/)
  assertRefused(await run('keys', 'limit', merchant.handle, '--id', id, '--day', 'much'), {
    code: 2,
    says: /--day must be/,
  })
  assert.deepEqual(await json('keys', 'limit', merchant.handle, '--id', id), { id, daily_limit: null })
  await service.gateway.keyRing.refresh()
  assert.equal((await service.client(merchant.keys.test).get('/v1/balance')).status, 200)
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
  await service.rows(
    `insert into directory.audit (at, actor, action, merchant_id, subject)
     select k.revoked_at, 'a test', 'key.revoke', m.id, k.id from directory.api_keys k join directory.merchants m on m.id = k.merchant_id
     where m.public_id = $1 and k.revoked_at is not null`,
    [merchant.id],
  )
  const id = await idOf(merchant.id)
  const signs = async () =>
    (await readCallbackSecrets(service.app, { merchantId: id, mode: 'test' })).map(({ secret }) => secret)
  assert.ok((await signs()).includes(merchant.keys.test), 'the fault is planted')
  await service.run('finish-keys')
  assert.ok(!(await signs()).includes(merchant.keys.test))
  assert.equal(await service.run('finish-keys'), 0, 'and that is the end of it')
})

test('D10: what a command printed under its key is forgotten after 24 hours, that it ran is not', async () => {
  const merchant = await service.merchant()
  const create = () => run('keys', 'create', merchant.handle, '--kind', 'test', '--key', 'blanked', '--json')
  const made = oneJson(await create())
  // The command uses the machine's clock, the service a moved one. The row gets the time of the service.
  await service.rows(`update directory.command_keys set created_at = $1 where key = 'blanked'`, [service.clock.now()])
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
    (await readCallbackSecrets(service.app, { merchantId: id, mode: 'live' })).find(
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
  const cases: [Promise<Ran>, RegExp][] = [
    [runInside([...set, '--key', 'k', '--secret', 's'], production), /do not belong on the command line/],
    [runProgram([...set, '--secrets-from', '-'], settings, '{"key":"only-this"}'), /JSON object with key and secret/],
    [runProgram([...set, '--secrets-from', '-'], settings, '{"key":"torn'), /JSON object with key and secret/],
    [runProgram([...set, '--secrets-from', '-'], settings, 'x'.repeat(10_001)), /longer than 10000 bytes/],
    [run(...set, '--secrets-from', file), /cannot be read: ENOENT/],
    [run(...set, '--secrets-from', '-', '--key', 'k'), /takes the place of --key and --secret/],
    [run('vending', 'set', merchant.handle, '--secrets-from', '-'), /belong together/],
  ]
  for (const [wrong, says] of cases) assertRefused(await wrong, { code: 2, says })
  assert.ok(!(await cases[2]?.[0])?.stderr.includes('torn'), 'nothing of a secret is echoed')
  assert.equal(await secretNow(), 'secret-by-file')
})
