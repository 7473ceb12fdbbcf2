import assert from 'node:assert/strict'
import type { SubmitHow } from '../../../fakes/operator.ts'
import { gate } from '../../../helpers/database/gate.ts'
import { balanceOf, eventsOf } from '../../../helpers/database/money-rows.ts'
import {
  lookOnce,
  movementsOf,
  sendUntilEnded,
  settle,
  submitsOf,
} from '../../../helpers/payments/following-payouts.ts'
import { attemptOf } from '../../../helpers/payments/operator-heard.ts'
import { AMBIGUOUS, COST, PAID, postingsOf, RESERVED, RETURNED } from '../../../helpers/payments/payout-money.ts'
import {
  pay,
  payoutOf,
  queueBulk,
  queueRefund,
  richShop,
  startPayingService,
} from '../../../helpers/payments/payouts.ts'
import { eventually, newPayer, type Shop, startBeside } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'

// Payouts that wait in the queue of the live rail: the items of a bulk, and the payout of a refund.
const FUNDS = 500_000
const LEASE_MS = 30_000
const service = openedAndVerified(() => startPayingService())
const second = opened(() => startBeside(service))

/** A queued payout whose first submit gets this answer. */
async function sentOnce(how: SubmitHow): Promise<{ shop: Shop; phone: string; id: string }> {
  const shop = await richShop(service, FUNDS)
  const phone = newPayer()
  const [id = ''] = await queueBulk(shop, [phone])
  service.operator.onSubmit(how, phone)
  await service.run('send-payouts')
  return { shop, phone, id }
}

test('a queued payout is reserved at once, sent by the sweep and paid once', async () => {
  const shop = await richShop(service, FUNDS)
  const [bulk = ''] = await queueBulk(shop)
  const refund = await queueRefund(service, shop)
  assert.equal((await payoutOf(shop.live, bulk)).status, 'pending')
  assert.equal((await payoutOf(shop.live, refund)).status, 'authorized')
  for (const id of [bulk, refund]) {
    assert.equal(await submitsOf(service, id), 0)
    assert.deepEqual(await postingsOf(service, id), RESERVED)
    assert.equal(await attemptOf(service, id), 'queued')
  }
  await service.run('send-payouts')
  for (const id of [bulk, refund]) {
    assert.equal((await payoutOf(shop.live, id)).status, 'authorized')
    assert.equal(await attemptOf(service, id), 'accepted')
    assert.deepEqual(await eventsOf(service, id), [])
    await settle(service, id)
    assert.deepEqual(await postingsOf(service, id), PAID)
    assert.deepEqual([await submitsOf(service, id), await movementsOf(service, id)], [1, 1])
    assert.equal((await eventsOf(service, id)).length, 1)
  }
})

test('a refusal fails a queued payout and returns amount and fee', async () => {
  const shop = await richShop(service, FUNDS)
  const phone = newPayer()
  const [id = ''] = await queueBulk(shop, [phone])
  service.operator.onSubmit({ answer: 'refuse', code: 'PAYEE_NOT_FOUND' }, phone)
  await service.run('send-payouts')
  const { status, failure_reason } = await payoutOf(shop.live, id)
  assert.deepEqual([status, failure_reason], ['failed', 'recipient_not_found'])
  assert.deepEqual(await postingsOf(service, id), RETURNED)
  assert.deepEqual(
    (await eventsOf(service, id)).map(({ type }) => type),
    ['payout.failed'],
  )
  assert.deepEqual(await balanceOf(shop.live), { available: FUNDS, pending: 0 })
})

for (const answer of ['reset late', 'garbage', 'error'] as const)
  test(`a queued payout answered with "${answer}" is in doubt, shown as such, and paid once`, async () => {
    const { shop, id } = await sentOnce({ answer, takes: true })
    const { status, failure_reason } = await payoutOf(shop.live, id)
    assert.deepEqual([status, failure_reason], ['authorized', AMBIGUOUS])
    await settle(service, id)
    assert.equal((await payoutOf(shop.live, id)).failure_reason, null)
    assert.deepEqual([await submitsOf(service, id), await movementsOf(service, id)], [1, 1])
  })

test('a payout that the operator cannot take is sent again after 5, 15, 30 and 60 seconds, then every 5 minutes', async () => {
  const { shop, phone, id } = await sentOnce({ answer: 'refuse to serve' })
  for (const [at, seconds] of [5, 15, 30, 60, 300, 300, 300].entries()) {
    assert.equal(await submitsOf(service, id), at + 1)
    assert.equal((await payoutOf(shop.live, id)).status, 'pending')
    assert.equal(await attemptOf(service, id), 'not_sent')
    service.pass((seconds - 1) * 1000)
    await service.run('send-payouts')
    assert.equal(await submitsOf(service, id), at + 1, `not before ${seconds} s`)
    service.pass(1500)
    await service.run('send-payouts')
    assert.equal(await submitsOf(service, id), at + 2, `after ${seconds} s`)
  }
  assert.deepEqual(await postingsOf(service, id), RESERVED)
  assert.deepEqual(await eventsOf(service, id), [])
  service.pass(3 * 86_400_000)
  service.operator.onSubmit({ answer: 'accept' }, phone)
  await service.run('send-payouts')
  await settle(service, id)
  assert.equal(await movementsOf(service, id), 1)
})

