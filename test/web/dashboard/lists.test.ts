import assert from 'node:assert/strict'
import { parse } from 'csv-parse/sync'
import { hashPassword } from '../../../src/merchants/people/factors/password-pool.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { formOf, hasForm } from '../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs } from '../../helpers/web/dashboard.ts'

const service = opened(() => startService())
const shop = made(() => service.merchant())
const LIST = '/dashboard/test/charges'

async function decided() {
  service.pass(3000)
  await service.run('follow-charges')
}

const download = async (person: Planted, address: string) => {
  const path = address.split('?', 1)[0] ?? ''
  const reply = await person.send(await person.get(address), `${path}/export`, { for: 'programs' })
  assert.equal(reply.status, 200, reply.text)
  const rows: Record<string, string>[] = parse(reply.text, { columns: true, bom: false })
  return { reply, rows }
}

/** So many charges of a merchant that were paid, written at once; three in a row have one time. */
const plant = async (merchant: { id: string }, count: number) => {
  const [row] = await service.rows<{ id: number; tag: string }>('select id, tag from merchants where public_id = $1', [
    merchant.id,
  ])
  await service.rows(
    `insert into charges (merchant_id, id, mode, status, amount, fee, channel, reference, rail_reference, rail_transaction_id,
       created_at, completed_at, hold_until)
     select $1::bigint, 'txn_' || $2::text || substr(md5(n::text), 1, 16), 'test', 'succeeded', 1000, 200, 'op1_momo', 'BULK',
       md5(n::text)::uuid::text, n::text, at, at, at
     from (select n, $4::timestamptz - interval '1 second' * (n / 3) as at from generate_series(1, $3::int) n) s`,
    [row?.id, row?.tag, count, service.clock.now().toISOString()],
  )
}

test('a list says what its filtered rows come to', async () => {
  const own = await service.merchant()
  const owner = await signedInAs(service, own)
  const client = service.client(own.keys.test)
  for (const phone of ['0700000000', '0700000000', '0700000001'])
    await client.charge({ amount: 10_000, reference: 'A', customer: { phone } })
  await client.charge({ amount: 7000, reference: 'B' })
  await decided()
  const says = async (query: string) =>
    /<p class="totals">(.*?)<\/p>/s
      .exec((await owner.get(`${LIST}${query}`)).text)?.[1]
      ?.replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
  const { body } = await client.get('/v1/charges')
  const fees = (reference: string) =>
    body.data
      .filter((one: any) => one.status === 'succeeded' && (reference === '' || one.reference === reference))
      .reduce((sum: number, one: any) => sum + one.fee, 0)
  assert.equal(await says(''), `4 rows 3 paid: UGX 27,000 fees: UGX ${fees('')} 1 not paid or under way: UGX 10,000`)
  assert.equal(
    await says('?reference=A'),
    `3 rows 2 paid: UGX 20,000 fees: UGX ${fees('A')} 1 not paid or under way: UGX 10,000`,
  )
  assert.equal(await says('?status=failed'), '1 row 1 not paid or under way: UGX 10,000')
  assert.equal(await says('?phone=0700000001&status=succeeded'), undefined)
  assert.equal(await says('?email=nobody%40example.com'), undefined)
  await plant(own, 9996)
  assert.equal(await says('?reference=BULK'), '9,996 rows 9,996 paid: UGX 9,996,000 fees: UGX 1,999,200')
  assert.match((await says('')) ?? '', /^10,000 rows/)
  await client.charge({ amount: 7000 })
  assert.equal(await says(''), 'More than 10,000 rows Narrow the filters to see what they come to.')
})

longTest('a file holds exactly what the list shows, each row once, also of many pieces and equal times', async () => {
  const many = await service.merchant()
  await plant(many, 2501)
  await service.client(many.keys.test).charge({ amount: 7000, reference: 'other' })
  const owner = await signedInAs(service, many)
  const { rows } = await download(owner, `${LIST}?reference=BULK`)
  assert.equal(rows.length, 2501)
  assert.equal(new Set(rows.map(({ id }) => id)).size, 2501)
  const times = rows.map(({ created_at }) => created_at ?? '')
  assert.deepEqual(times, times.toSorted().reverse())
  assert.equal((await download(owner, LIST)).rows.length, 2502)
  assert.equal((await download(owner, `${LIST}?status=authorized`)).rows.length, 1)
})

