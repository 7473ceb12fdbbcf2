import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { made, opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { unescaped } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = opened(() => startService())
const shop = made(() => service.merchant())
const CHARGES = '/dashboard/test/charges'
const PAYOUTS = '/dashboard/test/payouts'
const DAY_MS = 86_400_000

async function decided() {
  service.pass(3000)
  for (const sweep of ['follow-charges', 'send-payouts']) await service.run(sweep)
}

/** The ids of the rows that a page of the list shows. */
const idsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/\/(?:charges|payouts)\/((?:txn|pout)_[a-z0-9]+)"/g)].map(([, id]) => id ?? '')),
]

test('charges are found by a part of a number, a reference or an e-mail, by amount, reason and channel, and its file has the same', async () => {
  const api = service.client(shop.keys.test)
  const charge = async (amount: number, reference: string, customer: object) =>
    (await api.charge({ amount, reference, customer })).body.id as string
  const cement = await charge(50_000, 'Cement, 2 bags', { phone: '0772123456' })
  const nails = await charge(7500, 'Nails', { phone: '0701555000', email: 'Akello@shop.example' })
  const poor = await charge(900, 'INV%_1', { phone: '0700000001' })
  await decided()
  const owner = await signedInAs(service, shop)
  const found = async (query: string) => idsOf((await owner.get(`${CHARGES}?${query}`)).text)
  const cases: readonly [query: string, ids: readonly string[]][] = [
    ['part=cement', [cement]],
    ['part=0772', [cement]],
    ['part=123456', [cement]],
    ['part=AKELLO', [nails]],
    ['part=%25_', [poor]],
    ['part=nobody', []],
    ['amount_from=7%2C500', [nails, cement]],
    ['amount_until=UGX+900', [poor]],
    ['amount_from=901&amount_until=7500', [nails]],
    ['reason=insufficient_funds', [poor]],
    ['channel=op1_momo', [poor, nails, cement]],
    ['channel=card', []],
    ['status=succeeded&part=a', [nails, cement]],
  ]
  for (const [query, ids] of cases) assert.deepEqual(await found(query), ids, query)
  const page = await owner.get(`${CHARGES}?part=cement`)
  assert.match(mainOf(page), /Filters: 1 in use.*1 row 1 paid: UGX 50,000/)
  const file = await owner.send(page, '/charges/export', { for: 'programs' })
  assert.deepEqual(
    parse(file.text, { columns: true, bom: false }).map((row: any) => row.id),
    [cement],
  )
  for (const query of ['amount_from=lots', 'reason=bad_luck', 'channel=cash', 'period=ever', 'earlier=noon']) {
    const refused = await owner.get(`${CHARGES}?${query}`)
    assert.equal(refused.status, 400, query)
  }
})

test('a period is one tap: today and yesterday end at midnight in Kampala, and days of one’s own go before it', async () => {
  const own = await service.merchant()
  const api = service.client(own.keys.test)
  const { body: old } = await api.charge({ amount: 1000 })
  service.pass(DAY_MS)
  const { body: young } = await api.charge({ amount: 2000 })
  const owner = await signedInAs(service, own)
  const found = async (query: string) => idsOf((await owner.get(`${CHARGES}?${query}`)).text)
  assert.deepEqual(await found('period=today'), [young.id])
  assert.deepEqual(await found('period=yesterday'), [old.id])
  assert.deepEqual(await found('period=7d'), [young.id, old.id])
  assert.deepEqual(await found('period=today&until=2020-01-01'), [])
  const page = await owner.get(`${CHARGES}?period=today&status=authorized`)
  assert.match(
    page.text,
    /href="[^"]*\?period=yesterday&amp;status=authorized"|status=authorized&amp;period=yesterday"/,
  )
  assert.match(mainOf(page), /Today, \d\d:\d\d|today, \d\d:\d\d/)
  assert.match(mainOf(await owner.get(`${CHARGES}?period=yesterday`)), /yesterday, \d\d:\d\d/)
})

test('what no index answers is looked for among the newest rows, says how far back, and goes on from there', async () => {
  const own = await service.merchant()
  const [row] = await service.rows<{ id: number; tag: string }>('select id, tag from merchants where public_id = $1', [
    own.id,
  ])
  await service.rows(
    `insert into charges (merchant_id, id, mode, status, amount, fee, channel, reference, rail_reference, rail_transaction_id,
       created_at, completed_at, hold_until)
     select $1::bigint, 'txn_' || $2::text || substr(md5(n::text), 1, 16), 'test', 'succeeded', 1000, 200, 'op1_momo',
       case when n = 5400 then 'The needle' else 'Hay' end, md5(n::text)::uuid::text, n::text, at, at, at
     from (select n, $3::timestamptz - interval '1 second' * n as at from generate_series(1, 5500) n) s`,
    [row?.id, row?.tag, service.clock.now().toISOString()],
  )
  const owner = await signedInAs(service, own)
  const page = await owner.get(`${CHARGES}?part=needle`)
  assert.match(mainOf(page), /Looked at the newest 5,000 rows, back to .*Look further back/)
  assert.deepEqual(idsOf(page.text), [])
  const further = unescaped(/href="([^"]*earlier=[^"]*)"/.exec(page.text)?.[1] ?? '')
  const older = await owner.get(further)
  assert.equal(idsOf(older.text).length, 1)
  assert.doesNotMatch(mainOf(older), /Look further back/)
  assert.equal(idsOf((await owner.get(`${CHARGES}?reference=The+needle`)).text).length, 1, 'an index finds it at once')
})

test('payouts are found by a part of a name, by what they were for and by why they came back', async () => {
  const api = service.client(shop.keys.test)
  const owner = await signedInAs(service, shop)
  await owner.send(await owner.get('/dashboard/test'), '/funds', { amount: '1,000,000' })
  const pay = async (phone: string, name: string) =>
    (await api.post('/v1/payouts', { amount: 5000, channel: 'op1_momo', recipient: { phone, name } })).body.id as string
  const james = await pay('0772000000', 'Okello James')
  const lost = await pay('0700000001', 'Nakato Sarah')
  await decided()
  await decided()
  const found = async (query: string) => idsOf((await owner.get(`${PAYOUTS}?${query}`)).text)
  assert.deepEqual(await found('part=okello'), [james])
  assert.deepEqual(await found('part=0772'), [james])
  assert.deepEqual(await found('reason=recipient_not_found'), [lost])
  assert.deepEqual(await found('kind=payout&amount_from=5000'), [lost, james])
  assert.deepEqual(await found('kind=refund'), [])
  assert.match(mainOf(await owner.get(`${PAYOUTS}?status=failed`)), /came back: no wallet on this number/)
})
