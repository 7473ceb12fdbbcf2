import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysToCount } from '../../../src/reports/tallies/tally-days.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const DAY_MS = 86_400_000
const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant({ verified: true }))

async function decided() {
  service.pass(3000)
  await service.run('follow-charges')
}

test('Home adds up today and the days before, also when the days were counted long ago', async () => {
  const owner = await signedInAs(service, shop)
  const client = service.client(shop.keys.test)
  for (const phone of ['0700000000', '0700000000', '0700000001', '0700000003'])
    await client.charge({ amount: 10_000, customer: { phone } })
  await decided()
  const now = mainOf(await owner.get('/dashboard/test'))
  assert.match(now, /Came in today UGX 20,000 2 payments .*Success rate 50\.0 % of 4 that have ended/)
  assert.match(now, /1 too little money 1 no PIN in time/)
  await service.run('tally-days')
  service.pass(2 * DAY_MS)
  await service.rows(`update directory.sessions set seen_at = $1, ends_at = $1::timestamptz + interval '1 hour'`, [
    service.clock.now().toISOString(),
  ])
  await service.run('tally-days')
  await client.charge({ amount: 5000 })
  await decided()
  const later = mainOf(await owner.get('/dashboard/test'))
  assert.match(later, /Came in today UGX 5,000 1 payment .*Last 30 days UGX 25,000 3 payments .*60\.0 % of 5/)
  assert.doesNotMatch(mainOf(await owner.get('/dashboard')), /UGX 25,000/)
})

test('a charge that ends days after it was made is counted on its own day', async () => {
  const late = await service.merchant()
  const client = service.client(late.keys.test)
  await client.charge({ amount: 7000 })
  await service.run('tally-days')
  service.pass(3 * DAY_MS)
  await service.run('follow-charges')
  await service.run('tally-days')
  const owner = await signedInAs(service, late)
  assert.match(
    mainOf(await owner.get('/dashboard/test')),
    /Came in today UGX 0 0 payments .*Last 30 days UGX 7,000 1 payment/,
  )
})

test('the days that may have changed: today, in the night yesterday, each morning the last week', () => {
  const noon = new Date('2026-11-22T09:00:00Z')
  assert.deepEqual(daysToCount(new Date('2026-11-22T08:59:00Z'), noon), ['2026-11-22'])
  const night = new Date('2026-11-21T22:00:00Z')
  assert.deepEqual(daysToCount(new Date('2026-11-21T21:59:00Z'), night), ['2026-11-21', '2026-11-22'])
  assert.equal(daysToCount(new Date('2026-11-21T20:00:00Z'), noon).length, 8)
  assert.equal(daysToCount(new Date('2026-11-11T20:00:00Z'), noon).length, 18)
  assert.equal(daysToCount(null, noon).length, 32)
})

test('Home says what waits for somebody, and where it is dealt with', async () => {
  const own = await service.merchant()
  const owner = await signedInAs(service, own)
  assert.doesNotMatch(mainOf(await owner.get('/dashboard/test')), /Needs you/)
  await service.set(own, { kycStatus: 'rejected' })
  const page = await owner.get('/dashboard')
  assert.match(mainOf(page), /Needs you Your verification was rejected/)
  assert.match(page.text, /href="\/dashboard\/verification"/)
})

test('the search finds an id, a reference, a phone and an amount, in its own mode and merchant alone', async () => {
  const owner = await signedInAs(service, shop)
  const client = service.client(shop.keys.test)
  const { body: charge } = await client.charge({
    amount: 12_345,
    reference: 'ORDER-77',
    customer: { phone: '0772123456', email: 'ann@buyer.example' },
  })
  await decided()
  const find = (text: string, base = '/dashboard/test', person = owner) =>
    person.get(`${base}/search?q=${encodeURIComponent(text)}`)
  const there = `/dashboard/test/charges/${charge.id}`
  for (const text of [charge.id, 'ORDER-77', '0772 123456', '+256772123456', 'ANN@buyer.example', 'UGX 12,345'])
    assert.equal((await find(text)).location, there, text)
  assert.match(mainOf(await find('nothing such')), /Nothing here has nothing such\./)
  assert.equal((await find('ORDER-77', '/dashboard')).status, 200)
  const stranger = await signedInAs(service, await service.merchant())
  for (const text of [charge.id, 'ORDER-77', '0772123456'])
    assert.equal((await find(text, '/dashboard/test', stranger)).status, 200, text)
  assert.match(mainOf(await find('<script>alert(1)</script>')), /<script>alert\(1\)<\/script>/)
})
