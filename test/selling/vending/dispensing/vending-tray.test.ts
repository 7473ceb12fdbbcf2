import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { addMachine } from '../../../../src/selling/vending/machines/machines.ts'
import { newHttpSupplier } from '../../../../src/selling/vending/suppliers/http-supplier.ts'
import { setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { startSupplier } from '../../../fakes/supplier.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const MACHINES = '/v1/vending/machines'
const supplier = opened(() => startSupplier())
const service = opened(() => startService({ env: { SUPPLIER_ALLOW_PRIVATE: supplier.place } }))

/** A merchant with vending on; `speaks`: whether its supplier is configured. */
async function vendor({ speaks = true } = {}) {
  const made = await service.merchant({ vending: true })
  const { merchant } = await getMerchantNamed(service.gateway, made.id)
  if (speaks) await setVending(service.app, BY_HAND, { merchant, change: { supplier: supplier.access } })
  return {
    test: service.client(made.keys.test),
    live: service.client(made.keys.live),
    add: (machine: string) => addMachine(service.app, BY_HAND, { merchantId: merchant.id, machine, name: null }),
  }
}

test('test keys see the simulated tray, and only of registered machines', async () => {
  const { test: api, add } = await vendor({ speaks: false })
  await add('M-1')
  const asked = supplier.questions.length
  const { status, body } = await api.get(`${MACHINES}/M-1/goods`)
  assert.equal(status, 200)
  const slot = (number: string, spmc: string, spdj: number) => ({
    slot: number,
    spbh: number,
    spmc,
    spdj,
    stock: 10,
    capacity: 10,
    active: true,
    raw: {},
  })
  assert.deepEqual(body, {
    machine: 'M-1',
    mode: 'test',
    count: 3,
    as_of: body.as_of,
    goods: [slot('1', 'Water', 1000), slot('2', 'Soda', 2000), slot('3', 'Snack', 3000)],
  })
  assert.ok(Math.abs(body.as_of - service.clock.nowMs() / 1000) < 5)
  for (const machine of ['M-2', '%00', 'tallies', 'x'.repeat(200)])
    assert.equal((await api.get(`${MACHINES}/${machine}/goods`)).status, 404, machine)
  assert.equal(supplier.questions.length, asked)
})

test("live keys see the supplier's current answer, every row in one form", async () => {
  const { live, add } = await vendor()
  await add('M 1/ü')
  const path = `${MACHINES}/${encodeURIComponent('M 1/ü')}/goods`
  supplier.answers('tray', {
    code: '1',
    data: [
      { hdbh: '11', spbh: 7, spmc: 'Water', spdj: '1000', kc: 3, hdrl: '8', zt: '1', expires: '2026-01-01' },
      { spbh: 'S', spdj: 1500.5, kc: -1, zt: 0 },
    ],
  })
  const { status, body } = await live.get(path)
  assert.equal(status, 200)
  assert.deepEqual([body.machine, body.mode, body.count], ['M 1/ü', 'live', 2])
  assert.deepEqual(body.goods, [
    {
      slot: '11',
      spbh: '7',
      spmc: 'Water',
      spdj: 1000,
      stock: 3,
      capacity: 8,
      active: true,
      raw: { expires: '2026-01-01' },
    },
    {
      slot: '2',
      spbh: 'S',
      spmc: 'S',
      spdj: null,
      stock: null,
      capacity: null,
      active: false,
      raw: {},
    },
  ])
  assert.deepEqual(supplier.questions.at(-1)?.body, { shbh: 'M1', jqbh: 'M 1/ü' })
  supplier.answers('tray', '<h1>maintenance</h1>')
  const away = await live.get(path)
  assert.deepEqual(
    [away.status, away.body.error, away.body.code],
    [502, 'machine supplier unavailable', 'supplier_error'],
  )
})

test('a live tray without a supplier is refused, after the machine was looked up', async () => {
  const { live, add } = await vendor({ speaks: false })
  await add('M-1')
  assert.equal((await live.get(`${MACHINES}/M-2/goods`)).status, 404)
  const { status, body } = await live.get(`${MACHINES}/M-1/goods`)
  assert.deepEqual(
    [status, body.error, body.code],
    [400, 'machine supplier is not configured for this merchant', 'supplier_not_configured'],
  )
})

test('a supplier is never called inside a transaction', async () => {
  const connected = supplier.connections()
  const speaking = newHttpSupplier(service.app, supplier.access)
  await assert.rejects(
    service.app.db.transaction(async () => ({ value: await speaking.machines() })),
    /inside a transaction/,
  )
  assert.equal(supplier.connections(), connected)
})

test("a machine's flag is read in the forms that suppliers use", async () => {
  const speaking = newHttpSupplier(service.app, supplier.access)
  const cases: [unknown, boolean | null][] = [
    [{ code: '1', data: { online: 1 } }, true],
    [{ code: 1, data: [{ state: '0' }] }, false],
    [{ code: '1', data: { online: 'perhaps' } }, null],
    [{ code: '0', message: 'no' }, null],
    ['<h1>maintenance</h1>', null],
  ]
  for (const [answer, online] of cases) {
    supplier.answers('state', answer)
    assert.equal(await speaking.online('M-1'), online)
  }
  assert.deepEqual(supplier.questions.at(-1)?.body, { shbh: 'M1', jqbh: 'M-1' })
})
