import assert from 'node:assert/strict'
import test from 'node:test'
import type { StatusHow, SubmitHow } from '../../../fakes/operator.ts'
import { balanceOf, eventsOf } from '../../../helpers/database/money-rows.ts'
import { lookOnce, sendUntilEnded, settle } from '../../../helpers/payments/following-payouts.ts'
import { attemptOf, heardOf } from '../../../helpers/payments/operator-heard.ts'
import { AMBIGUOUS, PAID, postingsOf, RESERVED, RETURNED } from '../../../helpers/payments/payout-money.ts'
import { pay, payoutOf, richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { DAY, newPayer, type Shop } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'

// A request that never arrived: the operator has no trace of it, and says so whenever it is asked (rails.md 4.5).
const FUNDS = 500_000
const MINUTE = 60_000
let shop: Shop
const service = openedAndVerified(() => startPayingService())

/** A payout whose first submit was treated as `first` says, without being taken, and whose later ones as `then` says. */
async function lost(first: SubmitHow['answer'], then: SubmitHow): Promise<any> {
  shop = await richShop(service, FUNDS)
  const phone = newPayer()
  service.operator.onSubmit((nth) => (nth === 1 ? { answer: first, takes: false } : then), phone)
  const { status, body } = await pay(shop.live, { recipient: { phone } })
  assert.deepEqual([status, body.status, body.failure_reason], [201, 'authorized', AMBIGUOUS])
  assert.equal(await attemptOf(service, body.id), 'in_doubt')
  return body
}

const submits = (body: any) => service.rail.submitted.filter(({ publicId }) => publicId === body.id).length
const questions = (body: any) => heardOf(service, 'question', body.rail_reference).length

/** Looks at the payout whenever it is due, until its reference has been posted this often. */
async function untilPosted(body: any, times: number): Promise<number> {
  for (let look = 0; look < 60 && submits(body) < times; look += 1) await lookOnce(service, body.id)
  assert.equal(submits(body), times)
  return service.clock.nowMs() - Date.parse(body.created_at)
}

for (const first of ['error', 'garbage', 'reset late'] as const)
  test(`a lost payout ("${first}") is posted again with its reference, and moves once`, async () => {
    const body = await lost(first, { answer: 'accept' })
    const ageMs = await untilPosted(body, 2)
    assert.ok(ageMs >= MINUTE, `posted again after ${ageMs} ms`)
    assert.ok(questions(body) >= 3, `after ${questions(body)} questions`)
    const references = service.rail.submitted.filter(({ publicId }) => publicId === body.id)
    assert.deepEqual(new Set(references.map(({ reference }) => reference)), new Set([body.rail_reference]))
    assert.equal(await attemptOf(service, body.id), 'accepted')
    assert.equal((await payoutOf(shop.live, body.id)).status, 'authorized')
    await settle(service, body.id)
    const { status, failure_reason } = await payoutOf(shop.live, body.id)
    assert.deepEqual([status, failure_reason], ['succeeded', null])
    assert.deepEqual(await postingsOf(service, body.id), PAID)
    assert.equal(service.operator.movements().get(body.rail_reference), 1)
    assert.equal((await eventsOf(service, body.id)).length, 1)
    assert.equal(submits(body), 2)
  })

test('one "not found", or two, or three within a minute, post nothing', async () => {
  const body = await lost('error', { answer: 'accept' })
  for (let look = 0; look < 4; look += 1) {
    await lookOnce(service, body.id)
    if (service.clock.nowMs() - Date.parse(body.created_at) < MINUTE) assert.equal(submits(body), 1)
  }
  assert.ok(questions(body) >= 3)
  await untilPosted(body, 2)
  await settle(service, body.id)
})

test('an operator that finds it after all is not asked to pay again', async () => {
  const body = await lost('error', { answer: 'accept' })
  const known: StatusHow = { answer: 'pending' }
  service.operator.onQuestion((nth) => (nth <= 2 ? { answer: 'not found' } : known), body.rail_reference)
  for (let look = 0; look < 25; look += 1) await lookOnce(service, body.id)
  assert.equal(submits(body), 1)
  service.operator.onQuestion({ answer: 'not found' }, body.rail_reference)
  for (let look = 0; look < 10; look += 1) await lookOnce(service, body.id)
  assert.equal(submits(body), 1, 'accepted and now unknown: asked about, never posted again')
})

test('a payout that is lost again and again is posted after 2, 5, 15 and 60 minutes, then hourly', async () => {
  const body = await lost('error', { answer: 'error', takes: false })
  await untilPosted(body, 2)
  const from = service.clock.nowMs()
  const until = from + 5 * 60 * MINUTE
  for (let look = 0; look < 3000 && service.clock.nowMs() < until; look += 1) await lookOnce(service, body.id)
  // 2 + 5 + 15 + 60 minutes, then each hour of what is left of five: 4 + 3 at most.
  assert.ok(submits(body) - 2 >= 4, `posted ${submits(body) - 2} times more in five hours`)
  assert.ok(submits(body) - 2 <= 7, `posted ${submits(body) - 2} times more in five hours`)
})

test('after a day a lost payout is not posted any more, only asked about', async () => {
  const body = await lost('error', { answer: 'error', takes: false })
  service.pass(DAY)
  const before = submits(body)
  for (let look = 0; look < 40; look += 1) await lookOnce(service, body.id)
  assert.equal(submits(body), before)
  const { status, failure_reason } = await payoutOf(shop.live, body.id)
  assert.deepEqual([status, failure_reason], ['authorized', AMBIGUOUS])
  assert.deepEqual(await postingsOf(service, body.id), RESERVED)
})

test('"had it already" to the second post means accepted', async () => {
  const body = await lost('error', { answer: 'had it' })
  await untilPosted(body, 2)
  assert.equal(await attemptOf(service, body.id), 'accepted')
  await settle(service, body.id)
  assert.equal(service.operator.movements().get(body.rail_reference), 1)
})

test('a second post that the operator provably did not take leaves the payout in doubt, and nothing is returned', async () => {
  const body = await lost('error', { answer: 'refuse to serve' })
  await untilPosted(body, 2)
  assert.equal(await attemptOf(service, body.id), 'in_doubt')
  const shown = await payoutOf(shop.live, body.id)
  assert.deepEqual([shown.status, shown.failure_reason], ['authorized', AMBIGUOUS])
  assert.deepEqual(await postingsOf(service, body.id), RESERVED)
})

test('if a second post is refused, the payout fails once the operator still knows of no other', async () => {
  const body = await lost('error', { answer: 'refuse', code: 'PAYEE_NOT_FOUND' })
  await untilPosted(body, 2)
  assert.equal((await payoutOf(shop.live, body.id)).status, 'authorized', 'that post alone proves nothing')
  const refusedMs = service.clock.nowMs()
  for (let look = 0; look < 2; look += 1) await lookOnce(service, body.id)
  assert.equal((await payoutOf(shop.live, body.id)).status, 'authorized', 'one lagging "not found" proves nothing')
  for (let look = 0; look < 2; look += 1) await lookOnce(service, body.id)
  const tookMs = service.clock.nowMs() - refusedMs
  assert.ok(tookMs >= MINUTE && tookMs <= 3 * MINUTE, `failed after ${tookMs} ms`)
  assert.equal(submits(body), 2)
  const failed = await payoutOf(shop.live, body.id)
  assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'recipient_not_found'])
  assert.deepEqual(await postingsOf(service, body.id), RETURNED)
  assert.deepEqual(await balanceOf(shop.live), { available: FUNDS, pending: 0 })
  assert.equal((await eventsOf(service, body.id)).length, 1)
})

test('if a second post is refused, the payout does not fail once the operator has said that it has one', async () => {
  const body = await lost('error', { answer: 'refuse', code: 'PAYEE_NOT_FOUND' })
  await untilPosted(body, 2)
  // It has no entry by which it could be named, so for one question everybody gets this answer.
  service.operator.onQuestion({ answer: 'pending' })
  await lookOnce(service, body.id)
  service.operator.onQuestion({ answer: 'book' })
  assert.equal(await attemptOf(service, body.id), 'accepted')
  for (let look = 0; look < 3; look += 1) await lookOnce(service, body.id)
  const open = await payoutOf(shop.live, body.id)
  assert.deepEqual([open.status, open.failure_reason], ['authorized', AMBIGUOUS])
  assert.deepEqual(await postingsOf(service, body.id), RESERVED)
})

test('if a second post is refused because the first one arrived late, the paid payout does not fail', async () => {
  const body = await lost('error', { answer: 'refuse', takes: true, code: 'EXPIRED' })
  await untilPosted(body, 2)
  service.operator.pays(body.id)
  await sendUntilEnded(service, body.id)
  assert.equal((await payoutOf(shop.live, body.id)).status, 'succeeded')
  assert.equal(service.operator.movements().get(body.rail_reference), 1)
})
