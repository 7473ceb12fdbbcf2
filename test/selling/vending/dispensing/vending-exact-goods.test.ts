import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { addMachine } from '../../../../src/selling/vending/machines/machines.ts'
import { syncMachines } from '../../../../src/selling/vending/machines/sync-machines.ts'
import { setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { startSupplier } from '../../../fakes/supplier.ts'
import { postCallback, signed } from '../../../fakes/supplier-callbacks.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { newPayer, startLiveService } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified, prepare } from '../../../helpers/service/opened.ts'
import type { Client } from '../../../helpers/service/test-service.ts'

// Possible goods of a machine: numbers that JSON.parse would change, and a name that JavaScript objects already have.
const BOX = '{"hdbh":1731234567890123457,"box":{"__proto__":{"n":1.50},"e":[1E2,-0,0.30]}}'
const fields = BOX.slice(1, -1)
const LONG = '12345678901234567890'
const GOODS = `[{"spbh":${LONG},"spmc":"Water","spdj":1000,${fields}},{"spbh":"7","spdj":"500"}]`
const COMMANDED = `[{"spbh":"${LONG}","spmc":"Water","spdj":"1000",${fields}},{"spbh":"7","spdj":"500"}]`

let live: Client
let merchantId: number
let secret: string
const supplier = opened(() => startSupplier())
const service = openedAndVerified(() => startLiveService({ env: { SUPPLIER_ALLOW_PRIVATE: supplier.place } }))
prepare(async () => {
  const shop = await service.shop({ vending: true })
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  live = shop.live
  merchantId = merchant.id
  await setVending(service.app, BY_HAND, { merchant, change: { supplier: supplier.access } })
  for (const machine of ['M-1', 'M-2']) await addMachine(service.app, BY_HAND, { merchantId, machine, name: null })
  secret = (await live.post('/v1/vending/dispense-secret')).body.secret
})

const orderText = (goods: string) => `{"machine":"M-1","amount":3500,"goods":${goods}}`
const goodsIn = (text: string) => text.match(/"goods":(\[.*?\}\])/)?.[1]
const commandFor = (orderId: string) => supplier.commands.find((command) => command.orderId === orderId)?.text ?? ''
const eventFor = async (subject: string) =>
  (
    await service.rows<{ body: string }>(
      `select body from events where subject = $1 and type like 'vending.%' order by created_at desc limit 1`,
      [subject],
    )
  )[0]?.body ?? ''

async function payFor(orderId: string): Promise<string> {
  const form = new URLSearchParams({ phone: newPayer(), channel: 'op1_momo' })
  await fetch(`${service.url}/pay/${orderId}/submit`, { method: 'POST', body: form, redirect: 'manual' })
  const { charge_id } = (await live.get(`/v1/vending/orders/${orderId}`)).body
  await succeed(service, charge_id)
  await service.run('dispense')
  return charge_id
}

async function callback(body: object, splist: string): Promise<void> {
  const own = signed({ jqbh: 'M-1', status: '1', timestamp: String(service.clock.nowMs()), ...body }, secret)
  const text = JSON.stringify({ ...own, splist: [] }).replace('"splist":[]', `"splist":${splist}`)
  const { status, body: said } = await postCallback(service.url, text)
  assert.deepEqual([status, said.code], [200, '1'])
}

