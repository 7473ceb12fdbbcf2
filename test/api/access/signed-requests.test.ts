import assert from 'node:assert/strict'
import test from 'node:test'
import { createKey, rotateKey } from '../../../src/merchants/account/api-keys.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { digestOfBody, GET_FIELDS, newSigningPair, type SigningPair } from '../../helpers/service/sign-request.ts'
import { CHARGE, startService } from '../../helpers/service/test-service.ts'
import { assertRefused } from '../http/refused.ts'
import { stillClock } from '../rate-limits/still-clock.ts'
import { type Sending, signingShop } from './signing-shop.ts'

const service = openedAndVerified(() => startService({ clock: stillClock() }))
const other = opened(() => startService({ database: service.database, clock: service.clock }))

const shop = () => signingShop(service)

const unsigned = (why: string) => ({
  status: 401,
  code: 'invalid_signature',
  error: `this API key takes signed requests only: ${why}`,
})

test('a key with public keys takes what its server has signed, and nothing else', async () => {
  const { merchant, bind, pair, send, pay } = await shop()
  const plain = service.client(merchant.keys.test)
  assert.equal((await plain.get('/v1/me')).status, 200, 'before it is set no request needs a signature')
  assert.deepEqual(await bind(pair.pem), [pair.publicKey])
  assert.equal((await send()).status, 200)
  assert.equal((await send({ path: '/v1/charges?limit=1&status=pending' })).status, 200)
  const paid = await pay()
  assert.equal(paid.status, 201)
  assert.equal((await send({ path: `/v1/charges/${paid.body.id}` })).body.amount, CHARGE.amount)
  assertRefused(await plain.get('/v1/me'), unsigned('the header Signature-Input is missing'))
  assertRefused(await plain.charge(), unsigned('the header Signature-Input is missing'))
  await bind('')
  assert.equal((await plain.charge()).status, 201, 'without public keys as before')
})

test('what may be signed in other words is taken too', async () => {
  const { bind, pair, send, pay } = await shop()
  await bind(pair.publicKey)
  const target = { fields: ['@request-target', '@method', '@authority'] }
  assert.equal((await send({ path: '/v1/charges?limit=1', signing: target })).status, 200)
  assert.equal((await send({ signing: { fields: ['@method', '@path'] } })).status, 200, 'there is no query')
  assert.equal((await send({ signing: { params: ['created'] } })).status, 200, 'neither keyid nor alg')
  const inTime = { expires: new Date(service.clock.nowMs() + 1000) }
  assert.equal((await send({ signing: inTime })).status, 200)
  const body = JSON.stringify(CHARGE)
  const both = { 'content-digest': `${digestOfBody(body, 'sha-512')}, ${digestOfBody(body)}` }
  assert.equal((await pay({ headers: both })).status, 201)
})

const CUT = 'no public key of this API key has made this signature for this request'
const REFUSED: readonly [string, Sending, string][] = [
  ['another key', { signing: { privateKey: newSigningPair().privateKey } }, CUT],
  ['another path', { sent: { path: '/v1/balance' } }, CUT],
  ['another query', { path: '/v1/charges?limit=1', sent: { path: '/v1/charges?limit=2' } }, CUT],
  ['a query that was added', { sent: { path: '/v1/me?x=1' } }, CUT],
  [
    'an unsigned query',
    { path: '/v1/me?x=1', signing: { fields: ['@method', '@path'] } },
    '"@query" must be signed too',
  ],
  ['an unsigned method', { signing: { fields: ['@path'] } }, '"@method" must be signed too'],
  ['nothing signed', { signing: { fields: ['@authority'] } }, '"@method", "@path" must be signed too'],
  ['no time', { signing: { params: ['keyid'] } }, 'the parameter created is missing: the Unix time in seconds'],
  ['another algorithm', { signing: { alg: 'hmac-sha256' } }, 'alg must be "ed25519", not hmac-sha256'],
  [
    'Signature without the name',
    { change: (it) => ({ ...it, Signature: 'other=:AAAA:' }) },
    'Signature has no bytes under the name in Signature-Input',
  ],
  ['a short signature', { change: (it) => ({ ...it, Signature: 'sig=:AAAA:' }) }, CUT],
  [
    'a text as signature',
    { change: (it) => ({ ...it, Signature: 'sig="x"' }) },
    'Signature has no bytes under the name in Signature-Input',
  ],
  [
    'an unreadable header',
    { change: (it) => ({ ...it, 'Signature-Input': '(((' }) },
    'the header Signature-Input cannot be read',
  ],
  ['an empty one', { change: (it) => ({ ...it, 'Signature-Input': '' }) }, 'Signature-Input has none'],
  [
    'a word as input',
    { change: (it) => ({ ...it, 'Signature-Input': 'sig=7' }) },
    'Signature-Input must list what is signed',
  ],
  ['no signature', { change: ({ Signature: _, ...it }) => it }, 'the header Signature is missing'],
  [
    'four signatures',
    {
      change: (it) => ({
        ...it,
        'Signature-Input': ['a', 'b', 'c', 'd'].map((name) => `${name}=("@method")`).join(', '),
      }),
    },
    'at most 3 signatures are read',
  ],
]
const REFUSED_POSTS: readonly [string, Sending, string][] = [
  [
    'another body',
    { sent: { body: JSON.stringify({ ...CHARGE, amount: 6000 }) } },
    'the body is not the one that Content-Digest says',
  ],
  ['another digest', { change: (it) => ({ ...it, 'content-digest': digestOfBody('x') }) }, CUT],
  ['another Idempotency-Key', { change: (it) => ({ ...it, 'idempotency-key': 'k2' }) }, CUT],
  ['another time', { change: (it) => ({ ...it, 'x-timestamp': String(Number(it['x-timestamp']) + 1) }) }, CUT],
  [
    'an unsigned body',
    { signing: { fields: GET_FIELDS } },
    '"content-digest", "x-timestamp", "idempotency-key" must be signed too',
  ],
  ['a weak digest', { headers: { 'content-digest': 'md5=:AAAA:' } }, 'Content-Digest must have sha-256 or sha-512'],
  [
    'a name of every object as digest',
    { headers: { 'content-digest': 'constructor=:AAAA:' } },
    'Content-Digest must have sha-256 or sha-512',
  ],
  [
    'a digest that is none',
    { headers: { 'content-digest': 'sha-256="x"' } },
    'the body is not the one that Content-Digest says',
  ],
  [
    'one wrong digest of two',
    { headers: { 'content-digest': `${digestOfBody(JSON.stringify(CHARGE))}, sha-512=:AAAA:` } },
    'the body is not the one that Content-Digest says',
  ],
]

