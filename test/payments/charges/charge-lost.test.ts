import assert from 'node:assert/strict'
import type { StatusHow } from '../../fakes/operator.ts'
import { eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { followUntilEnded, succeed } from '../../helpers/payments/following-charges.ts'
import { openLostCharges, WINDOW_MS } from '../../helpers/payments/lost-charges.ts'
import { heardOf } from '../../helpers/payments/operator-heard.ts'
import { DAY } from '../../helpers/service/live-service.ts'
import { longTest, test } from '../../helpers/service/parts.ts'

// How long and how often a charge that never reached the operator is posted again, and what refusals of later posts mean.
const { service, posts, lost, lookOnce, untilPosted, lookFor, attemptOf, shown } = openLostCharges()
const questions = (body: any) => heardOf(service, 'question', body.rail_reference)

test('M3: a lost charge is posted again within a minute, under its reference, and is paid once', async () => {
  const body = await lost({ answer: 'accept' })
  const age = await untilPosted(body, 2)
  assert.ok(age < WINDOW_MS, `posted again after ${age} ms`)
  assert.equal(questions(body).length, 2)
  const [first, again] = posts(body)
  assert.deepEqual(again, first, 'the very same attempt')
  assert.deepEqual(await attemptOf(body), { state: 'accepted', reposts: 1 })
  await succeed(service, body.id)
  assert.equal((await shown(body)).status, 'succeeded')
  assert.equal(service.operator.movements().get(body.rail_reference), 1)
  assert.equal((await eventsOf(service, body.id)).length, 1)
  assert.equal((await transfersOf(service, body.id)).length, 2)
  assert.equal(posts(body).length, 2)
})

test('M3: one "not found", or two within two seconds, post nothing', async () => {
  const body = await lost({ answer: 'accept' })
  await lookOnce(body)
  assert.equal(posts(body).length, 1)
  await service.rows('update charges set follow_at = $2 where id = $1', [body.id, service.clock.now()])
  service.pass(1000)
  await service.run('follow-charges')
  assert.deepEqual([questions(body).length, posts(body).length], [2, 1])
  await untilPosted(body, 2)
  await succeed(service, body.id)
})

test('M3: it is posted again at most twice, five seconds apart, and never after its first minute', async () => {
  const body = await lost({ answer: 'error', takes: false })
  const second = await untilPosted(body, 2)
  const third = await untilPosted(body, 3)
  assert.ok(third - second >= 5000, `${third - second} ms apart`)
  assert.ok(third < WINDOW_MS)
  await lookFor(body, DAY)
  assert.equal(posts(body).length, 3)
  assert.equal((await shown(body)).status, 'authorized')
})

test('M3: a charge that nobody could ask about for a minute is never posted again', async () => {
  const body = await lost({ answer: 'accept' })
  service.pass(WINDOW_MS)
  await lookFor(body, DAY)
  assert.equal(posts(body).length, 1)
  assert.deepEqual([(await shown(body)).status, (await attemptOf(body))?.state], ['authorized', 'in_doubt'])
})

test('M3: a charge that was not asked about again in its window is asked about by its age, not all the time', async () => {
  const body = await lost({ answer: 'accept' })
  await lookOnce(body)
  assert.equal(questions(body).length, 1)
  service.pass(WINDOW_MS)
  const until = service.clock.nowMs() + DAY
  await lookFor(body, DAY)
  // Each question is put off to a later time, so that a day of them is soon over.
  assert.ok(service.clock.nowMs() >= until, `${questions(body).length} questions, and the day is not over`)
  assert.equal(posts(body).length, 1)
})

test('M3: "had it already" means accepted, and a charge that the operator once knew is never posted again', async () => {
  const body = await lost({ answer: 'had it' })
  await untilPosted(body, 2)
  assert.equal((await attemptOf(body))?.state, 'accepted')
  const other = await lost({ answer: 'accept' })
  const known: StatusHow = { answer: 'pending' }
  service.operator.onQuestion((nth) => (nth === 1 ? known : { answer: 'not found' }), other.rail_reference)
  await lookFor(other, WINDOW_MS)
  assert.equal(posts(other).length, 1)
})

test('M3: while the rail is not ready it is asked about, and it is posted as soon as the rail is ready', async () => {
  const body = await lost({ answer: 'accept' })
  service.rail.ready('wait')
  for (let look = 0; look < 4; look += 1) await lookOnce(body)
  assert.equal(posts(body).length, 1)
  service.rail.ready('ready')
  await untilPosted(body, 2)
  await succeed(service, body.id)
})

test('M3: a repeated post that was provably not taken proves nothing about the first', async () => {
  const body = await lost({ answer: 'refuse to serve' })
  await untilPosted(body, 2)
  assert.deepEqual([(await shown(body)).status, (await attemptOf(body))?.state], ['authorized', 'in_doubt'])
})

longTest('M3: if a repeated post is refused, the charge fails after three "not found" over a minute', async () => {
  const body = await lost({ answer: 'refuse', code: 'NOT_ENOUGH_FUNDS' })
  await untilPosted(body, 2)
  const refusedAt = service.clock.nowMs()
  for (let look = 0; look < 30 && (await shown(body)).status === 'authorized'; look += 1) await lookOnce(body)
  const failed = await shown(body)
  assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'insufficient_funds'])
  assert.ok(service.clock.nowMs() - refusedAt >= WINDOW_MS)
  assert.equal(posts(body).length, 2)
  assert.equal((await eventsOf(service, body.id)).length, 1)
})

longTest(
  'M3: if a repeated post is refused, the charge does not fail once the operator has said that it has one',
  async () => {
    const body = await lost({ answer: 'refuse', code: 'EXPIRED' })
    await untilPosted(body, 2)
    service.operator.onQuestion({ answer: 'pending' }, body.rail_reference)
    await lookOnce(body)
    service.operator.onQuestion({ answer: 'not found' }, body.rail_reference)
    await lookFor(body, DAY)
    assert.equal((await shown(body)).status, 'authorized')
  },
)

longTest(
  'M3: if a repeated post is refused because the first one arrived late, the paid charge does not fail',
  async () => {
    const body = await lost({ answer: 'refuse', takes: true, code: 'EXPIRED' })
    await untilPosted(body, 2)
    service.operator.pays(body.id)
    await followUntilEnded(service, body.id)
    assert.equal((await shown(body)).status, 'succeeded')
  },
)
