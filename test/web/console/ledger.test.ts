import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'

// Not verified at the end: one head is edited.
const service = opened(() => startService())

test('the totals of all ledgers, and one merchant’s head beside the sum of its transfers, page by page', async () => {
  const finance = await operatorSignedIn(service, 'finance')
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  for (let nth = 0; nth < 30; nth += 1) await api.charge({ amount: 1000 + nth })
  service.pass(3000)
  await service.run('follow-charges')
  const all = await finance.get('/console/ledger')
  assert.equal(all.status, 200)
  assert.match(mainOf(all), /test 1 UGX 24,435/)
  const found = await finance.get(`/console/ledger?merchant=${merchant.handle}`)
  assert.equal(found.location, `/console/ledger/${merchant.handle}`)
  for (const [typed, path] of [
    ['🍲', '%F0%9F%8D%B2'],
    ['\u202Ex', '%E2%80%AEx'],
    ['../freeze?a=b', '..%2Ffreeze%3Fa%3Db'],
  ] as const) {
    const lost = await finance.get(`/console/ledger?${new URLSearchParams({ merchant: typed })}`)
    assert.deepEqual([lost.status, lost.location], [303, `/console/ledger/${path}`])
    assert.equal((await finance.follow(lost)).status, 404)
  }
  const one = await finance.get(`/console/ledger/${merchant.id}?mode=test`)
  assert.match(mainOf(one), /test available UGX 24,435 UGX 24,435 equal/)
  assert.match(mainOf(one), /60 charge_fee/)
  const older = /href="([^"]*below=11[^"]*)"/.exec(one.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  assert.match(mainOf(await finance.get(older)), /10 charge_fee/)
  assert.equal((await finance.get(`/console/ledger/${merchant.id}?below=x`)).status, 400)
  assert.equal((await finance.get('/console/ledger/nobody')).status, 404)
})

test('a head that was changed past its transfers is shown as different', async () => {
  const risk = await operatorSignedIn(service, 'risk')
  const merchant = await service.merchant()
  await service.rows(
    `update ledger_heads set available = available + 5 where mode = 'test'
       and merchant_id = (select id from merchants where public_id = $1)`,
    [merchant.id],
  )
  assert.match(mainOf(await risk.get(`/console/ledger/${merchant.id}`)), /test available UGX 5 UGX 0 differs/)
})