test('whatever is not as it was signed is refused, and writes nothing', async () => {
  const { bind, pair, send, pay } = await shop()
  await bind(pair.publicKey)
  const before = await service.digest()
  for (const [name, sending, why] of REFUSED) {
    const reply = await send(sending)
    assertRefused(reply, unsigned(why))
    for (const header of ['ratelimit', 'ratelimit-policy', 'idempotency-status'])
      assert.equal(reply.headers.get(header), null, `${name}: ${header}`)
  }
  for (const [, sending, why] of REFUSED_POSTS) assertRefused(await pay(sending), unsigned(why))
  assert.equal(await service.digest(), before)
})

test('a signature is worth nothing outside of five minutes', async () => {
  const { bind, pair, send } = await shop()
  await bind(pair.publicKey)
  const at = (seconds: number) => ({ created: new Date(service.clock.nowMs() + seconds * 1000) })
  assert.equal((await send({ signing: at(-300) })).status, 200)
  assert.equal((await send({ signing: at(60) })).status, 200)
  assertRefused(await send({ signing: at(-301) }), unsigned('the signature is 301 s old, and 300 s are allowed'))
  const ahead = 'the signature is from the future: check the clock of your server'
  assertRefused(await send({ signing: at(61) }), unsigned(ahead))
  assertRefused(
    await send({ signing: { ...at(-10), expires: service.clock.now() } }),
    unsigned('the signature has expired'),
  )
})

test('of several signatures one must be good', async () => {
  const { bind, pair, send } = await shop()
  await bind(pair.publicKey)
  const beside = (it: Record<string, string>) => ({
    ...it,
    'Signature-Input': `proxy=("@method");created=1, ${it['Signature-Input']}`,
    Signature: `proxy=:AAAA:, ${it.Signature}`,
  })
  assert.equal((await send({ change: beside })).status, 200)
})

test('a flood without signatures is held like one of wrong keys, and the shop is served meanwhile', async () => {
  const strict = await startService({
    ...{ database: service.database, clock: service.clock },
    env: { TRUSTED_PROXIES: '1', RATE_LIMIT_FAILED_AUTH: '3' },
  })
  try {
    const { bind, pair, send, merchant } = await shop()
    await bind(pair.publicKey)
    await strict.gateway.keyRing.refresh()
    const thief = () => strict.client(merchant.keys.test).get('/v1/me', { 'x-forwarded-for': '203.0.113.77' })
    for (let nth = 0; nth < 3; nth += 1) assert.equal((await thief()).status, 401)
    assert.equal((await thief()).status, 429)
    assert.equal((await send({ at: strict, headers: { 'x-forwarded-for': '41.210.1.7' } })).status, 200)
  } finally {
    await strict.close()
  }
})

test('two public keys change over without a gap, and a new key of the kind begins with those of the newest', async () => {
  const { bind, pair, send, keys, merchantId: id, who } = await shop()
  const next: SigningPair = newSigningPair()
  const byNext = { signing: { privateKey: next.privateKey } }
  await bind(`${pair.pem}\n${next.pem}`)
  for (const sending of [{}, byNext]) assert.equal((await send(sending)).status, 200)
  await bind(next.publicKey)
  assertRefused(await send(), unsigned(CUT))
  await other.gateway.keyRing.refresh()
  assert.equal((await send({ ...byNext, at: other })).status, 200)
  assertRefused(await send({ at: other }), unsigned(CUT))
  const second = await createKey(service.app, who, { holder: { id }, kind: 'test' })
  const third = await rotateKey(service.app, who, { holder: { id }, kind: 'test' })
  assert.equal((await service.client(second.key).get('/v1/me')).status, 401)
  assert.equal((await send({ ...byNext, key: third })).status, 200)
  assertRefused(await send({ key: third }), unsigned(CUT))
  const signers = (await keys()).filter(({ kind }) => kind === 'test').map(({ signedBy }) => signedBy)
  assert.deepEqual(signers, new Array(3).fill([next.publicKey]))
})
