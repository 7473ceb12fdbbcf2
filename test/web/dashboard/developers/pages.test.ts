import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { startReceiver } from '../../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { dispensingOrder, vendingShop } from '../../../helpers/vending/vending.ts'
import { formOf } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { answering, deliverAll, endedCharge } from '../../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const HERE = '/dashboard/test/developers'
const DAY_MS = 86_400_000

test('a key is changed without a gap: a second one is made and shown once, then the first is revoked', async () => {
  const shop = await service.merchant()
  const owner = await signedInAs(service, shop)
  const list = await owner.get(HERE)
  assert.ok(!list.text.includes(shop.keys.test), 'no list has a whole key')
  const ends = shop.keys.test.slice(-4)
  const row = new RegExp(`href="([^"]*/keys/key_[^"]+)"[^>]*>(?:(?!href=).)*\\.\\.\\.${ends}<`, 's')
  const first = row.exec(list.text)?.[1] ?? ''
  const one = await owner.get(first)
  const shown = await owner.send(one, '/second', { name: 'New server' })
  assert.equal(shown.status, 200)
  const key = /sk_test_[A-Za-z0-9_]+/.exec(shown.text)?.[0] ?? ''
  const again = await owner.post(`${first}/second`, { ...formOf(one, '/second').fields, name: 'New server' })
  assert.ok(again.text.includes(key), 'the same form sent again shows the same key')
  for (const each of [shop.keys.test, key]) assert.equal((await service.client(each).get('/v1/me')).status, 200)
  await service.gateway.requests.flush()
  const both = await owner.get(first)
  assert.match(mainOf(both), /The second key is made/)
  assert.ok(!both.text.includes(key))
  assert.doesNotMatch(mainOf(both), /last used \(\.\.\.\w+\) never/)
  const revoked = await owner.send(both, '/revoke')
  assert.match(mainOf(await owner.follow(revoked)), /is revoked/)
  assert.equal((await service.client(shop.keys.test).get('/v1/me')).status, 401)
  assert.equal((await service.client(key).get('/v1/me')).status, 200)
})

test('a key, the signing secret and the test key of the reference are shown only after the factor', async () => {
  const shop = await service.merchant()
  const stale = await signedInAs(service, shop, { steppedUpMs: 6 * 60_000 })
  const fresh = await signedInAs(service, shop)
  const first = /href="([^"]*\/keys\/key_[^"]+)"/.exec((await fresh.get(HERE)).text)?.[1] ?? ''
  const secrets = [...Object.values(shop.keys), shop.webhook_secret]
  for (const [path, form] of [
    [first, '/reveal'],
    [`${HERE}/webhooks`, '/reveal'],
    [`${HERE}/reference`, '/key'],
  ] as const) {
    const page = await stale.get(path)
    const refused = await stale.send(page, form)
    assert.equal(refused.status, 400)
    for (const reply of [page, refused])
      assert.deepEqual(
        secrets.filter((secret) => reply.text.includes(secret)),
        [],
        path,
      )
    const shown = await fresh.send(await fresh.get(path), form)
    assert.equal(shown.status, 200)
    assert.equal(secrets.filter((secret) => shown.text.includes(secret)).length, 1, path)
    assert.match(shown.headers.get('cache-control') ?? '', /no-store/)
  }
})

test('a failing webhook is repaired and resent through the page', async () => {
  const shop = await service.merchant()
  const owner = await signedInAs(service, shop)
  const page = await owner.get(`${HERE}/webhooks`)
  const private_ = await owner.send(page, '/address', { url: 'http://10.0.0.1/hook' })
  assert.equal(private_.status, 400)
  assert.match(mainOf(private_), /this address is not reachable from the public internet/)
  await owner.follow(await owner.send(page, '/address', { url: receiver.url }))
  receiver.behave((response) => void response.writeHead(500).end('<b>no such table: orders</b>'))
  const { eventId } = await endedCharge(service, service.client(shop.keys.test))
  await deliverAll(service)
  const one = await owner.get(`${HERE}/webhooks/${eventId}`)
  assert.match(mainOf(one), /Answered 500/)
  assert.match(mainOf(one), /<b>no such table: orders<\/b>/)
  assert.ok(!one.text.includes('<b>'))
  assert.match(mainOf(one), /"event":"charge.succeeded"/)
  receiver.behave(answering(200))
  service.pass(1000)
  const list = await owner.get(`${HERE}/webhooks`)
  const since = { day: '2020-01-01', time: '' }
  const resent = await owner.follow(await owner.send(list, '/resend-failed', since))
  assert.match(mainOf(resent), /1 event is on the way/)
  await deliverAll(service)
  assert.match(mainOf(await owner.get(`${HERE}/webhooks/${eventId}`)), /Status sent/)
  const nothing = await owner.follow(await owner.send(list, '/resend-failed', since))
  assert.match(mainOf(nothing), /Nothing has failed since then/)
  const seen = receiver.received.length
  await owner.send(await owner.get(`${HERE}/webhooks/${eventId}`), '/resend')
  await deliverAll(service)
  assert.equal(receiver.received.length, seen + 1)
  const ping = await owner.send(list, '/ping')
  assert.match(mainOf(await owner.follow(ping)), /test\.ping/)
})

