import assert from 'node:assert/strict'
import { newAddressWindow } from '../../../src/api/rate-limits/address-window.ts'
import { toCountedAddress, toNetwork } from '../../../src/api/rate-limits/client-address.ts'
import { newApiKey } from '../../../src/platform/text/api-key-format.ts'
import { newCard, newLink as newLiveLink } from '../../helpers/payments/gift-cards.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { type Reply, startService, type TestService } from '../../helpers/service/test-service.ts'
import { makeOrder, vendingShop } from '../../helpers/vending/vending.ts'
import { type Browser, browserOf } from '../../helpers/web/browser.ts'
import { stillClock } from './still-clock.ts'

const MINUTE = 60_000
const LIMIT = 5
const PAGES = 40
const clock = stillClock()
const env = {
  TRUSTED_PROXIES: '1',
  RATE_LIMIT_FAILED_AUTH: String(LIMIT),
  RATE_LIMIT_CHECKOUT: '20',
  RATE_LIMIT_CHECKOUT_ALL: '60',
  RATE_LIMIT_VOUCHER_MISSES: String(LIMIT),
  RATE_LIMIT_PUBLIC_PAGES: String(PAGES),
  RATE_LIMIT_POLLS: '60',
}
const service = opened(() => startService({ clock, env }))
const other = opened(() => startService({ clock, env, database: service.database }))
const shop = made(() => payer(service, 1_000_000))

let hosts = 0
const newAddress = () => {
  hosts += 1
  return `10.9.${hosts >> 8}.${hosts & 255}`
}
const from = (address: string) => ({ 'x-forwarded-for': address, 'accept-language': 'en' })
const fail = (at: TestService, address: string): Promise<Reply> =>
  at.client(newApiKey('test')).get('/v1/me', from(address))