test('amounts are digits, phones have no plus, and no cell is a formula', async () => {
  const own = await service.merchant()
  const owner = await signedInAs(service, own)
  const references = ['=1+1', '+256', '-2', '@cmd', '\u200b =1+1', 'a,"b"']
  for (const reference of references) await service.client(own.keys.test).charge({ amount: 5000, reference })
  const { reply, rows } = await download(owner, LIST)
  assert.deepEqual(rows.map(({ reference }) => reference).reverse(), [
    "'=1+1",
    "'+256",
    "'-2",
    "'@cmd",
    "'\u200b =1+1",
    'a,"b"',
  ])
  assert.ok(rows.every(({ amount, phone }) => amount === '5000' && phone === '256700000000'))
  assert.match(
    reply.headers.get('content-disposition') ?? '',
    /^attachment; filename="charges-test-\d{4}-\d\d-\d\d-for-programs\.csv"$/,
  )
  assert.match(reply.headers.get('content-type') ?? '', /^text\/csv/)
  // The client takes the byte order mark away.
  assert.equal(Number(reply.headers.get('content-length')), Buffer.byteLength(reply.text) + 3)
})

test('a file of payouts has those of its merchant and mode alone, and the audit tells of it', async () => {
  const owner = await signedInAs(service, shop)
  const client = service.client(shop.keys.test)
  await owner.send(await owner.get('/dashboard/test'), '/funds', { amount: '1,000,000' })
  for (const reference of ['one', 'two'])
    await client.post('/v1/payouts', { amount: 5000, recipient: { phone: '0772000000' }, reference })
  const { rows } = await download(owner, '/dashboard/test/payouts?reference=two')
  assert.deepEqual(
    rows.map(({ reference, amount, recipient_phone }) => [reference, amount, recipient_phone]),
    [['two', '5000', '256772000000']],
  )
  const other = await signedInAs(service, await service.merchant())
  assert.ok(!hasForm(await other.get('/dashboard/test/payouts'), '/export'))
  assert.ok(!hasForm(await owner.get('/dashboard/payouts'), '/export'))
  const [act] = await service.rows(
    `select actor, mode, subject, after from audit where action = 'export' and subject = 'payouts'`,
  )
  assert.deepEqual(act, { actor: owner.email, mode: 'test', subject: 'payouts', after: { reference: 'two' } })
})

test('links, orders and settlements become files too, and say how many they are', async () => {
  const own = await service.merchant({ vending: true })
  const owner = await signedInAs(service, own)
  const client = service.client(own.keys.test)
  for (const reference of ['L-1', 'L-2'])
    await client.post('/v1/payment-links', { amount: 5000, description: '=soda', reference })
  await owner.send(await owner.get('/dashboard/test/vending/add'), '/vending/add', { machine: 'M-1', name: '' })
  const order = { machine: 'M-1', amount: 3000, goods: [{ spbh: '1', spmc: 'Soda', spdj: 3000 }] }
  const made = await client.post('/v1/vending/orders', order)
  assert.equal(made.status, 201, made.text)
  await client.charge({ amount: 10_000 })
  await decided()
  const links = await download(owner, '/dashboard/test/links?reference=L-2')
  assert.deepEqual(
    links.rows.map(({ reference, description, status }) => [reference, description, status]),
    [['L-2', "'=soda", 'pending']],
  )
  assert.match(mainOf(await owner.get('/dashboard/test/links')), /2 rows/)
  const orders = await download(owner, '/dashboard/test/orders?machine=M-1')
  assert.deepEqual(
    orders.rows.map(({ id, machine, products, payment_status }) => [id, machine, products, payment_status]),
    [[made.body.order_id, 'M-1', 'Soda', 'unpaid']],
  )
  const settlements = await download(owner, '/dashboard/test/wallet/settlements')
  assert.deepEqual(
    settlements.rows.map(({ amount, charge_count }) => [amount, charge_count]),
    [['9800', '1']],
  )
})

