import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { addMachine, removeMachine } from '../../../../src/selling/vending/machines/machines.ts'
import { syncMachines } from '../../../../src/selling/vending/machines/sync-machines.ts'
import { setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { startSupplier } from '../../../fakes/supplier.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const MACHINES = '/v1/vending/machines'
const OFF = 'vending is not enabled for this merchant'
const UNKNOWN = 'machine not registered to this merchant'
const supplier = opened(() => startSupplier())
const service = openedAndVerified(() => startService({ env: { SUPPLIER_ALLOW_PRIVATE: supplier.place } }))

/** A merchant with vending on; `speaks`: whether its supplier is configured. */
async function vendor({ speaks = true, vending = true } = {}) {
  const made = await service.merchant({ vending, verified: true })
  const { merchant } = await getMerchantNamed(service.gateway, made.id)
  if (speaks) await setVending(service.app, BY_HAND, { merchant, change: { supplier: supplier.access } })
  const place = (machine: string) => ({ merchantId: merchant.id, machine })
  return {
    made,
    merchant,
    test: service.client(made.keys.test),
    live: service.client(made.keys.live),
    collections: service.client(made.keys.test_collections),
    add: (machine: string, name: string | null = null) => addMachine(service.app, BY_HAND, { ...place(machine), name }),
    remove: (machine: string) => removeMachine(service.app, BY_HAND, place(machine)),
    sync: () => syncMachines(service.app, BY_HAND, merchant.id),
    order: (machine: string) =>
      service.client(made.keys.test).post('/v1/vending/orders', { machine, amount: 1000, goods: [{ spbh: '1' }] }),
  }
}
const listed = async (client: { get(path: string): Promise<any> }, query = '') =>
  (await client.get(`${MACHINES}${query}`)).body
const listing = (data: object[]) => supplier.answers('machines', { code: '1', data })

test('machines are listed newest first, page by page, the same in both modes and for both kinds of key', async () => {
  const { test: api, live, collections, add } = await vendor()
  assert.deepEqual(await listed(api), { object: 'list', data: [], has_more: false, next_cursor: null })
  for (const machine of ['A-1', 'A-3', 'A-2', 'Z']) {
    service.pass(10)
    await add(machine, machine === 'Z' ? null : `Machine ${machine}`)
  }
  const { data } = await listed(api)
  assert.deepEqual(
    data.map(({ machine, name }: any) => [machine, name]),
    [
      ['Z', 'Z'],
      ['A-2', 'Machine A-2'],
      ['A-3', 'Machine A-3'],
      ['A-1', 'Machine A-1'],
    ],
  )
  const { created_at, ...first } = data[2]
  assert.match(created_at, /^\d{4}-.*\.\d{3}Z$/)
  assert.deepEqual(first, {
    machine: 'A-3',
    name: 'Machine A-3',
    address: null,
    category: null,
    type: null,
    latitude: null,
    longitude: null,
    active: true,
    registered: true,
    last_synced_at: null,
  })
  for (const client of [live, collections]) assert.deepEqual((await listed(client)).data, data)
  const page = await listed(api, '?limit=3')
  assert.deepEqual([page.data, page.has_more, page.next_cursor], [data.slice(0, 3), true, 'A-3'])
  const rest = await listed(api, '?limit=3&starting_after=A-3')
  assert.deepEqual([rest.data, rest.has_more, rest.next_cursor], [data.slice(3), false, null])
})

test("machines are not listed while vending is off or with an invalid cursor or limit; another merchant's machine is no cursor", async () => {
  const [own, stranger, off] = [await vendor(), await vendor(), await vendor({ vending: false })]
  await stranger.add('S-1')
  await off.add('M-1')
  for (const path of [MACHINES, `${MACHINES}/M-1/goods`]) {
    const { status, body } = await off.test.get(path)
    assert.deepEqual([status, body.error, body.code], [403, OFF, 'vending_disabled'])
  }
  for (const [query, text] of [
    ['?starting_after=S-1', 'invalid starting_after cursor'],
    ['?starting_after=nothing', 'invalid starting_after cursor'],
    ['?limit=0', 'limit must be an integer between 1 and 100'],
  ]) {
    const { status, body } = await own.test.get(`${MACHINES}${query}`)
    assert.deepEqual([status, body.error, body.code], [400, text, 'bad_request'])
  }
  assert.equal((await fetch(`${service.url}${MACHINES}`)).status, 401)
})

test('a machine that is added twice exists once; a removed one is gone, and comes back with its name', async () => {
  const { test: api, add, remove, order } = await vendor()
  await Promise.all([add('M-1', 'Gate'), add('M-1', 'Gate'), add('M-1', 'Gate')])
  assert.equal((await listed(api)).data.length, 1)
  assert.equal((await order('M-1')).status, 201)
  await remove('M-1')
  assert.deepEqual((await listed(api)).data, [])
  await assert.rejects(remove('M-1'), new RegExp(UNKNOWN))
  for (const reply of [await order('M-1'), await api.get(`${MACHINES}/M-1/goods`), await order('never')])
    assert.deepEqual([reply.status, reply.body.error, reply.body.code], [404, UNKNOWN, 'not_found'])
  await add('M-1')
  assert.equal((await listed(api)).data[0].name, 'Gate')
  await add('M-1', 'Main gate')
  assert.equal((await listed(api)).data[0].name, 'Main gate')
  assert.equal((await order('M-1')).status, 201)
})

test('a number with blanks around it is the same machine, when it is added, named and removed', async () => {
  const { test: api, add, remove, order, merchant } = await vendor()
  assert.equal((await add(' M-1 ')).machine, 'M-1')
  assert.equal((await add('M-1\t')).machine, 'M-1')
  assert.equal((await listed(api)).data.length, 1)
  for (const machine of ['M-1', 'M-1 ', ' M-1']) assert.equal((await order(machine)).body.machine, 'M-1')
  // One that an earlier release has registered with its blank is found under it.
  await service.rows(
    `insert into machines (merchant_id, machine, name, created_at) values ($1, 'M-1 ', 'old', now())`,
    [merchant.id],
  )
  assert.equal((await order('M-1 ')).body.machine, 'M-1 ')
  assert.equal((await order(' M-1')).body.machine, 'M-1')
  assert.equal((await remove('M-1 ')).machine, 'M-1 ')
  assert.equal((await remove('M-1 ')).machine, 'M-1')
})

test('a machine needs a number and a name that can be displayed', async () => {
  const { add, remove } = await vendor()
  for (const machine of ['', '  ', 'x'.repeat(65), 'a\nb', 'a\0b'])
    await assert.rejects(add(machine), /invalid request: machine must be 1 to 64 characters/)
  await assert.rejects(add('M', 'x'.repeat(201)), /name must be 1 to 200 characters/)
  await assert.rejects(remove('a\0b'), new RegExp(UNKNOWN))
  assert.equal((await add('x'.repeat(64), 'x'.repeat(200))).name.length, 200)
})

const ROW = {
  jqbh: 1707100001,
  jqmc: ' Gate ',
  jqlb: 'drinks',
  jqlx: 'X2',
  dwmc: 'Kampala Road',
  dwwd: 0.3,
  dwjd: '32.5',
}

test('a synchronisation adds, updates and marks missing machines; nothing is deleted', async () => {
  const { test: api, add, remove, sync, order, merchant } = await vendor()
  await add('BY-HAND')
  await add('GONE')
  listing([ROW, { jqbh: 'B', jqmc: '' }, { jqbh: 'GONE' }, { jqmc: 'no number' }, { jqbh: 'x'.repeat(65) }])
  assert.deepEqual(await sync(), { listed: 3, added: 2, updated: 1, inactive: 0, ignored: 2 })
  assert.deepEqual(supplier.questions.at(-1)?.body, { shbh: 'M1' })
  const gate = (await listed(api)).data.find(({ machine }: any) => machine === '1707100001')
  assert.ok(gate.last_synced_at !== null && gate.created_at !== null)
  assert.deepEqual(
    [gate.name, gate.category, gate.type, gate.address, gate.latitude, gate.longitude, gate.registered],
    ['Gate', 'drinks', 'X2', 'Kampala Road', '0.3', '32.5', true],
  )
  await remove('GONE')
  // One bare object instead of a list; the code may be a number.
  supplier.answers('machines', { code: 1, data: { jqbh: 'B', jqmc: 'Backyard' } })
  assert.deepEqual(await sync(), { listed: 1, added: 0, updated: 1, inactive: 1, ignored: 0 })
  const after = (await listed(api)).data
  assert.deepEqual(after.map(({ machine, name, active }: any) => [machine, name, active]).sort(), [
    ['1707100001', 'Gate', false],
    ['B', 'Backyard', true],
    ['BY-HAND', 'BY-HAND', true],
  ])
  assert.equal((await order('1707100001')).status, 404, 'an inactive machine cannot be ordered from')
  assert.equal((await order('BY-HAND')).status, 201)
  listing([ROW, { jqbh: 'B' }, { jqbh: 'GONE' }])
  assert.deepEqual(await sync(), { listed: 3, added: 0, updated: 3, inactive: 0, ignored: 0 })
  assert.equal((await order('1707100001')).status, 201)
  assert.equal((await order('GONE')).status, 404, 'what a person has removed, a person adds again')
  listing([])
  assert.equal((await sync()).inactive, 2)
  const [{ count }] = (await service.rows('select count(*)::int as count from machines where merchant_id = $1', [
    merchant.id,
  ])) as any
  assert.equal(count, 4)
})

test('a supplier that does not answer clearly changes nothing', async () => {
  const { test: api, sync } = await vendor()
  listing([ROW])
  await sync()
  const before = await listed(api)
  const answers = [
    { code: '0', message: 'no' },
    { code: '0', data: [] },
    { code: '1' },
    { code: '1', data: null },
    { data: [] },
    '<h1>maintenance</h1>',
    '',
    '[]',
    { code: '1', data: 'none' },
  ]
  for (const answer of answers) {
    supplier.answers('machines', answer)
    await assert.rejects(sync(), {
      message: 'machine supplier unavailable',
      status: 502,
      code: 'supplier_error',
    })
  }
  assert.deepEqual(await listed(api), before)
  const unconfigured = await vendor({ speaks: false })
  await assert.rejects(unconfigured.sync(), {
    message: 'machine supplier is not configured for this merchant',
    code: 'supplier_not_configured',
  })
})

test('two synchronisations at once have the result of one', async () => {
  const { test: api, sync } = await vendor()
  listing(Array.from({ length: 300 }, (_, index) => ({ jqbh: `M-${(index * 7) % 300}` })))
  const done = await Promise.all([sync(), sync(), sync()])
  assert.equal(
    done.reduce((sum, { added }) => sum + added, 0),
    300,
  )
  // All were made at one moment, and the pages neither skip nor repeat any.
  const seen: string[] = []
  for (let after = ''; ; ) {
    const page = await listed(api, `?limit=70${after}`)
    seen.push(...page.data.map(({ machine }: any) => machine))
    if (!page.has_more) break
    after = `&starting_after=${page.next_cursor}`
  }
  assert.equal(new Set(seen).size, 300)
  assert.deepEqual(seen, [...seen].sort().reverse())
})
