import assert from 'node:assert/strict'
import test from 'node:test'
import { setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { callbackBase, md5, signed } from '../../../fakes/supplier-callbacks.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { made, opened, prepare } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { dispenseSecret } from '../../../helpers/vending/callbacks.ts'
import { vendingShop } from '../../../helpers/vending/vending.ts'

const PATH = '/v1/vending/conformance'

let secret: string
const service = opened(() => startService())
const shop = made(() => vendingShop(service))
prepare(async () => {
  secret = await dispenseSecret(shop)
})

const payload = (change: object = {}) => ({
  ddbh: 'lnk_1',
  dsfjybh: 'txn_1',
  jqbh: 'M-1',
  status: '1',
  timestamp: String(service.clock.nowMs()),
  splist: [{ spbh: '1', chsl: 1 }],
  ...change,
})
/** A signed payload as the tool wants it, with the signature as a separate field. */
function asked(change: object = {}, key = secret) {
  // As JSON, which leaves out undefined fields.
  const { sign, ...rest } = signed(JSON.parse(JSON.stringify(payload(change))), key)
  return { payload: rest, sign }
}
const check = async (body: unknown, { api } = shop) => {
  const reply = await api.post(PATH, body)
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}
const everything = async () =>
  (await service.digest()) + JSON.stringify(await service.rows('select count(*) from vendor_callbacks'))

test('a correct signature names the secret that made it, and changes and stores nothing', async () => {
  const own = await vendingShop(service)
  await setVending(service.app, BY_HAND, {
    merchant: { id: own.merchantId },
    change: {
      supplier: { baseUrl: 'https://suppliers.co.ug', key: 'k', shbh: '1', secret: 'operator' },
    },
  })
  const { keys } = own.merchant
  const before = await everything()
  for (const [key, kind] of [
    [await dispenseSecret(own), 'dispense_secret'],
    ['operator', 'operator_secret'],
    [keys.test, 'api_secret'],
    [keys.test_collections, 'collections_key'],
  ] as const)
    for (const client of [own.api, own.collections])
      assert.deepEqual(await check(asked({}, key), { ...own, api: client }), {
        ok: true,
        secret_kind: kind,
        vendor: 'default',
        profile: 'dispense-result-v1',
        expected_reqData_any_of: [],
        timestamp_fresh: true,
        hint: null,
      })
  assert.equal(await everything(), before)
  // Kind 3 does not exist in the other mode, nor after it was switched off.
  assert.equal((await check(asked({}, keys.live), own)).ok, false)
  await setVending(service.app, BY_HAND, {
    merchant: { id: own.merchantId },
    change: { acceptApiSecret: false },
  })
  assert.equal((await check(asked({}, keys.test), own)).ok, false)
})

test('a wrong signature shows which text is to be signed, but never a digest or a secret', async () => {
  const wrong = { payload: payload({ status: undefined, state: 'finished', dsfshdh: 9 }), sign: md5('no') }
  const reply = await shop.api.post(PATH, wrong)
  const { hint, ...rest } = reply.body
  assert.deepEqual(rest, {
    ok: false,
    secret_kind: null,
    vendor: 'default',
    profile: 'dispense-result-v1',
    expected_reqData_any_of: [
      'ddbh=lnk_1&dsfjybh=txn_1&dsfshdh=9&jqbh=M-1&state=finished',
      'ddbh=lnk_1&dsfjybh=txn_1&dsfshbh=9&jqbh=M-1&status=finished',
    ],
    timestamp_fresh: true,
  })
  assert.match(hint, /MD5 of secret \+ timestamp \+ reqData/)
  const right = md5(`${secret}${wrong.payload.timestamp}${rest.expected_reqData_any_of[0]}`)
  assert.ok(!reply.text.includes(right) && !reply.text.includes(secret))
  assert.doesNotMatch(reply.text, /[0-9a-f]{32}/)
})

test('numbers are signed as written in the request, not as a parser formats them', async () => {
  const timestamp = String(service.clock.nowMs())
  const base = 'dsfjybh=181213189900000003&jqbh=M-1&price=1.50&status=1'
  const sign = md5(`${secret}${timestamp}${base}`)
  const text = `{"sign":"${sign}", "payload" : {"status":1,"price":1.50,"dsfjybh":181213189900000003,
    "jqbh":"M-1","splist":[{"chsl":1}]},"timestamp":"${timestamp}"}`
  const { ok, hint } = await check(text)
  assert.deepEqual({ ok, hint }, { ok: true, hint: null })
})

test('the time is that of the body, else of the payload, and does not affect the verdict', async () => {
  const { payload: body, sign } = asked()
  assert.equal((await check({ payload: body, sign, timestamp: body.timestamp })).ok, true)
  assert.equal((await check({ payload: body, sign, timestamp: Number(body.timestamp) })).ok, true)
  assert.equal((await check({ payload: body, sign, timestamp: '1724750000' })).ok, false)
  const old = asked({ timestamp: '1724750000' })
  const { ok, timestamp_fresh, hint } = await check(old)
  assert.deepEqual([ok, timestamp_fresh], [true, false])
  assert.match(hint, /within 5 minutes/)
  for (const [timestamp, says] of [
    ['', /timestamp is missing/],
    ['17', /10 or 13 digits/],
  ] as const) {
    const checked = await check({ payload: payload({ timestamp }), sign: md5('no') })
    assert.equal(checked.timestamp_fresh, false)
    assert.match(checked.hint, says)
  }
})

test('its hint says why a real callback would still be refused', async () => {
  for (const [change, says] of [
    [{ splist: [] }, /splist is required/],
    [{ jqbh: undefined }, /jqbh is required/],
    [{ status: undefined }, /status is required/],
    [{ ddbh: 'a&b' }, /malformed field ddbh/],
  ] as const) {
    const { ok, hint } = await check(asked(change))
    assert.equal(ok, true)
    assert.match(hint, says)
  }
  assert.match((await check({ payload: payload(), sign: 'short' })).hint, /32 hex/)
  // Not finished needs no list.
  assert.equal((await check(asked({ status: 'busy', splist: undefined }))).hint, null)
})

test('payload and sign are required, with their types', async () => {
  const { payload: body, sign } = asked()
  for (const wrong of [
    undefined,
    {},
    { payload: body },
    { sign },
    { payload: null, sign },
    { payload: [body], sign },
    { payload: JSON.stringify(body), sign },
    { payload: body, sign: '' },
    { payload: body, sign: 1 },
    { payload: body, sign: null },
  ]) {
    const reply = await shop.api.post(PATH, wrong)
    assert.equal(reply.status, 400)
    assert.deepEqual([reply.body.error, reply.body.code], ['payload and sign are required', 'bad_request'])
  }
  const twice = await shop.api.post(PATH, `{"payload":{"a":1,"a":2},"sign":"${sign}"}`)
  assert.equal(twice.status, 400)
})

test('without a secret of its own a merchant is told to make one, unless an API key has signed', async () => {
  const own = await vendingShop(service)
  const reply = await own.api.post(PATH, asked())
  assert.equal(reply.status, 400)
  assert.deepEqual(
    [reply.body.error, reply.body.code],
    ['no vendor secret configured - generate a dispense secret first', 'no_vendor_secret'],
  )
  assert.equal((await check(asked({}, own.merchant.keys.test), own)).secret_kind, 'api_secret')
  // The secret of the other mode does not count in this one.
  await dispenseSecret({ api: own.live })
  assert.equal((await own.api.post(PATH, asked())).body.code, 'no_vendor_secret')
})

test('it works while vending is off, but not for a deactivated merchant, and the request needs a timestamp', async () => {
  const own = await vendingShop(service)
  const key = await dispenseSecret(own)
  await service.set(own.merchant, { vendingEnabled: false })
  assert.equal((await check(asked({}, key), own)).ok, true)
  await service.set(own.merchant, { active: false })
  const reply = await own.api.post(PATH, asked({}, key))
  assert.deepEqual([reply.status, reply.body.error], [400, 'merchant is not active'])
  assert.equal((await shop.api.post(PATH, asked(), { 'x-timestamp': undefined })).status, 400)
})

test('checks above the limit per minute are refused', async () => {
  const limited = await startService({ env: { RATE_LIMIT_DISPENSE_RETRY: '3' } })
  try {
    const own = await vendingShop(limited)
    const key = await dispenseSecret(own)
    const one = () => own.api.post(PATH, { payload: { a: 1, timestamp: '1724750000' }, sign: md5(key) })
    for (let time = 0; time < 3; time += 1) assert.equal((await one()).status, 200)
    assert.equal((await one()).status, 429)
  } finally {
    await limited.close()
  }
})

test('the text it expects to be signed is the one that suppliers sign', async () => {
  const body = payload({ zfzh: '0001', tkje: 0, payAmount: null, shbh: 'M1', on: true })
  const { expected_reqData_any_of } = await check({ payload: body, sign: md5('no') })
  assert.deepEqual(expected_reqData_any_of, [callbackBase(body)])
})