test('a file takes the list out of the house: it wants the factor, and a refusal keeps the filters', async () => {
  await service.client(shop.keys.test).charge({ reference: 'kept' })
  const owner = await signedInAs(service, shop, { steppedUpMs: 3_600_000 })
  const hash = await hashPassword('four words of mine')
  await service.rows('update people set password = $2 where id = $1', [owner.personId, hash])
  const page = await owner.get(`${LIST}?reference=kept`)
  const refused = await owner.send(page, `${LIST}/export`)
  assert.equal(refused.status, 400)
  assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
  assert.equal(formOf(refused, `${LIST}/export`).fields.reference, 'kept')
  const sent = await owner.send(refused, `${LIST}/export`, { confirm: 'four words of mine', for: 'programs' })
  assert.equal(sent.status, 200, sent.text)
  const rows: Record<string, string>[] = parse(sent.text, { columns: true, bom: false })
  assert.deepEqual([...new Set(rows.map(({ reference }) => reference))], ['kept'])
  // The page stays where it is: its forms go on working.
  assert.equal((await owner.send(refused, `${LIST}/export`)).status, 200)
})

test('who only reads gets no file', async () => {
  await service.client(shop.keys.test).charge()
  const viewer = await signedInAs(service, shop, { role: 'viewer' })
  const page = await viewer.get(LIST)
  assert.ok(!hasForm(page, '/export'))
  const csrf = page.forms.find(({ fields }) => fields.csrf !== undefined)?.fields.csrf ?? ''
  assert.equal((await viewer.post(`${LIST}/export`, { csrf })).status, 403)
})

test('a person keeps filters under a name, for themselves and this mode, and removes them', async () => {
  const owner = await signedInAs(service, shop)
  const filtered = `${LIST}?status=failed&reference=two`
  const saved = await owner.send(await owner.get(filtered), '/views/charges/save', { name: '  Lost  ' })
  const shown = await owner.follow(saved)
  assert.match(mainOf(shown), /The view Lost is saved\./)
  assert.equal(saved.location, filtered)
  const plain = await owner.get(LIST)
  assert.match(plain.text, /href="\/dashboard\/test\/charges\?status=failed&amp;reference=two"[^>]*>Lost</)
  for (const elsewhere of [
    await owner.get('/dashboard/charges'),
    await owner.get('/dashboard/test/payouts'),
    await (await signedInAs(service, shop, { role: 'accountant' })).get(LIST),
  ])
    assert.doesNotMatch(elsewhere.text, />Lost</)
  const removed = await owner.follow(await owner.send(await owner.get(filtered), '/remove'))
  assert.match(mainOf(removed), /The view is removed\./)
  assert.doesNotMatch(removed.text, />Lost</)
})

test('views are few, have names, and lead nowhere but to their list', async () => {
  const owner = await signedInAs(service, shop)
  const save = (name: string, fields = {}) =>
    owner.get(`${LIST}?status=failed`).then((page) => owner.send(page, '/views/charges/save', { name, ...fields }))
  for (let nth = 0; nth < 20; nth += 1)
    assert.equal((await save(`View ${nth}`, { query: `reference=${nth}` })).status, 303)
  assert.match(mainOf(await save('One more', { query: 'reference=20' })), /there are 20 views of this list already/)
  assert.equal((await save('View 7', { query: 'reference=new' })).location, `${LIST}?reference=new`)
  assert.match(mainOf(await save('   ', { query: 'reference=20' })), /Name of this view: fill this in/)
  const odd = await save('View 8', { query: '//evil.example/?x=<b>"' })
  assert.match(odd.location, /^\/dashboard\/test\/charges\?%2F%2Fevil/)
})
