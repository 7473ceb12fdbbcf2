import assert from 'node:assert/strict'
import test from 'node:test'
import type { Rail } from '../../../src/rails/rail.ts'
import type { StatusHow, SubmitHow } from '../../fakes/operator.ts'
import { balanceOf, eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { followUntilEnded, passUntil, succeed } from '../../helpers/payments/following-charges.ts'
import { assertPaused } from '../../helpers/payments/open-exceptions.ts'
import { assertVerified, DAY, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startLiveService())

const DOUBTS: { submit: SubmitHow['answer']; question: StatusHow['answer'] }[] = [
  { submit: 'reset late', question: 'pending' },
  { submit: 'garbage', question: 'unknown' },
  { submit: 'error', question: 'not found' },
  { submit: 'reset early', question: 'not found' },
  { submit: 'reset late', question: 'garbage' },
  { submit: 'error', question: 'reset' },
  { submit: 'accept', question: 'error' },
  { submit: 'accept', question: 'pending' },
  { submit: 'accept', question: 'not found' },
]

test('a charge that the operator leaves open stays authorized for 30 days, and is paid once the operator says so', async () => {
  const { live } = await service.shop()
  const ids: string[] = []
  for (const { submit, question } of DOUBTS) {
    service.operator.onSubmit({ answer: submit, takes: submit !== 'reset early' })
    const accepted = await live.charge({ customer: { phone: newPayer() } })
    assert.deepEqual([accepted.status, accepted.body.status, accepted.body.failure_reason], [201, 'authorized', null])
    const { id, rail_reference: reference } = accepted.body
    service.operator.onQuestion({ answer: question }, id)
    service.operator.onQuestion({ answer: question }, reference)
    const [attempt] = await service.rows<{ state: string }>('select state from rail_attempts where subject = $1', [id])
    assert.equal(attempt?.state, submit === 'accept' ? 'accepted' : 'in_doubt', submit)
    ids.push(id)
  }
  service.operator.onSubmit({ answer: 'accept' })
  await followForDays(30)
  for (const [nth, id] of ids.entries()) {
    const { body } = await live.get(`/v1/charges/${id}`)
    assert.deepEqual([body.status, body.failure_reason, body.completed_at], ['authorized', null, null])
    assert.deepEqual(await eventsOf(service, id), [])
    const { submit, question } = DOUBTS[nth] as (typeof DOUBTS)[number]
    // A request unknown to the operator is posted once more; then it has it, and no reference is ever taken twice.
    const again = submit !== 'accept' && question === 'not found' ? 1 : 0
    assert.equal(submitsOf(id), (submit === 'reset early' ? 0 : 1) + again, `${submit}, then ${question}`)
    const asked = service.operator.journal.filter((one) => one.what === 'question' && isOf(id, one.reference))
    assert.ok(asked.length > 30, `asked ${asked.length} times`)
  }
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 0 })

  for (const id of ids) {
    const { body } = await live.get(`/v1/charges/${id}`)
    const { amount, rail_reference: reference } = body
    const [row] = await service.rows<{ phone: string }>('select phone from charges where id = $1', [id])
    const says = { reference, amount, currency: 'UGX', phone: row?.phone ?? '', external_id: id }
    service.operator.onQuestion({ answer: 'succeeded', says }, id)
    service.operator.onQuestion({ answer: 'succeeded', says }, reference)
    await followUntilEnded(service, id)
    await service.run('follow-charges')
    assert.equal((await transfersOf(service, id)).length, 2)
    assert.equal((await eventsOf(service, id)).length, 1)
  }
  const due = (await live.get('/v1/charges?status=succeeded')).body.data
  assert.equal(due.length, DOUBTS.length)
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 * DOUBTS.length })
})

test('a parked charge can still fail, once, for the reason the operator gives', async () => {
  const { live } = await service.shop()
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'reset late' }, phone)
  const { body } = await live.charge({ customer: { phone } })
  service.operator.refuses(body.id, 'EXPIRED')
  await followUntilEnded(service, body.id)
  const { body: failed } = await live.get(`/v1/charges/${body.id}`)
  assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'timeout'])
  assert.deepEqual(
    (await eventsOf(service, body.id)).map(({ type }) => type),
    ['charge.failed'],
  )
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 0 })
})

