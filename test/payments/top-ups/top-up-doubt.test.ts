import assert from 'node:assert/strict'
import test from 'node:test'
import type { TopUp } from '../../../src/payments/top-ups/top-up.ts'
import { gate } from '../../helpers/database/gate.ts'
import { balanceOf, postingsOf } from '../../helpers/database/money-rows.ts'
import { passUntil } from '../../helpers/payments/following-charges.ts'
import { assertPaused } from '../../helpers/payments/open-exceptions.ts'
import { attemptOf, heardOf } from '../../helpers/payments/operator-heard.ts'
import { topUpShop } from '../../helpers/payments/top-ups.ts'
import { askTwice } from '../../helpers/service/late-answer.ts'
import { DAY, eventually, startBeside, startLiveService } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'

const service = openedAndVerified(() => startLiveService())
const second = opened(() => startBeside(service))
const shop = () => topUpShop(service)

test('no answer to the submit parks it; it is asked about for as long as it takes, and credited once', async () => {
  const { live, phone, ask, listed, ended } = await shop()
  service.operator.onSubmit({ answer: 'reset late' }, phone)
  const asked = await ask()
  assert.deepEqual([asked.status, await attemptOf(service, asked.id)], ['authorized', 'in_doubt'])
  service.pass(30 * DAY)
  await service.run('follow-top-ups')
  assert.equal((await listed())[0]?.status, 'authorized')
  service.operator.pays(asked.id)
  await ended(asked)
  await Promise.all([service.run('follow-top-ups'), service.run('follow-top-ups')])
  assert.deepEqual(await balanceOf(live), { available: 20_000, pending: 0 })
  assert.equal((await postingsOf(service, asked.railReference)).length, 1)
})

test('a request that the operator never got is posted again within a minute, under the same reference', async () => {
  const { phone, ask, ended } = await shop()
  service.operator.onSubmit((nth) => (nth === 1 ? { answer: 'error', takes: false } : { answer: 'accept' }), phone)
  const asked = await ask()
  for (let look = 0; look < 8 && heardOf(service, 'submit', asked.railReference).length < 2; look += 1) {
    const [row] = await service.rows<{ follow_at: Date }>('select follow_at from top_ups where id = $1', [asked.id])
    if (row) passUntil(service, row.follow_at)
    await service.run('follow-top-ups')
  }
  assert.equal(heardOf(service, 'submit', asked.railReference).length, 2)
  assert.ok(service.clock.nowMs() - asked.createdAt.getTime() < 60_000)
  service.operator.pays(asked.id)
  assert.equal((await ended(asked))?.status, 'succeeded')
})

test('the sweep takes over what a dead process left, and a late answer to its submit changes nothing', async () => {
  const { live, phone, ask, listed, ended } = await shop()
  const answering = gate()
  service.operator.onSubmit({ answer: 'refuse to serve', takes: true, until: answering.opened }, phone)
  const waiting = refusalOrTopUp(ask())
  await eventually('the phone is asked', () => service.rail.submitted.some((attempt) => attempt.phone === phone))
  service.pass(31_000)
  await service.run('follow-top-ups')
  const [left] = await listed()
  assert.equal(left?.status, 'authorized')
  service.operator.pays(phone)
  assert.ok(left)
  assert.equal((await ended(left))?.status, 'succeeded')
  answering.open()
  await waiting
  assert.equal((await listed())[0]?.status, 'succeeded')
  assert.deepEqual(await balanceOf(live), { available: 20_000, pending: 0 })
})

const refusalOrTopUp = (promise: Promise<TopUp>) => promise.catch((error: unknown) => error)

test('once it has succeeded a late "failed" changes nothing, and opens an exception that pauses payouts', async () => {
  const { merchant, live, ask } = await shop()
  const { id, railReference } = await ask()
  const answerLate = await askTwice({
    service,
    second,
    sweep: 'follow-top-ups',
    movement: { id, rail_reference: railReference },
    first: { answer: 'failed' },
    next: { answer: 'succeeded' },
  })
  assert.deepEqual(await balanceOf(live), { available: 20_000, pending: 0 })
  await answerLate()
  assert.deepEqual(await balanceOf(live), { available: 20_000, pending: 0 })
  await assertPaused(service, merchant, { subject: id, kind: 'late_contradiction' })
})

test('a success about another amount moves nothing and opens an exception', async () => {
  const { merchant, live, ask } = await shop()
  const { id } = await ask()
  service.operator.onQuestion({ answer: 'succeeded', says: { amount: 19_999 } }, id)
  service.pass(5001)
  await service.run('follow-top-ups')
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 0 })
  await assertPaused(service, merchant, { subject: id, kind: 'mismatch' })
})
