import assert from 'node:assert/strict'
import test from 'node:test'
import { waitUntilIdle } from '../../src/platform/batches/lane.ts'
import { freePort } from '../crash/installation.ts'
import { eventsOf, transfersOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { eventually, newPayer } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'

// A charge whose operator calls back to the process that posted it (rails.md 4.3): asked at once, and stored with the answer.
const startCalledBack = async (entry: Record<string, unknown> = {}) => {
  const port = String(await freePort())
  return startOp1Service({
    env: { LIVE_HOLD_HOURS: '0', PORT: port },
    entry: { callback: { base: `http://127.0.0.1:${port}/inbound/op1` }, ...entry },
  })
}
type Service = Awaited<ReturnType<typeof startCalledBack>>
const service = openedAndVerified(() => startCalledBack())
const budgeted = openedAndVerified(() => startCalledBack({ statusPerSecond: 1 }))

const charged = async (on: Service) => {
  const shop = await on.shop()
  const { body } = await shop.live.charge({ customer: { phone: newPayer() } })
  return { shop, id: body.id as string, reference: body.rail_reference as string }
}
const attemptOf = async (on: Service, id: string) => {
  const [row] = await on.rows<{
    callbacks: number
    callback_seen_at: Date | null
    question_count: number
    follow_at: Date | null
    status: string
  }>(
    `select a.callbacks, a.callback_seen_at, a.question_count, c.follow_at, c.status
     from rail_attempts a join charges c on c.id = a.subject where a.subject = $1`,
    [id],
  )
  assert.ok(row)
  return row
}
const toldOf = async (on: Service, reference: string) =>
  (
    await on.rows<{ told: string }>(
      `select operation || ' ' || answer as told from rail_evidence where attempt_id = $1 order by seq`,
      [reference],
    )
  ).map(({ told }) => told)
/** Waits until the callback is stored, and the question that it led to is over. */
async function stored(on: Service, id: string): Promise<void> {
  await eventually('the callback is stored', async () => (await attemptOf(on, id)).callbacks > 0)
  await waitUntilIdle(on.app)
}

test('an answer that ends nothing stores the callback too, and the next question comes within 5 seconds of it', async () => {
  const { id, reference } = await charged(service)
  await service.emulator.callback(reference, { status: 'SUCCESSFUL' })
  await stored(service, id)
  const { status, callbacks, callback_seen_at, question_count, follow_at } = await attemptOf(service, id)
  assert.deepEqual([status, callbacks, question_count], ['authorized', 1, 1])
  // The ladder counts from the submit, which was before the callback.
  const nextMs = (follow_at?.getTime() ?? 0) - (callback_seen_at?.getTime() ?? 0)
  assert.ok(nextMs > 0 && nextMs <= 5000, `${nextMs} ms after the callback`)
  assert.deepEqual(await toldOf(service, reference), ['submit accepted', 'callback callback', 'status pending'])
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, id)
  assert.deepEqual([(await transfersOf(service, id)).length, (await eventsOf(service, id)).length], [2, 1])
})

test('an answer that contradicts what was asked for opens its exception, and the callback is stored', async () => {
  await service.emulator.fault('mismatch', { params: { field: 'amount' } })
  const { id, reference } = await charged(service)
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await stored(service, id)
  assert.equal((await attemptOf(service, id)).status, 'authorized')
  assert.deepEqual((await toldOf(service, reference)).sort(), [
    'callback callback',
    'status mismatch',
    'submit accepted',
  ])
  const opened = await service.rows('select 1 from exceptions where subject = $1 and kind = $2', [id, 'mismatch'])
  assert.equal(opened.length, 1)
})

test('a refusal by the customer ends the charge as failed at once', async () => {
  const { shop, id, reference } = await charged(service)
  await service.emulator.resolve(reference, { status: 'FAILED', reason: 'APPROVAL_REJECTED' })
  await stored(service, id)
  const { body } = await shop.live.get(`/v1/charges/${id}`)
  assert.deepEqual([body.status, body.failure_reason], ['failed', 'user_cancelled'])
})

test('callbacks about many charges at once end each of them once, whoever asks', async () => {
  const shop = await service.shop()
  const made = await Promise.all(
    Array.from({ length: 60 }, () => shop.live.charge({ amount: 1000, customer: { phone: newPayer() } })),
  )
  const references = made.map(({ body }) => body.rail_reference as string)
  await Promise.all(references.map((reference) => service.emulator.resolve(reference, { status: 'SUCCESSFUL' })))
  for (const { body } of made) {
    await stored(service, body.id)
    // On a slow machine the process has no time left for some, and leaves them to whoever asks next.
    await followUntilEnded(service, body.id)
    assert.equal((await attemptOf(service, body.id)).status, 'succeeded')
    assert.equal((await transfersOf(service, body.id)).length, 2)
  }
})

test('a contract with a budget is asked at once while it has questions left; the other callbacks wait their turn', async () => {
  const { emulator } = budgeted
  const charges = [await charged(budgeted), await charged(budgeted), await charged(budgeted)]
  for (const { id, reference } of charges) {
    await emulator.resolve(reference, { status: 'SUCCESSFUL' })
    await stored(budgeted, id)
  }
  const ended = () =>
    Promise.all(charges.map(async ({ id }) => (await attemptOf(budgeted, id)).status)).then((all) =>
      all.filter((status) => status === 'succeeded'),
    )
  assert.equal((await ended()).length, 1)
  for (let second = 0; second < 10 && (await ended()).length < 3; second += 1) {
    budgeted.pass(1100)
    await budgeted.run('follow-charges')
  }
  assert.equal((await ended()).length, 3)
  const questions = charges.map(
    ({ reference }) => emulator.journal(reference).filter(({ method }) => method === 'GET').length,
  )
  assert.deepEqual(questions, [1, 1, 1])
})
