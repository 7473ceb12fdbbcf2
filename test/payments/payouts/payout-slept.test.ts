import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SubmitHow } from '../../fakes/operator.ts'
import { gate } from '../../helpers/database/gate.ts'
import { balanceOf, eventsOf } from '../../helpers/database/money-rows.ts'
import { lookOnce, settle, submitsOf } from '../../helpers/payments/following-payouts.ts'
import { attemptOf, heardOf } from '../../helpers/payments/operator-heard.ts'
import { COST, PAID, postingsOf, RESERVED } from '../../helpers/payments/payout-money.ts'
import { pay, payoutOf, queueBulk, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { eventually, type LiveService, newPayer, startBeside } from '../../helpers/service/live-service.ts'
import type { Client, TestService } from '../../helpers/service/test-service.ts'

// A process stops during a submit or a question, and resumes long after another one has gone on.
const FUNDS = 500_000
const MINUTE = 60_000

describe('a worker that slept', { concurrency: 1 }, () => {
  for (const kind of ['single', 'bulk'] as const)
    for (const answer of ['refuse', 'refuse to serve', 'bar the account', 'garbage'] as const)
      test(`M5: a ${kind} payout that another worker posted again is not changed by "${answer}" to the first post`, async () => {
        await withServices(async (service, other) => {
          const { merchant, live } = await richShop(service, FUNDS)
          const api = other.client(merchant.keys.live)
          const phone = newPayer()
          const held = gate()
          const first: SubmitHow = { answer, code: 'NOT_TAKEN', takes: false, until: held.opened }
          service.operator.onSubmit((nth) => (nth === 1 ? first : { answer: 'accept' }), phone)
          const waking = kind === 'single' ? pay(live, { recipient: { phone } }) : sendOne(service, live, phone)
          await eventually('the operator was asked', () => heardBy(service, phone))
          service.pass(31_000)
          await other.run('send-payouts')
          const [{ id }] = (await api.get('/v1/payouts')).body.data
          for (let look = 0; look < 20 && (await submitsOf(service, id)) < 2; look += 1) await lookOnce(other, id)
          assert.equal(await attemptOf(service, id), 'accepted', 'the other worker posted it and it was taken')
          held.open()
          await waking
          await eventually('the late answer is written down', async () => (await submitEvidence(service, id)) === 2)
          assert.equal(await attemptOf(service, id), 'accepted')
          assert.equal((await payoutOf(live, id)).status, 'authorized', 'nobody has said that it failed')
          assert.deepEqual(await postingsOf(service, id), RESERVED)
          assert.deepEqual(await eventsOf(service, id), [])
          await settle(service, id)
          assert.deepEqual(await postingsOf(service, id), PAID)
          assert.equal(service.entryOf(id)?.state, 'moved')
          assert.equal(await submitsOf(service, id), 2)
          assert.deepEqual(await balanceOf(live), { available: FUNDS - COST, pending: 0 })
        })
      })

  test('M5: a "not found" from before the last post does not fail the payout that this post brought the operator', async () => {
    await withServices(async (service, other) => {
      const { live } = await richShop(service, FUNDS)
      const phone = newPayer()
      const held = gate()
      // Lost, then refused, then lost again until the operator takes it.
      service.operator.onSubmit(
        (nth) => ([{ answer: 'error' }, { answer: 'refuse' }][nth - 1] as SubmitHow) ?? { answer: 'accept' },
        phone,
      )
      service.operator.onSubmit({ answer: 'error', takes: false })
      const { body } = await pay(live, { recipient: { phone } })
      for (let look = 0; look < 20 && (await submitsOf(service, body.id)) < 2; look += 1)
        await lookOnce(service, body.id)
      for (let look = 0; look < 2; look += 1) await lookOnce(service, body.id)
      service.pass(MINUTE)
      // The question that would end it is asked, and its answer comes late.
      const asked = heardOf(service, 'question', body.rail_reference).length
      service.operator.onQuestion(
        (nth) => (nth === asked + 1 ? { answer: 'not found', until: held.opened } : { answer: 'pending' }),
        body.rail_reference,
      )
      const slow = service.run('send-payouts')
      await eventually('it is asked', () => heardOf(service, 'question', body.rail_reference).length > asked)
      service.pass(31_000)
      await other.run('send-payouts')
      assert.equal(await attemptOf(service, body.id), 'accepted', 'the operator says that it has it')
      held.open()
      await slow
      assert.equal((await payoutOf(live, body.id)).status, 'authorized')
      assert.deepEqual(await postingsOf(service, body.id), RESERVED)
    })
  })
})

async function sendOne(service: LiveService, live: Client, phone: string) {
  await queueBulk({ live }, [phone])
  await service.run('send-payouts')
}

const heardBy = async (service: LiveService, phone: string) =>
  service.rail.submitted.some((attempt) => attempt.phone === phone)

async function submitEvidence(service: LiveService, id: string): Promise<number> {
  const rows = await service.rows(
    `select 1 from rail_evidence e join rail_attempts a on a.id = e.attempt_id
     where a.subject = $1 and e.operation = 'submit'`,
    [id],
  )
  return rows.length
}

async function withServices(work: (service: LiveService, other: TestService) => Promise<void>): Promise<void> {
  const service = await startPayingService()
  const other = await startBeside(service)
  try {
    await work(service, other)
    await service.verify()
  } finally {
    await other.close()
    await service.close()
  }
}
