import assert from 'node:assert/strict'
import test from 'node:test'
import { eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { listRoads } from '../../helpers/payments/charge-roads.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { addSubaccounts } from '../../helpers/payments/splits.ts'
import { eventually, newPayer } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { startWiredServices } from '../../helpers/service/wired-service.ts'

// Where nothing has to be read for it, a charge is stored in one flush: decided by terms from memory, which guards compare (decision 68).
const services = opened(() => startWiredServices({ TEST_HOLD_SECONDS: '3600' }))
const service = made(() => services.service)
const shop = made(() => service.shop())
const roads = made(() => listRoads(services.wired.proxy))

const payer = () => ({ customer: { phone: newPayer() } })
const chargesOf = async (merchant: string) =>
  (
    await service.rows<{ n: number }>(
      'select count(*)::int as n from charges c join merchants m on m.id = c.merchant_id where m.public_id = $1',
      [merchant],
    )
  )[0]?.n

for (const mode of ['test', 'live'] as const)
  test(`the first ${mode} charge of a merchant reads its terms, the next ones nothing`, async () => {
    const own = await service.shop()
    const first = await roads.during(() => own[mode].charge(payer()))
    assert.deepEqual([first.result.status, first.taken], [201, { read: true, compared: false }])
    for (let nth = 0; nth < 3; nth += 1) {
      const next = await roads.during(() => own[mode].charge(payer()))
      assert.deepEqual([next.result.status, next.taken], [201, { read: false, compared: true }])
    }
    assert.equal(await chargesOf(own.merchant.id), 4)
  })

test('terms that another process has changed are noticed before anything is stored, and the new ones decide', async () => {
  const { merchant, test: api } = await service.shop()
  assert.equal((await api.charge(payer())).status, 201)
  await services.worker.set(merchant, { chargeLimit: 4000 })
  const refused = await roads.during(() => api.charge({ amount: 5000, ...payer() }, { 'idempotency-key': 'limited' }))
  assert.deepEqual(refused.taken, { read: true, compared: true })
  assert.deepEqual([refused.result.status, refused.result.body.code], [400, 'amount_too_large'])
  assert.equal(await chargesOf(merchant.id), 1)
  // A refusal by terms from memory is compared too.
  await services.worker.set(merchant, { chargeLimit: null })
  const allowed = await roads.during(() => api.charge({ amount: 5000, ...payer() }))
  assert.deepEqual([allowed.result.status, allowed.taken], [201, { read: true, compared: true }])
  await services.worker.set(merchant, { active: false })
  const inactive = await api.charge(payer())
  assert.deepEqual([inactive.status, inactive.body.code], [400, 'merchant_inactive'])
  assert.equal(await chargesOf(merchant.id), 2)
})

test('a key that was used is replayed, also where the rail is not ready now, and nothing is made twice', async () => {
  const { merchant, live } = await service.shop()
  const order = payer()
  const key = { 'idempotency-key': 'twice' }
  const first = await live.charge(order, key)
  assert.equal(first.status, 201)
  const again = await roads.during(() => live.charge(order, key))
  assert.deepEqual(again.taken, { read: true, compared: true })
  assert.deepEqual([again.result.text, again.result.headers.get('idempotent-replayed')], [first.text, 'true'])
  const once = await roads.during(() => live.charge(order, key))
  assert.deepEqual(once.taken, { read: true, compared: false }, 'a merchant that repeats is read at once')
  // Its terms are in memory again, and the rail refuses: only the key tells that this is a repeat.
  assert.equal((await live.charge(payer())).status, 201)
  service.rail.ready('wait')
  const unready = await live.charge(order, key)
  const refused = await live.charge(payer())
  service.rail.ready('ready')
  assert.deepEqual([unready.text, unready.headers.get('idempotent-replayed')], [first.text, 'true'])
  assert.equal(refused.status, 502)
  const stored = await live.charge({ amount: 100, ...order }, { 'idempotency-key': 'refused' })
  assert.equal(stored.status, 400)
  const repeated = await live.charge({ amount: 100, ...order }, { 'idempotency-key': 'refused' })
  assert.deepEqual([repeated.text, repeated.headers.get('idempotent-replayed')], [stored.text, 'true'])
  assert.equal(await chargesOf(merchant.id), 2)
})

test('a head that is nearly full is counted, and large amounts and splits are decided on rows', async () => {
  const { merchant, test: api } = await service.shop()
  assert.equal((await api.charge(payer())).status, 201)
  const [row] = await service.rows<{ id: number }>('select id from merchants where public_id = $1', [merchant.id])
  const held = 10 ** 15
  await services.beside.query(
    `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
     values ($1, 'test', 1, 'test_funds', 'fund_full', 'sandbox', 'available', $2, $3)`,
    [row?.id, held, service.clock.now()],
  )
  await services.beside.query(
    `update ledger_heads set available = $2, seq = 1 where merchant_id = $1 and mode = 'test'`,
    [row?.id, held],
  )
  const counted = services.wired.proxy.counting(/lock ledger heads/)
  const full = await roads.during(() => api.charge(payer()))
  assert.deepEqual([full.result.status, full.taken, counted.count > 0], [201, { read: true, compared: true }, true])
  const next = await roads.during(() => api.charge(payer()))
  assert.deepEqual([next.result.status, next.taken], [201, { read: true, compared: false }])

  assert.equal((await shop.test.charge(payer())).status, 201)
  const [subaccount] = await addSubaccounts(shop.test, 'Part')
  const split = [{ subaccount, amount: 500 }]
  const large = await roads.during(() => shop.test.charge({ amount: 1_000_000_001, ...payer() }))
  const parted = await roads.during(() => shop.test.charge({ split, ...payer() }))
  for (const { taken } of [large, parted]) assert.deepEqual(taken, { read: true, compared: false })
})

test('charges of many merchants at once, of which one changed its terms, are each decided by the terms of their own', async () => {
  const shops = await Promise.all(Array.from({ length: 6 }, () => service.shop()))
  await Promise.all(shops.map(({ test: api }) => api.charge(payer())))
  const [closed, ...open] = shops
  assert.ok(closed)
  await services.worker.set(closed.merchant, { active: false })
  const answers = await Promise.all(
    shops.flatMap(({ test: api }) => Array.from({ length: 5 }, () => api.charge(payer()))),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array(5).fill(400), ...Array(25).fill(201)],
  )
  assert.equal(await chargesOf(closed.merchant.id), 1)
  for (const { merchant } of open) assert.equal(await chargesOf(merchant.id), 6)
})