test('the first question comes 5 seconds after the submit, not before', async () => {
  const { live } = await service.shop()
  const { body } = await live.charge({ customer: { phone: newPayer() } })
  const questions = () =>
    service.operator.journal.filter((one) => one.what === 'question' && isOf(body.id, one.reference)).length
  service.pass(4000)
  await service.run('follow-charges')
  assert.equal(questions(), 0)
  service.pass(1000)
  await service.run('follow-charges')
  assert.equal(questions(), 1)
  await service.run('follow-charges')
  assert.equal(questions(), 1, 'the next one has its own time')
  await succeed(service, body.id)
})

for (const [what, says] of [
  ['amount', { amount: 5001 }],
  ['currency', { currency: 'EUR' }],
  ['party', { phone: '256711111111' }],
  ['external id', { external_id: 'txn_of_somebody_else' }],
] as const)
  test(`success with another ${what} moves nothing, opens one critical exception and pauses payouts`, async () => {
    const { merchant, live } = await service.shop()
    const { body } = await live.charge({ customer: { phone: newPayer() } })
    service.operator.pays(body.id)
    service.operator.onQuestion({ answer: 'book', says }, body.id)
    for (let nth = 0; nth < 3; nth += 1) {
      const [row] = await service.rows<{ follow_at: Date }>('select follow_at from charges where id = $1', [body.id])
      assert.ok(row?.follow_at, 'it is asked about further')
      passUntil(service, row.follow_at)
      await service.run('follow-charges')
    }
    assert.equal((await live.get(`/v1/charges/${body.id}`)).body.status, 'authorized')
    assert.deepEqual(await transfersOf(service, body.id), [])
    assert.deepEqual(await eventsOf(service, body.id), [])
    assert.deepEqual(await balanceOf(live), { available: 0, pending: 0 })
    await assertPaused(service, merchant, { subject: body.id, kind: 'mismatch' })
  })

test('the same party in another written form is not a mismatch', async () => {
  const { live } = await service.shop()
  const phone = newPayer()
  const { body } = await live.charge({ customer: { phone } })
  service.operator.onQuestion({ answer: 'book', says: { phone: `0${phone.slice(3)}` } }, body.id)
  await succeed(service, body.id)
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
})

test('a throw inside submit is ambiguous, and a throw inside a question ends nothing', async () => {
  let throwing = true
  const collect = service.rail.collect as NonNullable<Rail['collect']>
  const rail: Rail = {
    ...service.rail,
    collect: {
      submit: async (attempt, deadline) => {
        await collect.submit(attempt, deadline)
        throw new Error('a mistake of the adapter, after sending')
      },
      status: async (attempt, deadline) => {
        if (throwing) throw new Error('a mistake of the adapter')
        return collect.status(attempt, deadline)
      },
    },
  }
  const own = await startService({ clock: service.clock, liveRails: { op1_momo: rail } })
  try {
    const merchant = await own.merchant({ verified: true })
    const live = own.client(merchant.keys.live)
    const { status, body } = await live.charge({ customer: { phone: newPayer() } })
    assert.deepEqual([status, body.status, body.failure_reason], [201, 'authorized', null])
    service.operator.pays(body.id)
    own.pass(6000)
    await own.run('follow-charges')
    assert.equal((await live.get(`/v1/charges/${body.id}`)).body.status, 'authorized')
    assert.deepEqual(await eventsOf(own, body.id), [])
    throwing = false
    await followUntilEnded(own, body.id)
    assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
    await assertVerified(own)
  } finally {
    await own.close()
  }
})

/** Step by step through the questions of the first minutes, then in steps of twelve hours. */
async function followForDays(days: number): Promise<void> {
  const end = service.clock.nowMs() + days * DAY
  for (const seconds of [5, 5, 5, 5, 10, 15, 15, 30, 30, 60, 60, 60, 120, 900, 3600]) {
    service.pass(seconds * 1000)
    await service.run('follow-charges')
  }
  while (service.clock.nowMs() < end) {
    service.pass(DAY / 2)
    await service.run('follow-charges')
  }
}

const isOf = (id: string, reference: string) => service.operator.book.get(reference)?.external_id === id
const submitsOf = (id: string) =>
  service.operator.journal.filter((one) => one.what === 'submit' && isOf(id, one.reference)).length
