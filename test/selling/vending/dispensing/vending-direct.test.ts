import assert from 'node:assert/strict'
import test from 'node:test'
import { stillClock } from '../../../api/rate-limits/still-clock.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { putBack } from '../../../helpers/service/put-back.ts'
import { type Reply, startService } from '../../../helpers/service/test-service.ts'
import { DISPENSE, dispenseBody, paidCharge } from '../../../helpers/vending/direct-dispenses.ts'
import { claimsOf, commandsOf } from '../../../helpers/vending/dispense-claims.ts'
import { failedOrder, GOODS, makeOrder, payOrder, vendingShop } from '../../../helpers/vending/vending.ts'

const service = openedAndVerified(() => startService({ clock: stillClock() }))
const shop = made(() => vendingShop(service))

const NO_KEY = { 'idempotency-key': undefined }
const send = (charge: string, more: object = {}, headers: object = NO_KEY) =>
  shop.api.post(DISPENSE, dispenseBody(charge, more), { ...headers })
const expectSpent = ({ status, body }: Reply, because: string) =>
  assert.deepEqual(
    [because, status, body.code, body.error],
    [because, 409, 'conflict', 'this charge has already paid for a dispense'],
  )
const replayed = ({ headers }: Reply) => headers.get('idempotent-replayed')

test('a succeeded charge pays for exactly one dispense', async () => {
  const charge = await paidCharge(service, shop)
  const goods = [{ spbh: 3, slot: { row: 'B' }, spdj: '500' }, ...GOODS]
  const first = await send(charge, { goods, pay_account: 'hall 3', order_id: 'tea-1' })
  assert.deepEqual(
    [first.status, first.body],
    [
      200,
      {
        ok: true,
        machine: 'M-1',
        order_id: 'tea-1',
        charge_id: charge,
        vending_status: 'dispensing',
        ambiguous: false,
        supplier_response: { code: '1', message: 'accepted by the simulated machine' },
      },
    ],
  )
  const [row] = await service.rows(
    `select kind, order_id, machine, goods, pay_account, attempt, state, commanded_at is not null as commanded
     from dispense_claims where charge_id = $1`,
    [charge],
  )
  assert.deepEqual(row, {
    kind: 'direct',
    order_id: 'tea-1',
    machine: 'M-1',
    goods,
    pay_account: 'hall 3',
    attempt: 1,
    state: 'accepted',
    commanded: true,
  })
  expectSpent(await send(charge, { order_id: 'tea-2', machine: 'M-2' }), 'another order')
  expectSpent(await send(charge), 'the same')
  assert.equal(await commandsOf(service, charge), 1)
})

test('a supplier that refuses releases the charge: it pays for the next dispense', async () => {
  const charge = await paidCharge(service, shop)
  const key = { 'idempotency-key': 'refused at first' }
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await send(charge, { machine: 'M-REFUSE' }, key)
    assert.deepEqual(
      [status, body.code, body.error],
      [502, 'supplier_error', 'machine supplier refused the command: the simulated machine refuses'],
    )
  }
  assert.deepEqual(
    (await claimsOf(service, charge)).map(({ state }) => state),
    ['released', 'released'],
  )
  assert.equal((await send(charge, {}, key)).status, 200, 'the key is free too')
  assert.deepEqual(
    (await claimsOf(service, charge)).map(({ state }) => state),
    ['released', 'released', 'accepted'],
  )
})

test('if it is unknown whether the supplier took the command, the charge stays spent and nothing is sent again', async () => {
  const charge = await paidCharge(service, shop)
  const { status, body } = await send(charge, { machine: 'M-LOST' })
  assert.deepEqual(
    [status, body.ok, body.vending_status, body.ambiguous, body.supplier_response],
    [200, true, 'dispensing', true, null],
  )
  expectSpent(await send(charge), 'in doubt')
  service.pass(600_000)
  await service.run('dispense')
  assert.equal(await commandsOf(service, charge), 1)
})

test('a charge of an order can be used only for that order: paid, dispensing, failed', async () => {
  const { order_id } = await makeOrder(shop)
  const charge = await payOrder(service, order_id)
  expectSpent(await send(charge), 'paid')
  await service.run('dispense')
  expectSpent(await send(charge), 'dispensing')
  const failed = await failedOrder(service, shop)
  expectSpent(await send(failed.charge_id), 'failed')
  assert.equal(await commandsOf(service, failed.charge_id), 0)
})

test('a charge made on a payment link can be used like any other', async () => {
  const { id } = (await shop.api.post('/v1/payment-links', { amount: 1000 })).body
  const charge = await payOrder(service, id)
  assert.equal((await send(charge)).status, 200)
})

test('a mistyped machine number does not spend the charge', async () => {
  const charge = await paidCharge(service, shop)
  assert.equal((await send(charge, { machine: 'M-01' })).status, 404)
  assert.deepEqual(await claimsOf(service, charge), [])
  assert.equal((await send(charge)).status, 200)
})

