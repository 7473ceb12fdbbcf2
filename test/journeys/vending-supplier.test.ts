import assert from 'node:assert/strict'
import test from 'node:test'
import { findMerchant } from '../../src/merchants/set-merchant.ts'
import { readConfig } from '../../src/settings/config.ts'
import type { Claim } from '../../src/vending/dispensing/claim.ts'
import { addMachine } from '../../src/vending/machines/machines.ts'
import { httpSupplier } from '../../src/vending/suppliers/http-supplier.ts'
import { type SupplierAccess, setVending } from '../../src/vending/suppliers/vending-settings.ts'
import { type CommandHow, type FakeSupplier, startSupplier } from '../fakes/supplier.ts'
import { BY_HAND } from '../helpers/actors.ts'
import { succeed } from '../helpers/following-charges.ts'
import { newPayer, type Shop, startLiveService } from '../helpers/live-service.ts'
import { opened, openedAndVerified } from '../helpers/opened.ts'
import type { Client } from '../helpers/test-service.ts'
import { setProfile } from '../helpers/vending.ts'

const GOODS = [
  { spbh: 1, spmc: 'Water', spdj: 1000, kept: { as: ['it', 'is'] } },
  { spbh: 'A-2', spdj: '2500' },
]
const DEAD = '127.0.0.1:9'
const ACCEPTED = /^$/
const supplier = opened(() => startSupplier())
const other = opened(() => startSupplier({ key: 'other key', secret: 'other secret', shbh: 'M2' }))
const service = openedAndVerified(() =>
  startLiveService({
    env: { SUPPLIER_ALLOW_PRIVATE: [supplier.place, other.place, DEAD].join() },
    resolve: async (host) => {
      if (host === 'inside.shop.ug') return [{ address: '10.0.0.7', family: 4 }]
      throw new Error('ENOTFOUND')
    },
  }),
)

type Vendor = Shop & { merchantId: number; machines(...machines: string[]): Promise<void> }
async function vendor(access: SupplierAccess | null = supplier.access): Promise<Vendor> {
  const shop = await service.shop({ vending: true })
  const { merchant } = await findMerchant(service.gateway, shop.merchant.id)
  if (access !== null) await setVending(service.app, BY_HAND, { merchant, change: { supplier: access } })
  const machines = async (...numbers: string[]) => {
    for (const machine of numbers)
      await addMachine(service.app, BY_HAND, { merchantId: merchant.id, machine, name: null })
  }
  return { ...shop, merchantId: merchant.id, machines }
}

/** An order whose prompt has been sent; the operator has not said yet that it is paid. */
async function submitted(api: Client, machine: string, more: object = {}) {
  const made = await api.post('/v1/vending/orders', { machine, amount: 3500, goods: GOODS, ...more })
  assert.equal(made.status, 201, made.text)
  const { order_id: id } = made.body
  const phone = newPayer()
  const form = new URLSearchParams({ phone, channel: 'op1_momo' })
  const sent = await fetch(`${service.url}/pay/${id}/submit`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
  })
  assert.ok(sent.status < 400, await sent.text())
  const order = (await api.get(`/v1/vending/orders/${id}`)).body
  return { id: id as string, chargeId: order.charge_id as string, phone }
}
async function paid(api: Client, machine: string, more: object = {}) {
  const order = await submitted(api, machine, more)
  await succeed(service, order.chargeId)
  return order
}
const read = async (api: Client, id: string) => (await api.get(`/v1/vending/orders/${id}`)).body
const claimOf = async (id: string) =>
  (
    await service.rows<any>(
      'select state, supplier_code, supplier_message from dispense_claims where order_id = $1 order by attempt desc',
      [id],
    )
  )[0]
const commandsFor = (id: string) =>
  [...supplier.commands, ...other.commands].filter((one) => one.orderId === id)