test('a payout that only a person can unblock is tried every 15 minutes, and does not fail', async () => {
  const { phone, id } = await sentOnce({ answer: 'bar the account' })
  for (let nth = 1; nth < 4; nth += 1) {
    assert.equal(await submitsOf(service, id), nth)
    service.pass(890_000)
    await service.run('send-payouts')
    assert.equal(await submitsOf(service, id), nth)
    service.pass(11_000)
    await service.run('send-payouts')
  }
  service.operator.onSubmit({ answer: 'accept' }, phone)
  await lookOnce(service, id)
  await settle(service, id)
  assert.equal(await movementsOf(service, id), 1)
})

test('while a rail is not ready the queue waits; nothing is sent and nothing fails', async () => {
  const shop = await richShop(service, FUNDS)
  const [id = ''] = await queueBulk(shop)
  for (const verdict of ['wait', 'person'] as const) {
    service.rail.ready(verdict)
    for (let nth = 0; nth < 4; nth += 1) {
      service.pass(600_000)
      await service.run('send-payouts')
    }
    assert.equal(await submitsOf(service, id), 0)
    assert.equal((await payoutOf(shop.live, id)).status, 'pending')
  }
  service.rail.ready('ready')
  await lookOnce(service, id)
  await settle(service, id)
  assert.deepEqual([await submitsOf(service, id), await movementsOf(service, id)], [1, 1])
})

test('two workers at once send each of eighty queued payouts once', async () => {
  const shop = await richShop(service, FUNDS)
  const ids = await queueBulk(
    shop,
    Array.from({ length: 80 }, () => newPayer()),
  )
  for (let round = 0; round < 10; round += 1) {
    await Promise.allSettled([service, second, service, second].map((worker) => worker.run('send-payouts')))
    // A worker that finds no free connection on a busy machine leaves its rows to the next round.
    service.pass(LEASE_MS + 1000)
  }
  for (const id of ids) {
    assert.equal(await submitsOf(service, id), 1)
    service.operator.pays(id)
  }
  for (const id of ids) await sendUntilEnded(service, id)
  for (const id of ids) {
    assert.equal(await movementsOf(service, id), 1)
    assert.equal((await eventsOf(service, id)).length, 1)
  }
  assert.deepEqual(await balanceOf(shop.live), { available: FUNDS - 80 * COST, pending: 0 })
})

longTest('one worker sends a whole payroll without putting any of it in doubt', async () => {
  const shop = await richShop(service, 2_000_000)
  const ids = await queueBulk(
    shop,
    Array.from({ length: 200 }, () => newPayer()),
  )
  for (let round = 0; round < 20; round += 1) {
    await service.run('send-payouts')
    // Payouts that found no free connection on a busy machine are taken up again when their lease is over.
    if (round >= 15) service.pass(LEASE_MS + 1000)
  }
  const states = await service.rows(
    'select state, count(*)::int from rail_attempts where subject = any($1) group by state',
    [ids],
  )
  assert.deepEqual(states, [{ state: 'accepted', count: 200 }])
  const doubted = await service.rows('select 1 from payouts where id = any($1) and failure_reason is not null', [ids])
  assert.deepEqual(doubted, [])
})

test('an operator that is slow with one queued payout delays neither the sandbox nor other payouts', async () => {
  // Before the worker runs: it would hold live money, and the charge that earns it may be its own.
  const shop = await richShop(service, FUNDS)
  const worker = await startBeside(service, { role: 'worker' })
  const held = gate()
  try {
    const slow = newPayer()
    service.operator.onSubmit({ answer: 'accept', until: held.opened }, slow)
    const [id = ''] = await queueBulk(shop, [slow])
    await eventually('the operator was asked', async () => (await submitsOf(service, id)) === 1)
    await shop.test.charge({ amount: 20_000 })
    service.pass(2000)
    await eventually('the charge is paid', async () => (await balanceOf(shop.test)).available > 0)
    const { body } = await pay(shop.test)
    service.pass(2000)
    const started = performance.now()
    await eventually('the test payout ends', async () => (await payoutOf(shop.test, body.id)).status === 'succeeded')
    assert.ok(performance.now() - started < 3000, 'it did not wait for the operator')
  } finally {
    held.open()
    await worker.close()
  }
})
