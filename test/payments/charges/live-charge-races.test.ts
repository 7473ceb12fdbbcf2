import assert from 'node:assert/strict'
import type { Heard } from '../../fakes/operator.ts'
import { balanceOf, eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { assertPaused } from '../../helpers/payments/open-exceptions.ts'
import { askTwice } from '../../helpers/service/late-answer.ts'
import { newPayer, startBeside, startLiveService } from '../../helpers/service/live-service.ts'
import { sendToBoth } from '../../helpers/service/one-key.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'

const QUESTION_LEASE_MS = 30_000

const service = openedAndVerified(() => startLiveService())
const second = opened(() => startBeside(service))
const WORKERS = { service, second, sweep: 'follow-charges' } as const
const BOOK = { answer: 'book' } as const

for (const [first, then] of [
  ['failed', 'succeeded'],
  ['succeeded', 'failed'],
] as const)
  test(`once a charge has ${then}, a late "${first}" changes nothing and opens one exception`, async () => {
    const { merchant, live } = await service.shop()
    const { body } = await live.charge({ customer: { phone: newPayer() } })
    const answerLate = await askTwice({
      ...WORKERS,
      movement: body,
      first: { answer: first },
      next: { answer: then, code: 'APPROVAL_REJECTED' },
    })
    const { body: ended } = await live.get(`/v1/charges/${body.id}`)
    assert.equal(ended.status, then)
    const money = await balanceOf(live)
    await answerLate()

    assert.deepEqual((await live.get(`/v1/charges/${body.id}`)).body, ended)
    assert.deepEqual(await balanceOf(live), money)
    assert.equal((await transfersOf(service, body.id)).length, then === 'succeeded' ? 2 : 0)
    assert.equal((await eventsOf(service, body.id)).length, 1)
    await assertPaused(service, merchant, { subject: body.id, kind: 'late_contradiction' })
  })

test('the same answer twice is no contradiction', async () => {
  const { live } = await service.shop()
  const { body } = await live.charge({ customer: { phone: newPayer() } })
  service.operator.pays(body.id)
  const answerLate = await askTwice({ ...WORKERS, movement: body, first: BOOK, next: BOOK })
  await answerLate()
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
  assert.equal((await eventsOf(service, body.id)).length, 1)
  assert.deepEqual(await service.rows('select 1 from exceptions where subject = $1', [body.id]), [])
})

longTest(
  'two workers on the same rows ask one question at a time about each, credit once and send one event',
  async () => {
    const { live } = await service.shop()
    const charges = await Promise.all(
      Array.from({ length: 80 }, async () => (await live.charge({ customer: { phone: newPayer() } })).body),
    )
    const slowly = () => new Promise((resolve) => setTimeout(resolve, 20))
    for (const { id } of charges) service.operator.onQuestion(() => ({ answer: 'book', until: slowly() }), id)
    for (const { id } of charges.slice(40)) service.operator.pays(id)
    for (let round = 0; round < 20 && (await openOnes()) > 0; round += 1) {
      service.pass(round < 3 ? 6000 : QUESTION_LEASE_MS + 1000)
      if (round === 2) for (const { id } of charges.slice(0, 40)) service.operator.pays(id)
      // A worker that finds no free connection on a busy machine leaves its rows to the next round.
      await Promise.allSettled([service, second, service, second].map((worker) => worker.run('follow-charges')))
    }
    assert.equal(await openOnes(), 0)
    for (const { id, rail_reference } of charges) {
      const asked = questionsAbout(rail_reference)
      assert.ok(asked.length > 0)
      assert.ok(!overlap(asked), `${id} was asked about by two workers at once`)
      assert.equal((await eventsOf(service, id)).length, 1)
      assert.equal((await transfersOf(service, id)).length, 2)
    }
    assert.deepEqual(await balanceOf(live), { available: 0, pending: 80 * 4800 })
  },
)

test('two web processes with one key: the operator is asked once, the second gets a 409 or the first answer', async () => {
  const { merchant, live } = await service.shop()
  const other = second.client(merchant.keys.live)
  for (let round = 0; round < 5; round += 1)
    await sendToBoth(service, `both at once ${round}`, [
      (phone, key) => live.charge({ customer: { phone } }, key),
      (phone, key) => other.charge({ customer: { phone } }, key),
    ])
})

const openOnes = async () => (await service.rows('select 1 from charges where follow_at is not null')).length

const questionsAbout = (reference: string): Heard[] =>
  service.operator.journal.filter((one) => one.what === 'question' && one.reference === reference)

const overlap = (asked: readonly Heard[]) =>
  asked.some((one, index) => index > 0 && one.startedMs < (asked[index - 1]?.endedMs ?? Infinity))
