import assert from 'node:assert/strict'
import { SPREADSHEET_HINT } from '../../../src/platform/text/phone.ts'
import { sandboxRail } from '../../../src/rails/sandbox.ts'
import { assertRefused, badRequest, invalid } from '../../api/http/refused.ts'
import { payoutDigest, startPayingService } from '../../helpers/payments/payouts.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

const service = opened(() => startPayingService({ env: { RATE_LIMIT_RESOLVE_ACCOUNT: '0' } }))
const shop = made(() => service.shop())

const resolve = (api: Client, phone: string) => api.get(`/v1/resolve-account?phone=${encodeURIComponent(phone)}`)

const AWAY = {
  status: 502,
  code: 'rail_unavailable',
  error: 'account resolution temporarily unavailable - retry shortly',
}

test('the sandbox knows every number, in every written form, by its last nine digits', async () => {
  const people: [string, string, boolean, string | null][] = [
    ['0700000000', '256700000000', true, 'SANDBOX HOLDER 0000'],
    ['+256 700-000-001', '256700000001', false, null],
    ['700000001', '256700000001', false, null],
    ['00254(700)000.001', '254700000001', false, null],
    ['0700000002', '256700000002', true, 'SANDBOX HOLDER 0002'],
    ['0700000003', '256700000003', true, 'SANDBOX HOLDER 0003'],
    ['256 (0) 772 123 456', '256772123456', true, 'SANDBOX HOLDER 3456'],
  ]
  for (const [phone, msisdn, active, registered_name] of people) {
    const { status, body } = await resolve(shop.test, phone)
    assert.deepEqual([status, body], [200, { msisdn, active, registered_name, mode: 'test' }], phone)
  }
})

test('a + that arrived as a space is part of the number', async () => {
  const { body } = await shop.test.get('/v1/resolve-account?phone=+256700000000')
  assert.equal(body.msisdn, '256700000000')
})

test('in live mode the operator says who holds it: a name, no name yet, or nobody', async () => {
  const [named, nameless, closed] = [newPayer(), newPayer(), newPayer()]
  service.operator.holds(named, { active: true, name: 'Nakato Jane' })
  service.operator.holds(nameless, { active: true, name: null })
  service.operator.holds(closed, { active: false, name: null })
  for (const [phone, active, registered_name] of [
    [named, true, 'Nakato Jane'],
    [nameless, true, null],
    [closed, false, null],
  ] as const) {
    const { status, body } = await resolve(shop.live, `+${phone}`)
    assert.deepEqual([status, body], [200, { msisdn: phone, active, registered_name, mode: 'live' }])
  }
})

for (const answer of ['error', 'garbage', 'reset'] as const)
  test(`an operator that meets the question with "${answer}" is 502, never a guess`, async () => {
    service.operator.onLookup({ answer })
    const reply = await resolve(shop.live, newPayer())
    service.operator.onLookup({ answer: 'book' })
    assertRefused(reply, AWAY, { retryAfter: reply.headers.get('retry-after') ?? '' })
    assert.equal((await resolve(shop.live, newPayer())).status, 200, 'and later it answers')
  })

longTest('an operator that is silent is 502 after at most nine seconds', async () => {
  service.operator.onLookup({ answer: 'silence' })
  const started = performance.now()
  const reply = await resolve(shop.live, newPayer())
  service.operator.onLookup({ answer: 'book' })
  assertRefused(reply, AWAY, { retryAfter: reply.headers.get('retry-after') ?? '' })
  assert.ok(performance.now() - started < 9000)
})

test('without a live rail, or with one that cannot look up, live is 502 and the sandbox answers', async () => {
  const { lookupAccountHolder: _, ...blind } = service.rail
  for (const liveRails of [{}, { op1_momo: blind }]) {
    const bare = await startService({ database: service.database, liveRails })
    try {
      const reply = await resolve(bare.client(shop.merchant.keys.live), '0700000000')
      assertRefused(reply, AWAY, { retryAfter: reply.headers.get('retry-after') ?? '' })
      assert.equal((await resolve(bare.client(shop.merchant.keys.test), '0700000000')).status, 200)
    } finally {
      await bare.close()
    }
  }
})

test('a live question never meets a simulated rail', async () => {
  const simulated = sandboxRail(service.clock, { outcomeSeconds: 2, pays: true })
  const wrong = await startLiveService({ database: service.database, liveRails: { op1_momo: simulated } })
  try {
    const reply = await resolve(wrong.client(shop.merchant.keys.live), '0700000000')
    assert.ok(reply.status >= 500, `answered ${reply.status} ${reply.text}`)
  } finally {
    await wrong.close()
  }
})

test('no phone and no number are told apart, in the words of the contract', async () => {
  for (const query of ['', '?phone=', '?phone=%20', '?number=0700000000'])
    for (const api of [shop.test, shop.live])
      assertRefused(await api.get(`/v1/resolve-account${query}`), badRequest('phone query parameter required'), {
        because: query,
      })
  assertRefused(
    await resolve(shop.test, '77212345.0'),
    badRequest(`phone does not look like a valid MSISDN${SPREADSHEET_HINT}`),
  )
  for (const phone of ['07', '07000000', 'none', '1'.repeat(16), '+256 700 000 00a', '٠٧٠٠٠٠٠٠٠٠', "'"])
    assertRefused(await resolve(shop.test, phone), badRequest('phone does not look like a valid MSISDN'), {
      because: phone,
    })
  assertRefused(
    await shop.test.get('/v1/resolve-account?phone=0700000000&phone=0700000001'),
    invalid('query parameter phone is given twice'),
  )
})

test('each question stands in the audit with a masked number, and hundreds in an hour are an alert', async () => {
  const { live, merchant } = await service.shop()
  const phone = newPayer()
  assert.equal((await resolve(live, phone)).status, 200)
  assert.equal((await resolve(live, 'none')).status, 400)
  const rows = () =>
    service.rows<{ actor: string; mode: string; after: { phone: string } }>(
      `select actor, mode, after from audit where action = 'wallet.look-up' and merchant_id =
         (select id from merchants where public_id = $1)`,
      [merchant.id],
    )
  const [row, ...more] = await rows()
  assert.ok(row && more.length === 0)
  assert.match(row.actor, /^live full key \.\.\./)
  assert.equal(row.mode, 'live')
  assert.ok(!row.after.phone.includes(phone) && row.after.phone.endsWith(phone.slice(-3)), row.after.phone)
  const alarms = async () => {
    await service.run('raise-alerts')
    return service.rows<{ says: string }>(
      `select says from alerts where kind = 'long_look_ups' and closed_at is null and subject like '%' || $1`,
      [merchant.id],
    )
  }
  await service.rows(
    `insert into audit (at, actor_kind, actor, origin, action, merchant_id, mode)
     select $2, 'key', 'a key', '::1', 'wallet.look-up', m.id, 'live' from merchants m, generate_series(1, 298) where m.public_id = $1`,
    [merchant.id, service.clock.now()],
  )
  assert.deepEqual(await alarms(), [])
  await resolve(live, phone)
  const [alarm] = await alarms()
  assert.match(alarm?.says ?? '', /has asked for the holders of 300 wallets within an hour/)
})

test('asking moves nothing, and an inactive or unverified merchant may ask', async () => {
  const { merchant, test: api, live } = await service.shop({ verified: false })
  await service.set(merchant, { active: false })
  const before = await payoutDigest(service)
  assert.deepEqual([(await resolve(api, '0700000000')).status, (await resolve(live, newPayer())).status], [200, 200])
  assert.equal(await payoutDigest(service), before)
})