const guest = (at: TestService, address: string): Browser => browserOf(at, from(address))
const count = (statuses: readonly number[], wanted: number) => statuses.filter((status) => status === wanted).length
async function newLink(amount = 5000): Promise<string> {
  const reply = await shop.api.post('/v1/payment-links', {
    title: 'Socks',
    amount,
    allow_multiple_uses: true,
  })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

test('D6: failed authentications of one address are counted by all processes together, raced', async () => {
  const address = newAddress()
  const asked = Array.from({ length: 4 * LIMIT }, (_, nth) => fail(nth % 2 === 0 ? service : other, address))
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  assert.deepEqual([count(statuses, 401), count(statuses, 429)], [LIMIT, 3 * LIMIT])
  assert.equal((await fail(other, newAddress())).status, 401, 'another address')
  clock.advance(MINUTE)
  assert.equal((await fail(service, address)).status, 401)
})

test('D6: all addresses of one /64 are one client', async () => {
  const statuses: number[] = []
  for (let nth = 0; nth < 2 * LIMIT; nth += 1)
    statuses.push((await fail(service, `2001:db8:77:1:${nth.toString(16)}::${nth + 1}`)).status)
  assert.deepEqual([count(statuses, 401), count(statuses, 429)], [LIMIT, LIMIT])
  assert.equal((await fail(service, '2001:db8:77:2::1')).status, 401, 'the next /64 is somebody else')
})

test('D6: an address has one name, however it is written', () => {
  const same = (texts: string[]) => assert.equal(new Set(texts.map(toCountedAddress)).size, 1, String(texts))
  same(['10.0.0.1', '::ffff:10.0.0.1', '10.0.0.1:4711', '[::ffff:10.0.0.1]:80'])
  same(['2001:db8::1', '2001:DB8:0:0:ffff::2', '[2001:db8::3]:443', '2001:db8::1%eth0', '[2001:db8::4]'])
  assert.notEqual(toCountedAddress('10.0.0.1'), toCountedAddress('10.0.0.2'))
  assert.equal(toCountedAddress('x'.repeat(10_000)).length, 64)
  assert.equal(toCountedAddress(''), '')
})

test('D6: a flood of other addresses does not forgive the one that comes most', () => {
  const window = newAddressWindow(LIMIT)
  const nowMs = clock.nowMs()
  for (let nth = 0; nth < LIMIT; nth += 1) window.take('busy', nowMs)
  assert.throws(() => window.take('busy', nowMs))
  for (let nth = 0; nth < 9_990; nth += 1) window.take(`other ${nth}`, nowMs)
  assert.throws(() => window.take('busy', nowMs))
  for (let nth = 0; nth < LIMIT; nth += 1) window.take('late', nowMs)
  for (let nth = 0; nth < 9_000; nth += 1) window.take(`more ${nth}`, nowMs)
  assert.throws(() => window.take('late', nowMs))
})

test('D6: forms of one link and address are counted by all processes together, raced', async () => {
  const [link, address] = [await newLink(), newAddress()]
  const sent = Array.from({ length: 50 }, (_, nth) =>
    guest(nth % 2 === 0 ? service : other, address).post(`/pay/${link}/submit`, {
      channel: 'op1_momo',
      phone: 'x',
    }),
  )
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  assert.deepEqual([count(statuses, 400), count(statuses, 429)], [20, 30])
})

test('D6: codes guessed at the same moment, over two processes, are no more than codes guessed in turn', async () => {
  const links = await Promise.all(Array.from({ length: 8 }, () => newLink()))
  const address = newAddress()
  const guesses = links.flatMap((link, nth) =>
    Array.from({ length: 3 }, () =>
      guest(nth % 2 === 0 ? service : other, address).post(`/pay/${link}/apply-voucher`, {
        code: 'AAAA-BBBB-CCCC',
      }),
    ),
  )
  const said = (await Promise.all(guesses)).map(({ status, location }) =>
    status === 429 ? 'busy' : /voucher=(\w+)/.exec(location)?.[1],
  )
  assert.equal(said.filter((word) => word === 'unusable').length, LIMIT, String(said))
  assert.equal(said.filter((word) => word === 'busy').length, 24 - LIMIT)
})

test('D6: a code that is right uses up no guess', async () => {
  const card = await newCard(service, shop)
  const [link, address] = [await newLiveLink(service, shop), newAddress()]
  for (let nth = 0; nth < 3 * LIMIT; nth += 1) {
    const page = await guest(service, address).post(`/pay/${link}/apply-voucher`, { code: card.code })
    assert.ok(page.location.endsWith(`/pay/${link}`), page.location)
  }
})

longTest('D6: ten machines and a waiting page behind one address leave the checkout open', async () => {
  const machines = await vendingShop(service)
  const orders = await Promise.all(Array.from({ length: 10 }, () => makeOrder(machines)))
  const address = newAddress()
  for (let nth = 0; nth < 30; nth += 1) {
    const polls = orders.map(({ order_id }) => guest(service, address).get(`/vending/display/${order_id}/state.json`))
    for (const { status } of await Promise.all(polls)) assert.equal(status, 200)
  }
  const link = await newLink()
  for (let nth = 0; nth < 60; nth += 1)
    assert.equal((await guest(service, address).get(`/pay/${link}/status.json`)).status, 200)
  assert.equal((await guest(service, address).get(`/pay/${link}/status.json`)).status, 429, 'its own window')
  assert.equal((await guest(service, address).get(`/pay/${link}`)).status, 200)
  assert.equal(
    (await guest(service, address).post(`/pay/${link}/submit`, { channel: 'op1_momo', phone: '0772123456' })).status,
    302,
  )
})

test('D6: who asks for the state of what is not there is a visitor like others', async () => {
  const [link, address] = [await newLink(), newAddress()]
  for (let nth = 0; nth < PAGES; nth += 1)
    assert.equal((await guest(service, address).get(`/pay/${link}${nth}/status.json`)).status, 404)
  assert.equal((await guest(service, address).get(`/pay/${link}x/status.json`)).status, 429)
  assert.equal((await guest(service, address).get(`/pay/${link}`)).status, 429)
  assert.equal((await guest(service, address).get(`/pay/${link}/status.json`)).status, 200, 'a page that waits goes on')
})

test('D6: what counts no more goes, and no address stands in the database', async () => {
  await fail(service, '192.0.2.77')
  const rows = await service.rows<{ text: string }>('select w::text as text from directory.address_windows w')
  assert.ok(rows.length > 0)
  assert.ok(rows.every(({ text }) => !text.includes('192.0.2')))
  clock.advance(3 * 60 * MINUTE)
  await service.gateway.addressCounts.forget(clock.now())
  assert.deepEqual(await service.rows('select 1 from directory.address_windows'), [])
})

test('D6: where nobody can count together, each process counts alone and nothing else is refused', async () => {
  const address = newAddress()
  await service.rows('alter table directory.address_windows rename to away')
  try {
    for (const at of [service, other]) {
      for (let nth = 0; nth < LIMIT; nth += 1) assert.equal((await fail(at, address)).status, 401)
      assert.equal((await fail(at, address)).status, 429)
    }
  } finally {
    await service.rows('alter table directory.away rename to address_windows')
  }
})

test('a log names the network of an address, and of what is no address nothing', () => {
  const named = ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8:1:2::9', '[2001:db8:1:2::9]:443', 'x'.repeat(90), '']
  assert.deepEqual(
    named.map((text) => toNetwork(toCountedAddress(text))),
    ['203.0.113.0/24', '203.0.113.0/24', '2001:db8:1::/48', '2001:db8:1::/48', 'unknown', 'unknown'],
  )
})
