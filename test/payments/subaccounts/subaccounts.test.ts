import assert from 'node:assert/strict'
import test from 'node:test'
import { addSubaccounts, balanceOfSubaccount, setStatus } from '../../helpers/payments/splits.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = opened(() => startService())

const SUBACCOUNTS = '/v1/subaccounts'

test('a subaccount is made active, with its phone in the stored form, and looks the same everywhere', async () => {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  const made = await api.post(SUBACCOUNTS, {
    name: ' Farm & Söhne ',
    payout_phone: '+256 (700) 000-000',
    external_ref: 'r'.repeat(255),
    colour: 'unknown fields are ignored',
  })
  assert.equal(made.status, 201)
  const { id, created_at } = made.body
  assert.match(id, /^sub_[a-z0-9]{21}$/)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(made.body, {
    id,
    name: ' Farm & Söhne ',
    external_ref: 'r'.repeat(255),
    payout_phone: '256700000000',
    status: 'active',
    created_at,
  })
  const byId = await api.get(`${SUBACCOUNTS}/${id}`)
  assert.deepEqual(byId.body, {
    ...made.body,
    balances: [{ currency: 'UGX', available: 0, pending: 0, total: 0 }],
  })
  const list = await api.get(SUBACCOUNTS)
  assert.deepEqual(list.body, { object: 'list', data: [made.body], has_more: false, next_cursor: null })
})

test('omitted fields are null, and a reference may be used twice', async () => {
  const api = service.client((await service.merchant()).keys.test)
  const bare = await api.post(SUBACCOUNTS, { name: 'Farm', payout_phone: null, external_ref: ' ' })
  assert.equal(bare.body.payout_phone, null)
  assert.equal(bare.body.external_ref, null)
  for (let count = 0; count < 2; count += 1)
    assert.equal((await api.post(SUBACCOUNTS, { name: 'Farm', external_ref: 'twice' })).status, 201)
})

test('the list is newest first, page by page, the same in both modes, and only for its own merchant', async () => {
  const merchant = await service.merchant()
  const inTest = service.client(merchant.keys.test)
  const inLive = service.client(merchant.keys.live)
  await addSubaccounts(service.client((await service.merchant()).keys.test), 'Of another merchant')
  const made = [
    ...(await addSubaccounts(inTest, 'A', 'B')),
    ...(await addSubaccounts(inLive, 'C')),
    ...(await addSubaccounts(inTest, 'D', 'E')),
  ]
  for (const api of [inTest, inLive]) {
    const walked: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 3; pages += 1) {
      const { body } = await api.get(`${SUBACCOUNTS}?limit=2${cursor}`)
      walked.push(...body.data.map((one: any) => one.id))
      assert.equal(body.has_more, pages < 2)
      assert.equal(body.next_cursor, pages < 2 ? walked.at(-1) : null)
      cursor = `&starting_after=${body.next_cursor}`
    }
    assert.deepEqual(new Set(walked), new Set(made))
    const rows = (await api.get(SUBACCOUNTS)).body.data
    assert.deepEqual(
      rows.map((row: any) => row.id),
      walked,
    )
    const newestFirst = [...rows].sort((a: any, b: any) =>
      a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1,
    )
    assert.deepEqual(rows, newestFirst)
  }
})

test('one subaccount has separate balances in each mode', async () => {
  const merchant = await service.merchant()
  const inTest = service.client(merchant.keys.test)
  const [id = ''] = await addSubaccounts(inTest, 'Farm')
  await inTest.charge({ split: [{ subaccount: id, amount: 1000 }] })
  service.pass(2000)
  await service.run('follow-charges')
  assert.deepEqual(await balanceOfSubaccount(inTest, id), [1000, 0])
  assert.deepEqual(await balanceOfSubaccount(service.client(merchant.keys.live), id), [0, 0])
})

test('a deactivated subaccount is shown as such, and takes shares again once it is active', async () => {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  const [id = ''] = await addSubaccounts(api, 'Farm')
  const split = [{ subaccount: id, amount: 100 }]
  await setStatus(service, merchant, { id, status: 'inactive' })
  assert.equal((await api.get(`${SUBACCOUNTS}/${id}`)).body.status, 'inactive')
  assert.equal((await api.charge({ split })).status, 400)
  await setStatus(service, merchant, { id, status: 'active' })
  assert.equal((await api.charge({ split })).status, 201)
})

test('a status can be set only for a subaccount of that merchant', async () => {
  const merchant = await service.merchant()
  const other = await service.merchant()
  const [id = ''] = await addSubaccounts(service.client(other.keys.test), 'Farm')
  await assert.rejects(setStatus(service, merchant, { id, status: 'inactive' }), /subaccount not found/)
  assert.equal((await service.client(other.keys.test).get(`${SUBACCOUNTS}/${id}`)).body.status, 'active')
})
