import assert from 'node:assert/strict'
import test from 'node:test'
import { needsFullKey } from '../../../src/api/access/actions.ts'
import { rotateKey } from '../../../src/merchants/account/api-keys.ts'
import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { type ApiKeyKind, newApiKey } from '../../../src/platform/text/api-key-format.ts'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { made, opened, prepare } from '../../helpers/service/opened.ts'
import { CHARGE, type Reply, startService, type TestService } from '../../helpers/service/test-service.ts'
import { makeEveryKind } from '../../helpers/web/every-kind.ts'
import { FORBIDDEN, INACTIVE, TEST_KEY_REQUIRED } from '../http/known-refusals.ts'
import { assertRefused, type Refused, unauthorized } from '../http/refused.ts'

const service = opened(() => startService())
const merchant = made(() => service.merchant())
prepare(async () => {
  // Otherwise some answers would be 403 for another reason than the scope of the key.
  await service.set(merchant, { vendingEnabled: true })
})

const KINDS: ApiKeyKind[] = ['test', 'live', 'test_collections', 'live_collections']
const MISSING = unauthorized('missing bearer token')
const INVALID = unauthorized('invalid api key')
const ALL = ENDPOINTS.map((endpoint) => ({ ...endpoint, title: `${endpoint.method} ${endpoint.path}` }))
type Listed = (typeof ALL)[number]

/** A request to this endpoint with these headers only, and what belongs to every good request. */
function call(endpoint: Listed, headers: Record<string, string | undefined>, suffix = ''): Promise<Reply> {
  const path = endpoint.path.replace(/:\w+/g, 'evt_absent') + suffix
  const client = service.client('unused')
  const bare = { authorization: undefined, ...headers }
  if (endpoint.method === 'GET') return client.get(path, bare as unknown as Record<string, string>)
  return client.post(path, { ...CHARGE, api_key: merchant.keys.test, key: merchant.keys.test }, bare)
}

const flip = (key: string) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
const CREDENTIALS: [string, (keys: CreatedMerchant['keys']) => [Record<string, string>, string?], Refused][] = [
  ['nothing', () => [{}], MISSING],
  ['the word Bearer alone', () => [{ authorization: 'Bearer' }], MISSING],
  ['the key without a scheme', ({ test }) => [{ authorization: test }], MISSING],
  ['another scheme', ({ test }) => [{ authorization: `Token ${test}` }], MISSING],
  [
    'basic credentials',
    ({ test }) => [{ authorization: `Basic ${Buffer.from(`${test}:`).toString('base64')}` }],
    MISSING,
  ],
  ['two kinds in one header', ({ test }) => [{ authorization: `Basic eDp5, Bearer ${test}` }], MISSING],
  ['two keys in one header', ({ test, live }) => [{ authorization: `Bearer ${test}, ${live}` }], MISSING],
  ['words behind the key', ({ test }) => [{ authorization: `Bearer ${test} please` }], MISSING],
  ['the key in the query', ({ test }) => [{}, `?api_key=${test}&access_token=${test}&key=${test}`], MISSING],
  ['the key in a cookie', ({ test }) => [{ cookie: `api_key=${test}; authorization=Bearer ${test}` }], MISSING],
  ['the key in other headers', ({ test }) => [{ 'x-api-key': test, 'proxy-authorization': `Bearer ${test}` }], MISSING],
  ['an unknown key', () => [{ authorization: `Bearer ${newApiKey('test')}` }], INVALID],
  ['a key with a typing error', ({ test }) => [{ authorization: `Bearer ${flip(test)}` }], INVALID],
  ['a key cut short', ({ test }) => [{ authorization: `Bearer ${test.slice(0, -1)}` }], INVALID],
  ['a key and a character', ({ test }) => [{ authorization: `Bearer ${test}0` }], INVALID],
  ['a key in capitals', ({ test }) => [{ authorization: `Bearer ${test.toUpperCase()}` }], INVALID],
  ['a key in quotes', ({ test }) => [{ authorization: `Bearer "${test}"` }], INVALID],
  ['a test key called live', ({ test }) => [{ authorization: `Bearer ${test.replace('test', 'live')}` }], INVALID],
  ['a live key called test', ({ live }) => [{ authorization: `Bearer ${live.replace('live', 'test')}` }], INVALID],
  [
    'a collections key without its mark',
    (keys) => [{ authorization: `Bearer ${keys.test_collections.replace('col_', '')}` }],
    INVALID,
  ],
  [
    'a full key with the mark',
    ({ test }) => [{ authorization: `Bearer ${test.replace('test_', 'test_col_')}` }],
    INVALID,
  ],
  ['a prefix alone', () => [{ authorization: 'Bearer sk_test_' }], INVALID],
  ['a public key', () => [{ authorization: `Bearer ${merchant.public_key}` }], INVALID],
  ['a key of 10 KB', () => [{ authorization: `Bearer sk_test_${'a'.repeat(10_000)}` }], INVALID],
  ['code for a key', () => [{ authorization: "Bearer sk_test_'or'1'='1" }], INVALID],
]

