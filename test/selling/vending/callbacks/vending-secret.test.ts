import assert from 'node:assert/strict'
import test from 'node:test'
import type { Mode } from '../../../../src/platform/mode.ts'
import { readCallbackSecrets } from '../../../../src/selling/vending/callbacks/callback-secrets.ts'
import { opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { SECRET_PATH } from '../../../helpers/vending/callbacks.ts'
import { vendingShop } from '../../../helpers/vending/vending.ts'

const service = opened(() => startService())

const inForce = async (merchantId: number, mode: Mode) =>
  (await readCallbackSecrets(service.app, { merchantId, mode }))
    .filter(({ kind }) => kind === 'dispense_secret')
    .map(({ secret }) => secret)

test('the secret is shown once, belongs to one mode, and a new one replaces it at once', async () => {
  const shop = await vendingShop(service)
  const first = await shop.api.post(SECRET_PATH)
  assert.equal(first.status, 201)
  const { secret, created_at, ...rest } = first.body
  assert.deepEqual(rest, { object: 'dispense_secret', mode: 'test', rotated: false })
  assert.match(secret, /^dsec_[a-z0-9]{40}$/)
  assert.ok(Math.abs(Date.parse(created_at) - service.clock.nowMs()) < 60_000)
  assert.deepEqual(await inForce(shop.merchantId, 'test'), [secret])
  assert.deepEqual(await inForce(shop.merchantId, 'live'), [])
  const second = await shop.api.post(SECRET_PATH)
  assert.deepEqual([second.status, second.body.rotated], [201, true])
  assert.notEqual(second.body.secret, secret)
  const live = (await shop.live.post(SECRET_PATH)).body
  assert.deepEqual([live.mode, live.rotated], ['live', false])
  assert.deepEqual(await inForce(shop.merchantId, 'test'), [second.body.secret])
  assert.deepEqual(await inForce(shop.merchantId, 'live'), [live.secret])
})

test('it is stored sealed, bound to its merchant and mode', async () => {
  const shop = await vendingShop(service)
  const { secret } = (await shop.api.post(SECRET_PATH)).body
  const [row] = await service.rows<{ ciphertext: Buffer }>(
    'select ciphertext from dispense_secrets where merchant_id = $1',
    [shop.merchantId],
  )
  assert.ok(row && !row.ciphertext.toString('latin1').includes(secret))
  await service.rows(`update dispense_secrets set mode = 'live' where merchant_id = $1`, [shop.merchantId])
  await assert.rejects(inForce(shop.merchantId, 'live'))
})

test('thirty rotations at once leave one secret in force, and it is one that was shown', async () => {
  const shop = await vendingShop(service)
  const replies = await Promise.all(Array.from({ length: 30 }, () => shop.api.post(SECRET_PATH)))
  const [left, ...more] = await inForce(shop.merchantId, 'test')
  assert.equal(more.length, 0)
  assert.equal(replies.filter(({ body }) => body.secret === left).length, 1)
  assert.equal(replies.filter(({ body }) => body.rotated === false).length, 1)
})

test('it works while vending is off, and needs a full key and an active merchant', async () => {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  assert.equal((await api.post(SECRET_PATH, 'ignored: no JSON {')).status, 400)
  assert.equal((await api.post(SECRET_PATH, { anything: 1 })).status, 201)
  const refused = await service.client(merchant.keys.test_collections).post(SECRET_PATH)
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
  await service.set(merchant, { active: false })
  const inactive = await api.post(SECRET_PATH)
  assert.deepEqual([inactive.status, inactive.body.error], [400, 'merchant is not active'])
})

test('five secrets a minute can be made', async () => {
  const limited = await startService({ env: { RATE_LIMIT_DISPENSE_SECRET: '5' } })
  try {
    const api = limited.client((await limited.merchant()).keys.test)
    for (let time = 0; time < 5; time += 1) assert.equal((await api.post(SECRET_PATH)).status, 201)
    assert.equal((await api.post(SECRET_PATH)).status, 429)
    limited.pass(120_000)
    assert.equal((await api.post(SECRET_PATH)).status, 201)
  } finally {
    await limited.close()
  }
})