test('a charge ends by the terms of the commit that ends it, also where another process has changed them', async () => {
  const { merchant, test: api } = await service.shop()
  const end = async () => {
    const { body } = await api.charge(payer())
    const ended = await roads.during(() => followUntilEnded(service, body.id))
    const { status, settled } = (await api.get(`/v1/charges/${body.id}`)).body
    return { status, settled, ...ended.taken }
  }
  // With it end those of the other tests, of merchants whose terms are not in memory.
  await end()
  assert.deepEqual(await end(), { status: 'succeeded', settled: false, read: false, compared: true })
  const { body: waiting } = await api.charge(payer())
  await services.worker.set(merchant, { instantSettlement: true })
  const ended = await roads.during(() => followUntilEnded(service, waiting.id))
  assert.deepEqual(ended.taken, { read: true, compared: true })
  assert.equal((await api.get(`/v1/charges/${waiting.id}`)).body.settled, true)
  assert.equal((await transfersOf(service, waiting.id)).length, 2)
  assert.equal((await eventsOf(service, waiting.id)).length, 1)
  assert.deepEqual(await end(), { status: 'succeeded', settled: true, read: false, compared: true })
})

for (const where of ['before the server hears of it', 'before its answer'] as const)
  test(`a charge whose only commit is lost ${where} is made once`, async () => {
    const { merchant, test: api } = await service.shop()
    assert.equal((await api.charge(payer())).status, 201)
    services.wired.proxy.cutNextCommit(where)
    const order = payer()
    const key = { 'idempotency-key': 'lost' }
    await eventually('it is answered', async () => (await api.charge(order, key)).status === 201)
    assert.equal(await chargesOf(merchant.id), 2)
  })