const SAID = 'machine supplier refused the command: '
const DOUBT = /did not answer clearly/
type Row = [how: CommandHow, status: string, state: string, error: RegExp]
const ROWS: Row[] = [
  ['hang', 'dispensing', 'ambiguous', DOUBT],
  ['hang in the answer', 'dispensing', 'ambiguous', DOUBT],
  ['accept', 'dispensing', 'accepted', ACCEPTED],
  ['accept as number', 'dispensing', 'accepted', ACCEPTED],
  ['refuse', 'failed', 'released', new RegExp(`^${SAID}machine offline$`)],
  ['bad request', 'failed', 'released', new RegExp(`^${SAID}no such machine$`)],
  ['not found', 'failed', 'released', new RegExp(`^${SAID}HTTP 404$`)],
  ['echo', 'failed', 'released', new RegExp(`^${SAID}refused`)],
  ['error', 'dispensing', 'ambiguous', DOUBT],
  ['garbage', 'dispensing', 'ambiguous', DOUBT],
  ['list', 'dispensing', 'ambiguous', DOUBT],
  ['no code', 'dispensing', 'ambiguous', DOUBT],
  ['empty', 'dispensing', 'ambiguous', DOUBT],
  ['redirect', 'dispensing', 'ambiguous', DOUBT],
  ['cut', 'dispensing', 'ambiguous', DOUBT],
  ['too long', 'dispensing', 'ambiguous', DOUBT],
  ['reset after reading', 'dispensing', 'ambiguous', DOUBT],
]

test('every answer of a supplier is believed as far as it goes, and no command is ever sent twice', async () => {
  const { live, machines } = await vendor()
  await machines(...ROWS.map(([how]) => how))
  const orders = []
  for (const [how] of ROWS) {
    supplier.behave(how, how)
    orders.push(await submitted(live, how))
  }
  for (const { chargeId } of orders) await succeed(service, chargeId)
  const startedAt = performance.now()
  await service.run('dispense')
  await service.run('dispense')
  const seconds = (performance.now() - startedAt) / 1000
  assert.ok(seconds > 29 && seconds < 55, `a supplier that is silent is given 30 s, not ${seconds}`)
  for (const [index, [how, status, state, error]] of ROWS.entries()) {
    const { id } = orders[index] as { id: string }
    const order = await read(live, id)
    assert.equal(order.vending_status, status, how)
    assert.match(order.vending_error ?? '', error, how)
    assert.equal((await claimOf(id)).state, state, how)
    assert.equal(commandsFor(id).length, 1, how)
    assert.ok(commandsFor(id)[0]?.genuine, how)
    assert.doesNotMatch(order.vending_error ?? '', /supplier-key|s3cr3t/, 'secrets are shown to nobody')
  }
  service.pass(3_600_000)
  await service.run('dispense')
  service.pass(24 * 3_600_000)
  await service.run('dispense')
  for (const { id } of orders) assert.equal(commandsFor(id).length, 1)
})

test('a connection that is reset before a byte was read is ambiguous: who knows what was read', async () => {
  const { live, machines } = await vendor(other.access)
  await machines('R')
  const { id } = await paid(live, 'R')
  other.behave('reset before reading')
  await service.run('dispense')
  other.behave('accept')
  await service.run('dispense')
  assert.equal((await read(live, id)).vending_status, 'dispensing')
  assert.equal((await claimOf(id)).state, 'ambiguous')
  assert.equal(commandsFor(id).length, 0)
})

test('what was never sent has failed for certain, and the charge is free for another try', async () => {
  const at = (baseUrl: string) => ({ ...supplier.access, baseUrl })
  const cases: [SupplierAccess | null, RegExp][] = [
    [at(`http://${DEAD}`), /not reachable: connect$/],
    [at('https://nobody.shop.ug'), /not reachable: dns$/],
    [at('https://inside.shop.ug'), /its address is refused: private address$/],
  ]
  for (const [access, error] of cases) {
    const { live, machines, merchantId } = await vendor(access)
    await machines('M-1')
    const { id } = await paid(live, 'M-1')
    await service.run('dispense')
    const order = await read(live, id)
    assert.equal(order.vending_status, 'failed')
    assert.match(order.vending_error, error)
    assert.equal((await claimOf(id)).state, 'released')
    await setVending(service.app, BY_HAND, {
      merchant: { id: merchantId },
      change: { supplier: supplier.access },
    })
    const retried = await live.post(`/v1/vending/orders/${id}/dispense`)
    assert.deepEqual(
      [retried.status, retried.body.ok, retried.body.vending_status],
      [200, true, 'dispensing'],
    )
    assert.equal(commandsFor(id).length, 1)
  }
})

test('a merchant whose supplier was taken away after the payment has a failed order, not a lost one', async () => {
  const { live, machines, merchantId } = await vendor()
  await machines('M-1')
  const { id } = await paid(live, 'M-1')
  await service.rows('delete from vending_suppliers where merchant_id = $1', [merchantId])
  await service.run('dispense')
  const order = await read(live, id)
  assert.deepEqual(
    [order.vending_status, order.vending_error],
    ['failed', `${SAID}no supplier is configured`],
  )
  assert.equal(commandsFor(id).length, 0)
})

