import assert from 'node:assert/strict'
import test from 'node:test'
import { readConfig } from '../../../../src/program/settings/config.ts'
import type { DispenseClaim } from '../../../../src/selling/vending/dispensing/claim.ts'
import { newHttpSupplier } from '../../../../src/selling/vending/suppliers/http-supplier.ts'
import type { FakeSupplier } from '../../../fakes/supplier.ts'
import { GOODS, openVendors } from '../../../helpers/vending/vendors.ts'

// The commands that a supplier gets, and which supplier gets them.
const { supplier, other, service, vendor, submitted, paid, commandsFor } = openVendors()

test('the command has exactly the form of the contract, signed by the supplier’s own secret', async () => {
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

test('the payer is the phone, else the given name, else the supplier’s own number', async () => {
  const speaking = newHttpSupplier(service.app, supplier.access)
  const claim: DispenseClaim = {
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
  const inTime = () => false
  await speaking.dispense({ ...claim, payerPhone: '256700000000' }, inTime)
  await speaking.dispense({ ...claim, payerPhone: null }, inTime)
  await speaking.dispense({ ...claim, payerPhone: null, payAccount: null }, inTime)
  const late = await speaking.dispense({ ...claim, payerPhone: null }, () => true)
  assert.deepEqual(late, { kind: 'refused', code: null, message: 'not reachable: late' })
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

test('private suppliers are refused by production', () => {
  const env = { NODE_ENV: 'production', TRUSTED_PROXIES: '0', SUPPLIER_ALLOW_PRIVATE: '127.0.0.1:9100' }
  assert.throws(() => readConfig(env), /SUPPLIER_ALLOW_PRIVATE is refused with NODE_ENV=production/)
  assert.deepEqual(readConfig({ ...env, NODE_ENV: '' }).supplierAllowPrivate, ['127.0.0.1:9100'])
})