for (const [name, credentials, expected] of CREDENTIALS)
  test(`${name} opens no endpoint: ${expected.error}`, async () => {
    const before = await service.digest()
    const [headers, suffix] = credentials(merchant.keys)
    for (const endpoint of ALL)
      assertRefused(await call(endpoint, headers, suffix), expected, { because: endpoint.title })
    assert.equal(await service.digest(), before, 'zero writes')
  })

/** Keys that are none: nobody's, one that was rotated, one that was revoked. */
const former = made(async () => {
  const own = await service.merchant()
  const { id } = (await getMerchantNamed(service.gateway, own.id)).merchant
  await rotateKey(service.app, BY_HAND, { holder: { id }, kind: 'test' })
  await service.rows('update directory.api_keys set revoked_at = now() where merchant_id = $1 and kind = $2', [
    id,
    'live',
  ])
  return { unknown: newApiKey('test'), rotated: own.keys.test, revoked: own.keys.live }
})
for (const endpoint of ALL)
  test(`${endpoint.title} tells an unknown, a rotated and a revoked key apart by no byte`, async () => {
    const seen = []
    for (const key of [former.unknown, former.rotated, former.revoked]) {
      const reply = await call(endpoint, { authorization: `Bearer ${key}`, 'x-request-id': 'the-same' })
      assertRefused(reply, INVALID)
      seen.push([reply.text, [...reply.headers].filter(([name]) => name !== 'date')])
    }
    assert.deepEqual(seen[1], seen[0])
    assert.deepEqual(seen[2], seen[0])
  })

for (const kind of KINDS)
  test(`a ${kind} key opens exactly what its scope allows, in its own mode`, async () => {
    const authorization = `Bearer ${merchant.keys[kind]}`
    for (const endpoint of ALL) {
      const reply = await call(endpoint, { authorization })
      if (kind.endsWith('collections') && needsFullKey(endpoint.action)) {
        // Before any look at the object, the timestamp or the body.
        assertRefused(reply, FORBIDDEN, { because: endpoint.title })
        assertRefused(await call(endpoint, { authorization, 'x-timestamp': undefined }), FORBIDDEN)
      } else if (kind.startsWith('live') && endpoint.testOnly) assertRefused(reply, TEST_KEY_REQUIRED)
      else assert.ok(![401, 403].includes(reply.status), `${endpoint.title}: ${reply.status}`)
    }
    const { body } = await service.client(merchant.keys[kind]).get('/v1/me')
    assert.equal(body.mode, kind.split('_')[0])
    assert.equal(body.scope, kind.endsWith('collections') ? 'collections' : 'full')
    assert.match(body.public_key, new RegExp(`^pk_${body.mode}_`))
  })

test('the scheme is no matter of case', async () => {
  for (const scheme of ['bearer', 'BEARER'])
    assert.equal(
      (await service.client('').get('/v1/me', { authorization: `${scheme} ${merchant.keys.test}` })).status,
      200,
    )
})

test('a rotated key is refused at once here and within a second in another process, which learns the new one', async () => {
  const other = await startService({ database: service.database })
  try {
    const own = await service.merchant()
    const ask = async (at: TestService, key: string) => (await at.client(key).get('/v1/me')).status
    const { id } = (await getMerchantNamed(service.gateway, own.id)).merchant
    for (const kind of ['test', 'live_collections'] as const) {
      assert.deepEqual([await ask(service, own.keys[kind]), await ask(other, own.keys[kind])], [200, 200])
      const key = await rotateKey(service.app, BY_HAND, { holder: { id }, kind })
      const rotatedAt = performance.now()
      assert.equal(await ask(service, own.keys[kind]), 401, 'at once in the process that did it')
      while ((await ask(other, own.keys[kind])) === 200)
        assert.ok(performance.now() - rotatedAt < 1000, 'the other process still takes it after a second')
      assert.deepEqual([await ask(service, key), await ask(other, key)], [200, 200], 'the new one works')
      assert.equal(await ask(other, own.keys[kind]), 401, 'and stays refused')
    }
    for (const kind of ['live', 'test_collections'] as const)
      assert.equal(await ask(other, own.keys[kind]), 200, `${kind} rotates apart`)
  } finally {
    await other.close()
  }
})

test('a deactivated merchant can read everything and post nothing', async () => {
  const own = await service.merchant()
  const api = service.client(own.keys.test)
  const made = await makeEveryKind(service, api)
  await service.set(own, { active: false })
  const before = await service.digest()
  for (const endpoint of ENDPOINTS)
    for (const path of made.pathsOf(endpoint)) {
      if (endpoint.method === 'GET') {
        assert.equal((await api.get(path)).status, 200, path)
        continue
      }
      const reply = await api.post(path, made.bodyOf(endpoint))
      assertRefused(reply, INACTIVE, { because: path })
    }
  assert.equal((await api.get('/v1/me')).body.active, false)
  assert.equal(await service.digest(), before, 'zero writes')
})
