import assert from 'node:assert/strict'
import test from 'node:test'
import { type StatusHow, type SubmitHow, startOperator } from '../fakes/operator.ts'
import { followUntilEnded, passUntil, succeed } from '../helpers/following-charges.ts'
import { gate } from '../helpers/gate.ts'
import { DAY, eventually, newPayer, startBeside, startLiveService } from '../helpers/live-service.ts'
import { eventsOf, transfersOf } from '../helpers/money-rows.ts'
import { made, opened, openedAndVerified, prepare } from '../helpers/opened.ts'
import type { TestService } from '../helpers/test-service.ts'

// A request that never arrived: the operator has no trace of it, and says so whenever it is asked (rails.md 4.5).
const WINDOW_MS = 60_000
const service = openedAndVerified(() => startLiveService())
const worker = opened(() => startBeside(service))
const second = opened(() => startOperator())
const shop = made(() => service.shop())
prepare(async () => service.rail.addInstallation('second contract', second.url))

/** A charge whose first submit got lost and whose later ones meet `then`. */
async function lost(then: SubmitHow): Promise<any> {
  const phone = newPayer()
  service.operator.onSubmit((nth) => (nth === 1 ? { answer: 'error', takes: false } : then), phone)
  const { status, body } = await shop.live.charge({ customer: { phone } })
  assert.deepEqual([status, body.status], [201, 'authorized'])
  return body
}

const posts = (body: any) => service.rail.submitted.filter(({ publicId }) => publicId === body.id)
const questions = (body: any) =>
  service.operator.journal.filter(
    ({ what, reference }) => what === 'question' && reference === body.rail_reference,
  )
const ageMs = (body: any) => service.clock.nowMs() - Date.parse(body.created_at)

/** Moves the clock to the next question of this charge, and asks it. */
async function lookOnce(body: any, by: TestService = service): Promise<void> {
  const [row] = await service.rows<{ follow_at: Date | null }>(
    'select follow_at from charges where id = $1',
    [body.id],
  )
  if (row?.follow_at) passUntil(service, row.follow_at)
  await by.run('follow-charges')
}

async function untilPosted(body: any, times: number): Promise<number> {
  for (let look = 0; look < 20 && posts(body).length < times; look += 1) await lookOnce(body)
  assert.equal(posts(body).length, times)
  return ageMs(body)
}

async function lookFor(body: any, ms: number): Promise<void> {
  const until = service.clock.nowMs() + ms
  for (let look = 0; look < 200 && service.clock.nowMs() < until; look += 1) await lookOnce(body)
}

async function attemptOf(body: any) {
  const [row] = await service.rows<{ state: string; reposts: number }>(
    'select state, reposts from rail_attempts where subject = $1',
    [body.id],
  )
  return row
}
const shown = async (body: any) => (await shop.live.get(`/v1/charges/${body.id}`)).body

