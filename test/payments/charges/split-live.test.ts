import assert from 'node:assert/strict'
import test from 'node:test'
import { balanceOf, eventsOf, postingsOf } from '../../helpers/database/money-rows.ts'
import { followUntilEnded, passUntil, succeed } from '../../helpers/payments/following-charges.ts'
import {
  addSubaccounts,
  balanceOfSubaccount,
  setStatus,
  settlementsOf,
  splitOf,
} from '../../helpers/payments/splits.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'

const service = openedAndVerified(() => startLiveService())

const REST = 'platform_residual'
const payer = () => ({ customer: { phone: newPayer() } })

async function shop(...names: string[]) {
  const { merchant, live, test: inTest } = await service.shop()
  return { merchant, live, inTest, ids: await addSubaccounts(inTest, ...names) }
}

test('a live split charge is paid, held and released to each party, in live mode only', async () => {
  const { live, inTest, ids } = await shop('A', 'B')
  const [A = '', B = ''] = ids
  const accepted = await live.charge({
    ...payer(),
    amount: 10_000,
    split: [
      { subaccount: A, amount: 3000 },
      { subaccount: B, bps: 2500 },
    ],
  })
  assert.equal(accepted.status, 201)
  assert.deepEqual(splitOf(accepted.body), [`${A} 3000 pending`, `${B} 2450 pending`, `${REST} 4350 pending`])
  const { id } = accepted.body
  assert.deepEqual((await live.get(`/v1/charges/${id}`)).body, accepted.body)
  await succeed(service, id)
  const { body: paid } = await live.get(`/v1/charges/${id}`)
  assert.equal(paid.settled, false)
  assert.deepEqual(splitOf(paid), splitOf(accepted.body))
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 4350 })
  assert.deepEqual(await balanceOfSubaccount(live, A), [0, 3000])
  assert.deepEqual(await balanceOfSubaccount(inTest, A), [0, 0])
  const [event] = await eventsOf(service, id)
  assert.deepEqual(JSON.parse(event?.body ?? '').data.split, paid.split)

  passUntil(service, new Date(paid.available_on))
  assert.equal(await service.run('settle-charges'), 3)
  assert.deepEqual(await balanceOf(live), { available: 4350, pending: 0 })
  assert.deepEqual(await balanceOfSubaccount(live, A), [3000, 0])
  assert.deepEqual(await balanceOfSubaccount(live, B), [2450, 0])
  assert.deepEqual(
    await settlementsOf(live),
    ['sweep 4350 1 null', `split_sweep 3000 1 ${A}`, `split_sweep 2450 1 ${B}`].sort(),
  )
  assert.deepEqual(await settlementsOf(inTest), [])
  const { body: released } = await live.get(`/v1/charges/${id}`)
  assert.deepEqual(splitOf(released), [`${A} 3000 available`, `${B} 2450 available`, `${REST} 4350 available`])
})

test('a merchant with instant settlement has its parties paid at once', async () => {
  const { merchant, live, ids } = await shop('A')
  const [A = ''] = ids
  await service.set(merchant, { instantSettlement: true })
  const { body } = await live.charge({ ...payer(), split: [{ subaccount: A, amount: 1000 }] })
  await succeed(service, body.id)
  assert.deepEqual(await balanceOfSubaccount(live, A), [1000, 0])
  assert.deepEqual(await settlementsOf(live), ['instant 3800 1 null', `split_sweep 1000 1 ${A}`])
  await service.run('settle-charges')
  assert.deepEqual(await balanceOfSubaccount(live, A), [1000, 0])
})

test('a split charge that the operator refuses is a 201 and then failed, with every share reversed', async () => {
  const { live, ids } = await shop('A')
  const [A = ''] = ids
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'refuse', code: 'NOT_ENOUGH_FUNDS' }, phone)
  const { status, body } = await live.charge({
    customer: { phone },
    split: [{ subaccount: A, amount: 1000 }],
  })
  assert.equal(status, 201)
  assert.deepEqual(splitOf(body), [`${A} 1000 pending`, `${REST} 3800 pending`])
  const { body: failed } = await live.get(`/v1/charges/${body.id}`)
  assert.equal(failed.failure_reason, 'insufficient_funds')
  assert.deepEqual(splitOf(failed), [`${A} 1000 reversed`, `${REST} 3800 reversed`])
  assert.deepEqual(await postingsOf(service, body.id), [])
})

test('a split charge that the operator never took is a 502 that leaves nothing, and its key is free', async () => {
  const { live, ids } = await shop('A')
  const phone = newPayer()
  const order = { customer: { phone }, split: [{ subaccount: ids[0], amount: 1000 }] }
  const key = { 'idempotency-key': 'never taken' }
  service.operator.onSubmit({ answer: 'refuse to serve' }, phone)
  assert.equal((await live.charge(order, key)).status, 502)
  assert.deepEqual((await live.get('/v1/charges')).body.data, [])
  service.operator.onSubmit({ answer: 'accept' }, phone)
  assert.equal((await live.charge(order, key)).status, 201)
})

test("a bad split is refused before the rail is asked, and reported before the rail's trouble", async () => {
  const { live } = await shop()
  const before = await service.digest()
  service.rail.ready('person')
  const { body } = await live.charge({ ...payer(), split: [{ subaccount: 'sub_nobody', amount: 1 }] })
  service.rail.ready('ready')
  assert.equal(body.error, 'invalid split: unknown subaccount sub_nobody')
  assert.equal(await service.digest(), before, 'zero writes')
})

test('an orphaned key is answered with the split as first resolved, whatever has become of it', async () => {
  const { merchant, live, ids } = await shop('A', 'B')
  const [A = '', B = ''] = ids
  const order = {
    ...payer(),
    split: [
      { subaccount: A, amount: 1000 },
      { subaccount: B, amount: 500 },
    ],
  }
  const key = { 'idempotency-key': 'left behind' }
  const first = await live.charge(order, key)
  // The state left by a process that died before it had stored its answer.
  await service.rows('update idempotency_keys set status = null, body = null where object_id = $1', [first.body.id])
  await setStatus(service, merchant, { id: B, status: 'inactive' })
  service.operator.pays(first.body.id)
  await followUntilEnded(service, first.body.id)
  const { body: paid } = await live.get(`/v1/charges/${first.body.id}`)
  assert.deepEqual(splitOf(paid), [`${A} 1000 pending`, `${B} 500 reversed`, `${REST} 3800 pending`])
  service.pass(31_000)
  assert.equal(await service.run('finish-keys'), 1)
  assert.equal((await live.charge(order, key)).text, first.text)
})