test('a new signing secret signs at once, both do for 24 hours, and then one', async () => {
  const shop = await service.merchant()
  await service.set(shop, { webhookUrl: receiver.url })
  receiver.behave(answering(200))
  const owner = await signedInAs(service, shop)
  const shown = await owner.send(await owner.get(`${HERE}/webhooks`), '/rotate', {})
  const secret = /whsec_[A-Za-z0-9+/]+=/.exec(shown.text)?.[0] ?? ''
  assert.match(mainOf(shown), /The old one also signs until/)
  const signed = async () => {
    await endedCharge(service, service.client(shop.keys.test))
    await deliverAll(service)
    const { headers, body } = receiver.received.at(-1) as (typeof receiver.received)[number]
    const hex = createHmac('sha256', secret).update(body).digest('hex')
    assert.equal(headers['x-service-signature'], hex, 'the new one alone')
    return String(headers['webhook-signature']).split(' ').length
  }
  assert.equal(await signed(), 2)
  assert.match(mainOf(await owner.get(`${HERE}/webhooks`)), /carries two signatures/)
  service.pass(DAY_MS + 1000)
  assert.equal(await signed(), 1)
  const later = await signedInAs(service, shop)
  assert.doesNotMatch(mainOf(await later.get(`${HERE}/webhooks`)), /carries two signatures/)
})

test('the log shows a refused request with its error, its key and its object, and filters stand in the address', async () => {
  const shop = await service.merchant()
  const owner = await signedInAs(service, shop)
  assert.match(mainOf(await owner.get(`${HERE}/requests`)), /No request yet/)
  const api = service.client(shop.keys.test)
  const { body: charge } = await api.charge()
  await api.charge({ amount: 200 })
  await service.gateway.requests.flush()
  const list = await owner.get(`${HERE}/requests?status=refused&method=&route=&code=`)
  assert.match(mainOf(list), /POST \/v1\/charges 400/)
  assert.doesNotMatch(mainOf(list), / 201 /)
  const href = /href="([^"]*\/requests\/[0-9a-z]+)"/.exec(list.text)?.[1] ?? ''
  assert.match(mainOf(await owner.get(href)), /fee exceeds amount/)
  const done = await owner.get(`${HERE}/requests?status=2`)
  const made = await owner.get(/href="([^"]*\/requests\/[0-9a-z]+)"/.exec(done.text)?.[1] ?? '')
  assert.ok(made.text.includes(`/dashboard/test/charges/${charge.id}"`))
  assert.equal((await owner.get(`${HERE}/requests?status=9`)).status, 400)
  const stranger = await signedInAs(service, await service.merchant())
  assert.equal((await stranger.get(href)).status, 404)
  assert.equal((await owner.get(href.replace('/test/', '/'))).status, 404)
})

test('the sandbox adds money, moves the clock, lets payouts fail and presses machines, in test mode alone', async () => {
  const shop = await vendingShop(service)
  const owner = await signedInAs(service, shop.merchant)
  const page = await owner.get(`${HERE}/sandbox`)
  const does = async (form: string, fields: Record<string, string>) =>
    mainOf(await owner.follow(await owner.send(page, form, fields)))
  assert.match(await does('/funds', { amount: '10,000' }), /UGX 10,000 of test money was added/)
  assert.match(await does('/hold', { hold: 'realistic' }), /Saved/)
  await endedCharge(service, shop.api)
  assert.match(await does('/clock', { advance: '30d' }), /1 payments became available/)
  assert.match(
    await does('/failing', { count: '2', reason: 'wallet_locked' }),
    /The next 2 payouts fail: wallet locked/,
  )
  const { order_id } = await dispensingOrder(service, shop)
  assert.match(await does('/machine', { order: order_id, button: 'dispensed' }), /The order is dispensed now/)
  const wrong = await owner.send(page, '/machine', { order: order_id, button: 'jam' })
  assert.match(mainOf(wrong), /its machine has nothing to report/)
  const live = await owner.get('/dashboard/developers/sandbox')
  assert.match(mainOf(live), /belongs to test mode/)
  const csrf = formOf(page, '/hold').fields.csrf ?? ''
  const forced = await owner.post('/dashboard/developers/sandbox/hold', { csrf, hold: 'none' })
  assert.equal(forced.status, 400)
})

test('every event has its sample, and people who may not change keys are offered nothing', async () => {
  const shop = await service.merchant()
  const viewer = await signedInAs(service, shop, { role: 'viewer' })
  const events = mainOf(await viewer.get(`${HERE}/events`))
  for (const name of ['charge.refunded', 'vending.dispense_failed', 'dispute.opened', 'test.ping'])
    assert.ok(events.includes(name), name)
  for (const path of ['', '/webhooks', '/sandbox', '/reference']) {
    const page = await viewer.get(`${HERE}${path}`)
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /<form method="post" action="[^"]*developers/)
  }
})

test('a key and a delivery of another merchant are not there, nor in the other mode', async () => {
  const [shop, other] = [await service.merchant(), await service.merchant()]
  const owner = await signedInAs(service, shop)
  const stranger = await signedInAs(service, other)
  const key = /href="([^"]*\/keys\/key_[^"]+)"/.exec((await owner.get(HERE)).text)?.[1] ?? ''
  const { eventId } = await endedCharge(service, service.client(shop.keys.test))
  const csrf = formOf(await stranger.get(`${HERE}/sandbox`), '/hold').fields.csrf ?? ''
  for (const path of [key, `${HERE}/webhooks/${eventId}`]) {
    assert.equal((await owner.get(path)).status, 200)
    assert.equal((await owner.get(path.replace('/test/', '/'))).status, 404)
    assert.equal((await stranger.get(path)).status, 404)
  }
  for (const path of [`${key}/reveal`, `${key}/revoke`, `${HERE}/webhooks/${eventId}/resend`])
    assert.equal((await stranger.post(path, { csrf })).status, 404)
  assert.equal((await service.client(shop.keys.test).get('/v1/me')).status, 200)
})