test('M3: a charge that got lost goes out again within a minute, under its reference, and is paid once', async () => {
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

test('M3: between the commit and the call its process dies: another one posts it, where it was to go', async () => {
  const phone = newPayer()
  const held = gate()
  // The request hangs before it has left: what a process that dies here leaves behind.
  service.operator.onSubmit(
    (nth) => (nth === 1 ? { answer: 'reset late', takes: false, until: held.opened } : { answer: 'accept' }),
    phone,
  )
  const hanging = shop.live.charge({ customer: { phone } })
  await eventually('it is stored', async () => (await byPhone(phone)) !== undefined)
  const body = await byPhone(phone)
  service.rail.activate('second contract')
  service.pass(31_000)
  await worker.run('follow-charges')
  assert.equal(posts(body).length, 1)
  await lookOnce(body, worker)
  service.rail.activate('first contract')
  assert.equal(posts(body).length, 2)
  assert.deepEqual([...new Set(posts(body).map(({ installation }) => installation))], ['first contract'])
  assert.equal(second.journal.length, 0)
  assert.deepEqual(await attemptOf(body), { state: 'accepted', reposts: 1 })
  held.open()
  await hanging
  assert.deepEqual(
    await attemptOf(body),
    { state: 'accepted', reposts: 1 },
    'the late end of the first one is no news',
  )
  await succeed(service, body.id)
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

test('M3: it goes out again at most twice, five seconds apart, and never after its minute', async () => {
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

test('M3: what the operator had already is accepted, and what it once said it has is never posted again', async () => {
  const body = await lost({ answer: 'had it' })
  await untilPosted(body, 2)
  assert.equal((await attemptOf(body))?.state, 'accepted')
  const other = await lost({ answer: 'accept' })
  const known: StatusHow = { answer: 'pending' }
  service.operator.onQuestion((nth) => (nth === 1 ? known : { answer: 'not found' }), other.rail_reference)
  await lookFor(other, WINDOW_MS)
  assert.equal(posts(other).length, 1)
})

test('M3: while the rail is not ready it is asked about, and posted when it is', async () => {
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

test('M3: a repeated post that is refused fails the charge after three times not found over a minute', async () => {
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

test('M3: a repeated post that is refused fails nothing once the operator has said that it has one', async () => {
  const body = await lost({ answer: 'refuse', code: 'EXPIRED' })
  await untilPosted(body, 2)
  service.operator.onQuestion({ answer: 'pending' }, body.rail_reference)
  await lookOnce(body)
  service.operator.onQuestion({ answer: 'not found' }, body.rail_reference)
  await lookFor(body, DAY)
  assert.equal((await shown(body)).status, 'authorized')
})

test('M3: a repeated post that is refused because the first one arrived late does not fail what is paid', async () => {
  const body = await lost({ answer: 'refuse', takes: true, code: 'EXPIRED' })
  await untilPosted(body, 2)
  service.operator.pays(body.id)
  await followUntilEnded(service, body.id)
  assert.equal((await shown(body)).status, 'succeeded')
})

test('M3, M5: a process that slept over the first post and wakes with a refusal fails nothing that went out again', async () => {
  for (const answer of ['refuse', 'refuse to serve'] as const) {
    const phone = newPayer()
    const held = gate()
    service.operator.onSubmit(
      (nth) => (nth === 1 ? { answer, until: held.opened } : { answer: 'accept' }),
      phone,
    )
    const hanging = shop.live.charge({ customer: { phone } })
    await eventually(
      'the operator was asked',
      async () =>
        service.entryOf((await byPhone(phone))?.id) === undefined &&
        posts((await byPhone(phone)) ?? {}).length === 1,
    )
    const body = await byPhone(phone)
    service.pass(31_000)
    await worker.run('follow-charges')
    await lookOnce(body, worker)
    assert.deepEqual(await attemptOf(body), { state: 'accepted', reposts: 1 })
    held.open()
    assert.equal((await hanging).body.status, 'authorized')
    assert.deepEqual([(await shown(body)).status, (await attemptOf(body))?.state], ['authorized', 'accepted'])
    await succeed(service, body.id)
    assert.equal((await shown(body)).status, 'succeeded')
    assert.deepEqual(await service.rows('select 1 from exceptions where subject = $1', [body.id]), [])
  }
})

test('M3: a process that slept over a repeated post and wakes with its acceptance tells it, though another post has left', async () => {
  const phone = newPayer()
  const held = gate()
  const error = { answer: 'error', takes: false } as const
  service.operator.onSubmit((nth) => (nth === 2 ? { answer: 'accept', until: held.opened } : error), phone)
  const { body } = await shop.live.charge({ customer: { phone } })
  service.operator.onQuestion({ answer: 'not found' }, body.rail_reference)
  await lookOnce(body)
  service.pass(2000)
  const slept = service.run('follow-charges')
  await eventually('the second post has left', () => posts(body).length === 2)
  service.pass(31_000)
  await worker.run('follow-charges')
  await lookOnce(body, worker)
  assert.deepEqual(await attemptOf(body), { state: 'in_doubt', reposts: 2 })
  held.open()
  await slept
  assert.deepEqual(await attemptOf(body), { state: 'accepted', reposts: 2 })
  service.operator.onQuestion({ answer: 'book' }, body.rail_reference)
  await succeed(service, body.id)
  assert.equal((await eventsOf(service, body.id)).length, 1)
})

test('M3: two workers at once post it once more, not twice', async () => {
  const lostOnes = []
  for (let nth = 0; nth < 12; nth += 1) lostOnes.push(await lost({ answer: 'accept' }))
  service.pass(6000)
  await Promise.all([service, worker].map((one) => one.run('follow-charges')))
  service.pass(4000)
  for (let round = 0; round < 3; round += 1) {
    await Promise.all([service, worker, service, worker].map((one) => one.run('follow-charges')))
    service.pass(2000)
  }
  for (const body of lostOnes) assert.equal(posts(body).length, 2)
  for (const body of lostOnes) await succeed(service, body.id)
})

async function byPhone(phone: string): Promise<any> {
  const [row] = await service.rows('select id, rail_reference, created_at from charges where phone = $1', [
    phone,
  ])
  return row
}