test('C1 the goods of an order are answered, stored, commanded and reported digit for digit', async () => {
  const key = { 'idempotency-key': 'exact goods' }
  const made = await live.post('/v1/vending/orders', orderText(GOODS), key)
  assert.equal(made.status, 201, made.text)
  assert.equal(goodsIn(made.text), GOODS)
  const id = made.body.order_id
  assert.equal((await live.post('/v1/vending/orders', orderText(GOODS), key)).text, made.text)
  assert.equal(goodsIn((await live.get(`/v1/vending/orders/${id}`)).text), GOODS)
  const chargeId = await payFor(id)
  assert.ok(commandFor(id).includes(`"orderGoodsDetailList":${COMMANDED}`), commandFor(id))
  const stored = await service.rows(
    `select o.goods::text as ordered, k.goods::text as claimed from vending_orders o
     join dispense_claims k on k.order_id = o.id where o.id = $1`,
    [id],
  )
  assert.deepEqual(stored, [{ ordered: GOODS, claimed: GOODS }])
  await callback({ ddbh: id, dsfjybh: chargeId }, `[{"spbh":${LONG},"chsl":1},{"spbh":7,"chsl":1.0}]`)
  const { vending_status, vending_error, dispense_result } = (await live.get(`/v1/vending/orders/${id}`)).body
  assert.deepEqual([vending_status, vending_error], ['dispensed', null])
  assert.deepEqual(
    dispense_result.map(({ spbh }: any) => spbh),
    [LONG, '7'],
  )
  assert.equal(goodsIn(await eventFor(id)), GOODS)
})

test('C1 the goods of a direct dispense are commanded and reported digit for digit', async () => {
  const { body: charge } = await live.charge({ amount: 3500, customer: { phone: newPayer() } })
  await succeed(service, charge.id)
  const text = `{"machine":"M-1","order_id":"own-1","charge_id":"${charge.id}","goods":${GOODS}}`
  assert.equal((await live.post('/v1/vending/dispense', text)).status, 200)
  assert.ok(commandFor('own-1').includes(`"orderGoodsDetailList":${COMMANDED}`))
  await callback({ dsfjybh: charge.id }, `[{"spbh":"${LONG}","chsl":1},{"spbh":"7","chsl":1}]`)
  const [claim] = await service.rows<{ id: string }>('select id from dispense_claims where charge_id = $1', [charge.id])
  assert.equal(goodsIn(await eventFor(claim?.id ?? '')), GOODS)
})

test("C1 the tray and the list of machines show the supplier's numbers digit for digit", async () => {
  supplier.answers(
    'tray',
    `{"code":"1","data":[{"hdbh":1731234567890123457,"spbh":${LONG},"spdj":1000.0,"jd":32.580}]}`,
  )
  const tray = await live.get('/v1/vending/machines/M-2/goods')
  assert.equal(tray.status, 200, tray.text)
  assert.ok(tray.text.includes('"slot":"1731234567890123457"') && tray.text.includes(`"spbh":"${LONG}"`), tray.text)
  assert.ok(tray.text.includes('"raw":{"jd":32.580}') && tray.text.includes('"spdj":1000,'), tray.text)
  supplier.answers('machines', '{"code":1.0,"data":[{"jqbh":1731234567890123459,"jqmc":"Hall"}]}')
  assert.equal((await syncMachines(service.app, BY_HAND, merchantId)).added, 1)
  const machines = (await live.get('/v1/vending/machines')).body.data
  assert.ok(machines.some(({ machine }: any) => machine === '1731234567890123459'))
})

test('C1 a value that cannot be passed on is refused by name', async () => {
  const refusals = [
    [`[{"spbh":${'9'.repeat(65)}}]`, 'goods[0].spbh must be at most 64 characters'],
    ['[{"spbh":1.5}]', 'each goods item needs an spbh (product number)'],
    ['[{"spbh":1e400}]', 'each goods item needs an spbh (product number)'],
    ['[{"spbh":"1","spdj":12345678901234567890}]', 'goods[0].spdj must be a whole number of at least 0'],
    ['[{"spbh":"1","spdj":12.50}]', 'goods[0].spdj must be a whole number of at least 0'],
    [`[{"spbh":"1","more":[${'0.10,'.repeat(10_001)}1]}]`, 'goods has too many numbers'],
  ] as const
  for (const [goods, why] of refusals) {
    const { status, body } = await live.post('/v1/vending/orders', orderText(goods))
    assert.deepEqual([status, body.error], [400, `invalid request: ${why}`])
  }
})