test('the same request under its key gets the same bytes again, whatever has become of it', async () => {
  const charge = await paidCharge(service, shop)
  const key = { 'idempotency-key': 'direct 1' }
  const first = await send(charge, { machine: 'M-OK' }, key)
  service.pass(2000)
  await service.run('dispense')
  const again = await send(charge, { machine: 'M-OK' }, key)
  assert.deepEqual([again.status, again.text], [200, first.text])
  assert.deepEqual([replayed(first), replayed(again)], [null, 'true'])
  const other = await send(charge, { machine: 'M-1' }, key)
  assert.deepEqual([other.status, other.body.error], [409, 'idempotency key reused with different request body'])
  const collections = await shop.collections.post(DISPENSE, dispenseBody(charge, { machine: 'M-OK' }), key)
  assert.equal(collections.text, first.text)
  assert.equal(await commandsOf(service, charge), 1)
})

test('a refusal by rule is kept under the key, one that a setting can cure is not', async () => {
  const charge = await paidCharge(service, shop)
  const spent = { 'idempotency-key': 'spent' }
  await send(charge)
  const first = await send(charge, {}, spent)
  const again = await send(charge, {}, spent)
  expectSpent(first, 'first')
  assert.deepEqual([again.text, replayed(again)], [first.text, 'true'])

  const free = await paidCharge(service, shop)
  const key = { 'idempotency-key': 'off' }
  await service.set(shop.merchant, { vendingEnabled: false })
  const { status, body } = await send(free, {}, key)
  await service.set(shop.merchant, { vendingEnabled: true })
  assert.deepEqual([status, body.code], [403, 'vending_disabled'])
  assert.equal((await send(free, {}, key)).status, 200)
})

/** The state left by a process that died during a direct dispense: the key is in flight, the claim as far as it came. */
async function leave(state: 'claimed' | 'commanding' | 'accepted' | 'released', key: string): Promise<string> {
  const charge = await paidCharge(service, shop)
  await send(charge, state === 'released' ? { machine: 'M-REFUSE' } : {}, { 'idempotency-key': key })
  const made = 'where charge_id = $1 and kind = $2'
  if (state === 'claimed' || state === 'commanding')
    await putBack(
      service,
      `update dispense_claims set state = $3, answered_at = null, supplier_code = null, supplier_message = null,
         lease_until = (claimed_at at time zone 'UTC' + interval '60 seconds') at time zone 'UTC',
         commanded_at = case when $3 = 'commanding' then commanded_at end ${made}`,
      [charge, 'direct', state],
    )
  const values = [charge, 'direct', key]
  if (state === 'released')
    await service.rows(
      `insert into idempotency_keys (merchant_id, mode, key, fingerprint, object_id, created_at)
       select k.merchant_id, k.mode, $3, (select fingerprint from idempotency_keys limit 1), k.id, k.claimed_at
       from dispense_claims k ${made}`,
      values,
    )
  else
    await service.rows(
      `update idempotency_keys set status = null, body = null
       where key = $3 and object_id in (select id from dispense_claims ${made})`,
      values,
    )
  return charge
}

const keysLeft = async (key: string) =>
  (await service.rows('select status, body from idempotency_keys where key = $1', [key])) as {
    status: number | null
    body: string | null
  }[]

test('a process that died before it sent anything leaves charge and key free', async () => {
  const charge = await leave('claimed', 'died early')
  const key = { 'idempotency-key': 'died early' }
  assert.match((await send(charge, {}, key)).body.error, /still in flight/)
  await service.run('finish-keys')
  assert.equal((await keysLeft('died early')).length, 1, 'not before it is surely gone')
  service.pass(41_000)
  await service.run('finish-keys')
  assert.deepEqual(await keysLeft('died early'), [])
  const again = await send(charge, {}, key)
  assert.deepEqual([again.status, replayed(again)], [200, null])
  await service.run('dispense')
  assert.equal(await commandsOf(service, charge), 1)
})

test('a process that died while sending leaves an answer that says that the result is unknown', async () => {
  const charge = await leave('commanding', 'died sending')
  service.pass(41_000)
  await service.run('finish-keys')
  const again = await send(charge, {}, { 'idempotency-key': 'died sending' })
  assert.deepEqual([again.status, replayed(again), again.body.ambiguous], [200, 'true', true])
  service.pass(60_000)
  await service.run('dispense')
  assert.deepEqual(
    (await claimsOf(service, charge)).map(({ state }) => state),
    ['ambiguous'],
  )
})

test('a process that died before it answered leaves the answer it would have given', async () => {
  const charge = await leave('accepted', 'died late')
  service.pass(41_000)
  await service.run('finish-keys')
  const again = await send(charge, {}, { 'idempotency-key': 'died late' })
  assert.deepEqual([replayed(again), again.body.ambiguous], ['true', false])
  const refused = await leave('released', 'died refused')
  service.pass(41_000)
  await service.run('finish-keys')
  assert.deepEqual(await keysLeft('died refused'), [])
  assert.equal((await send(refused, {}, { 'idempotency-key': 'died refused' })).status, 200)
})
