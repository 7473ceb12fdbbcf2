import assert from 'node:assert/strict'
import test from 'node:test'
import { LG } from '../../../../src/web/checkout/texts/lg.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { openDisplays, WATER_AND_SODA } from '../../../helpers/vending/display-screens.ts'

// Rules that hold for the screen and the state document of every order.
const UNKNOWN = 'lnk_00000aaaaaaaaaaaaaaaa'
const { service, shop, at, html, stateOf, order, commandedOrder } = openDisplays('Cool Drinks')

test('the state document has exactly the promised fields', async () => {
  const { order_id, expires_at } = await order({ success_url: 'https://shop.example/thanks' })
  assert.deepEqual(await stateOf(order_id), {
    order_id,
    amount: 3500,
    currency: 'UGX',
    payment_status: 'unpaid',
    vending_status: 'pending',
    vending_error: null,
    expired: false,
    invalidated: false,
    expires_at,
    success_url: null,
  })
})

test('page and document are public, never stored, and leave no cookie', async () => {
  const { order_id } = await order()
  for (const path of ['', '/state.json']) {
    const { status, headers } = await fetch(`${at(order_id)}${path}?lang=lg`, {
      headers: { origin: 'https://other.example' },
    })
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('set-cookie'), null)
    assert.equal(headers.get('access-control-allow-origin'), null)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
  }
})

test('an unknown order is not found, as a page and as a document', async () => {
  const { body: link } = await shop.api.post('/v1/payment-links', { amount: 5000 })
  const { order_id } = await order()
  const foreign = `${order_id.slice(0, 4)}zzzzz${order_id.slice(9)}`
  for (const id of [UNKNOWN, link.id, foreign, `${order_id}0`, 'x', '%00', '..%2f..']) {
    const shown = await fetch(at(id))
    assert.equal(shown.status, 404, id)
    assert.match(await shown.text(), /<main id="screen" class="unknown"/)
    const state = await fetch(`${at(id)}/state.json`)
    assert.equal(state.status, 404, id)
    assert.deepEqual(Object.keys((await state.json()) as object), ['error', 'code', 'request_id'])
  }
  assert.equal((await fetch(at(order_id), { method: 'POST' })).status, 405)
})

test('the payment page names the products if the order has no description', async () => {
  const form = async (more: object) => {
    const { order_id } = await order(more)
    return (await fetch(`${service.url}/pay/${order_id}`)).text()
  }
  assert.ok((await form({})).includes('Water, Soda'))
  const worded = await form({ description: 'Lunch' })
  assert.ok(worded.includes('Lunch') && !worded.includes('Water'))
  assert.ok((await form({ goods: [WATER_AND_SODA[0], WATER_AND_SODA[0], { spbh: 3 }] })).includes('Water × 2'))
  assert.equal((await form({ goods: [{ spbh: 3 }] })).includes('undefined'), false)
})

test('the language is that of the address, else that of the browser', async () => {
  const { order_id } = await order()
  assert.ok((await html(order_id, '?lang=lg')).includes(`<h1>${LG.display.scan}</h1>`))
  const browser = await fetch(at(order_id), { headers: { 'accept-language': 'zh-CN,lg;q=0.5' } })
  assert.ok((await browser.text()).includes('<html lang="lg">'))
  assert.ok((await html(order_id)).includes('<html lang="en">'))
})

test('looking at screens and documents writes nothing', async () => {
  const ids = await Promise.all([
    order().then(({ order_id }) => order_id),
    commandedOrder('M-LOST').then(({ order_id }) => order_id),
  ])
  const before = await service.digest()
  for (const id of [...ids, UNKNOWN])
    for (const path of ['', '/state.json', '?lang=sw']) await (await fetch(`${at(id)}${path}`)).text()
  assert.equal(await service.digest(), before)
})

test('a screen refused by the rate limit stays a screen and recovers by itself', async () => {
  const strict = await startService({ env: { RATE_LIMIT_PUBLIC_PAGES: '1' } })
  try {
    const busy = `${strict.url}/vending/display/${UNKNOWN}`
    await fetch(busy)
    const refused = await fetch(busy)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.match(await refused.text(), /class="busy" data-state="\/vending\/display\/lnk_0+a+\/state\.json\?lang=en"/)
  } finally {
    await strict.close()
  }
})