test('the command is exactly the one of the contract, signed by the supplier’s own secret', async () => {
  const { live, machines } = await vendor()
  await machines('1707100001')
  const { id, chargeId, phone } = await paid(live, '1707100001')
  await service.run('dispense')
  const [command] = commandsFor(id)
  assert.ok(command?.genuine)
  const { timestamp, sign, ...rest } = command.body
  assert.deepEqual(rest, {
    orderDTO: {
      payType: '2',
      orderGoodsDetailList: [
        { spbh: '1', spmc: 'Water', spdj: '1000', kept: { as: ['it', 'is'] } },
        { spbh: 'A-2', spdj: '2500' },
      ],
      order: { spsl: '2', zfzh: phone, qhm: '', dsfjybh: chargeId, ddbh: id, jqbh: '1707100001' },
    },
    consumeType: 'hiTrade',
    key: 'supplier-key',
  })
  assert.match(String(timestamp), /^[0-9]{13}$/)
  assert.equal(typeof timestamp, 'number')
  assert.match(sign, /^[0-9a-f]{32}$/)
  assert.equal(command.headers['content-type'], 'application/json')
  assert.doesNotMatch(command.text, /s3cr3t/)
})

test('the payer is the phone, else the name that was given, else the supplier’s own number', async () => {
  const speaking = httpSupplier(service.app, supplier.access)
  const claim: Claim = {
    merchantId: 1,
    id: 'dclm_1',
    mode: 'live',
    chargeId: 'txn_1',
    kind: 'direct',
    orderId: 'own-17',
    machine: 'P',
    goods: GOODS,
    payAccount: 'Asha',
    attempt: 1,
  }
  await speaking.dispense({ ...claim, payerPhone: '256700000000' })
  await speaking.dispense({ ...claim, payerPhone: null })
  await speaking.dispense({ ...claim, payerPhone: null, payAccount: null })
  const sent = supplier.commands.filter(({ machine }) => machine === 'P')
  assert.deepEqual(
    sent.map(({ body }) => body.orderDTO.order.zfzh),
    ['256700000000', 'Asha', 'M1'],
  )
  assert.ok(sent.every(({ genuine }) => genuine))
})

test('two merchants with the same machine number each command their own supplier', async () => {
  const [one, two] = [await vendor(), await vendor(other.access)]
  for (const { machines } of [one, two]) await machines('SAME')
  const orders = [await paid(one.live, 'SAME'), await paid(two.live, 'SAME')]
  await service.run('dispense')
  const heardBy = (who: FakeSupplier) =>
    who.commands.filter(({ machine, genuine }) => machine === 'SAME' && genuine).map(({ orderId }) => orderId)
  assert.deepEqual([heardBy(supplier), heardBy(other)], [[orders[0]?.id], [orders[1]?.id]])
})

test('test mode opens no connection to a supplier, for orders, retries and the tray', async () => {
  const { test: api, machines } = await vendor()
  await machines('M-REFUSE', 'M-OK')
  const connected = supplier.connections()
  for (const machine of ['M-REFUSE', 'M-OK']) {
    const { id } = await submitted(api, machine)
    service.pass(2000)
    await service.run('follow-charges')
    await service.run('dispense')
    await api.post(`/v1/vending/orders/${id}/dispense`)
    assert.equal((await api.get(`/v1/vending/machines/${machine}/goods`)).status, 200)
  }
  assert.equal(supplier.connections(), connected)
})

test('a profile without reports believes the acceptance, and only that', async () => {
  const { live, machines, merchantId } = await vendor()
  await setProfile(service, { merchantId }, 'optimistic')
  await machines('quick', 'slow')
  supplier.behave('error', 'slow')
  const [quick, slow] = [await paid(live, 'quick'), await paid(live, 'slow')]
  await service.run('dispense')
  assert.equal((await read(live, quick.id)).vending_status, 'dispensed')
  assert.equal((await read(live, slow.id)).vending_status, 'dispensing')
})

test('private suppliers are refused by production', () => {
  const env = { NODE_ENV: 'production', TRUSTED_PROXIES: '0', SUPPLIER_ALLOW_PRIVATE: '127.0.0.1:9100' }
  assert.throws(() => readConfig(env), /SUPPLIER_ALLOW_PRIVATE is refused with NODE_ENV=production/)
  assert.deepEqual(readConfig({ ...env, NODE_ENV: '' }).supplierAllowPrivate, ['127.0.0.1:9100'])
})
