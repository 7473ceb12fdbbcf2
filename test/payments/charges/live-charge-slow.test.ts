import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { SubmitHow } from '../../fakes/operator.ts'
import { gate } from '../../helpers/database/gate.ts'
import { balanceOf, eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { attemptOf, submitAnswered } from '../../helpers/payments/operator-heard.ts'
import { topUpShop } from '../../helpers/payments/top-ups.ts'
import {
  DAY,
  eventually,
  type LiveService,
  newPayer,
  type Shop,
  startBeside,
  startLiveService,
} from '../../helpers/service/live-service.ts'
import { onOwnService } from '../../helpers/service/own-service.ts'
import { longTest, testFor } from '../../helpers/service/parts.ts'

// The caller's 5 seconds are real time, so each of these tests has a service and a clock of its own.
const ANSWER_DEADLINE_MS = 5000

const LATE: {
  how: SubmitHow
  state: string
  finish(service: LiveService, shop: Shop, id: string): Promise<void>
}[] = [
  {
    how: { answer: 'accept' },
    state: 'accepted',
    finish: async (service, { live }, id) => {
      assert.equal((await live.get(`/v1/charges/${id}`)).body.status, 'authorized')
      service.operator.pays(id)
      await followUntilEnded(service, id)
      assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
    },
  },
  {
    how: { answer: 'refuse', code: 'NOT_ENOUGH_FUNDS' },
    state: 'ended',
    finish: (service, shop, id) => assertFailed(service, shop, { id, reason: 'insufficient_funds' }),
  },
  {
    how: { answer: 'refuse to serve' },
    state: 'ended',
    finish: (service, shop, id) => assertFailed(service, shop, { id, reason: 'rail_rejected' }),
  },
  {
    how: { answer: 'reset late' },
    state: 'in_doubt',
    finish: async (service, { live }, id) => {
      service.pass(30 * DAY)
      await service.run('follow-charges')
      const { body } = await live.get(`/v1/charges/${id}`)
      assert.deepEqual([body.status, body.failure_reason], ['authorized', null])
      service.operator.pays(id)
      await followUntilEnded(service, id)
      assert.equal((await transfersOf(service, id)).length, 2)
    },
  },
]

const withService = (work: (service: LiveService) => Promise<void>) => onOwnService(startLiveService, work)

describe('an operator slower than its caller', { concurrency: true }, () => {
  for (const [nth, { how, state, finish }] of LATE.entries())
    testFor(nth === 0)(`201 after five seconds; the operator's later answer, "${how.answer}", is applied`, async () => {
      await withService(async (service) => {
        const shop = await service.shop()
        const phone = newPayer()
        const held = gate()
        service.operator.onSubmit({ ...how, until: held.opened }, phone)
        const key = { 'idempotency-key': 'a slow operator' }
        const started = performance.now()
        const accepted = await shop.live.charge({ customer: { phone } }, key)
        const tookMs = performance.now() - started
        assert.ok(tookMs >= ANSWER_DEADLINE_MS - 100, `answered after ${tookMs} ms`)
        const { id, status, failure_reason } = accepted.body
        assert.deepEqual([accepted.status, status, failure_reason], [201, 'authorized', null])
        assert.equal((await shop.live.get(`/v1/charges/${id}`)).body.status, 'authorized')
        assert.equal(await attemptOf(service, id), 'in_doubt')
        assert.deepEqual(await eventsOf(service, id), [])
        held.open()
        await eventually('the late answer is recorded', () => submitAnswered(service, id))
        await eventually('it is applied', async () => (await attemptOf(service, id)) === state)
        await finish(service, shop, id)
        const again = await shop.live.charge({ customer: { phone } }, key)
        assert.deepEqual([again.status, again.text], [201, accepted.text])
      })
    })

  longTest(
    'a refusal that arrives after the follower has seen the success is a contradiction, not a failure',
    async () => {
      await withService(async (service) => {
        const { live } = await service.shop()
        const phone = newPayer()
        const held = gate()
        service.operator.onSubmit({ answer: 'refuse to serve', takes: true, until: held.opened }, phone)
        const { body } = await live.charge({ customer: { phone } })
        service.operator.pays(body.id)
        await followUntilEnded(service, body.id)
        assert.equal((await live.get(`/v1/charges/${body.id}`)).body.status, 'succeeded')
        held.open()
        await eventually('the exception is open', async () => {
          const rows = await service.rows('select kind from exceptions where subject = $1', [body.id])
          return rows.length === 1
        })
        assert.equal((await live.get(`/v1/charges/${body.id}`)).body.status, 'succeeded')
        assert.equal((await eventsOf(service, body.id)).length, 1)
        assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
      })
    },
  )

  longTest(
    'a top-up whose owner has heard that it is parked stays, and fails when the operator proves it took nothing',
    async () => {
      await withService(async (service) => {
        const { phone, askAsOwner, listed } = await topUpShop(service)
        const held = gate()
        service.operator.onSubmit({ answer: 'refuse to serve', until: held.opened }, phone)
        const parked = await askAsOwner()
        assert.deepEqual([parked.status, await attemptOf(service, parked.id)], ['authorized', 'in_doubt'])
        held.open()
        await eventually('the late answer is applied', async () => (await listed())[0]?.status === 'failed')
        assert.equal((await listed())[0]?.failureReason, 'rail_rejected')
      })
    },
  )

  longTest('a key whose process hangs for over 30 seconds gets its first answer from another process', async () => {
    await withService(async (service) => {
      const { merchant, live } = await service.shop()
      const other = await startBeside(service)
      const held = gate()
      try {
        const phone = newPayer()
        const order = { customer: { phone }, reference: 'orphan' }
        const key = { 'idempotency-key': 'left behind' }
        service.operator.onSubmit(() => ({ answer: 'silence', until: held.opened }), phone)
        const hanging = live.charge(order, key)
        await eventually('the operator was asked', () => service.operator.submits() === 1)
        const api = other.client(merchant.keys.live)
        assert.equal((await api.charge(order, key)).status, 409)
        assert.deepEqual((await api.get('/v1/charges')).body.data, [], 'nobody sees it before it is decided')
        assert.equal(await other.run('finish-keys'), 0, 'its own request still has it')
        service.pass(31_000)
        service.operator.pays(phone)
        await other.run('follow-charges')
        const [paid] = (await api.get('/v1/charges')).body.data
        assert.equal(paid.status, 'succeeded')
        assert.equal(await other.run('finish-keys'), 0, 'its answer counts since the charge was shown')
        const replayed = await api.charge(order, key)
        assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
        const { status, completed_at, available_on, id } = replayed.body
        assert.deepEqual(
          { status, completed_at, available_on, id },
          { status: 'authorized', completed_at: null, available_on: null, id: paid.id },
          'as it was created, whatever it has become',
        )
        const late = await hanging
        assert.deepEqual([late.status, late.text], [201, replayed.text])
        assert.equal((await api.charge(order, key)).text, replayed.text)
        assert.equal(service.operator.submits(), 1)
        assert.equal((await transfersOf(service, replayed.body.id)).length, 2)
        assert.equal((await eventsOf(service, replayed.body.id)).length, 1)
      } finally {
        held.open()
        await other.close()
      }
    })
  })

  longTest('a key whose charge was taken back is free again', async () => {
    await withService(async (service) => {
      const { live } = await service.shop()
      const phone = newPayer()
      const key = { 'idempotency-key': 'taken back' }
      service.operator.onSubmit({ answer: 'silence' }, phone)
      const hanging = live.charge({ customer: { phone } }, key)
      await eventually('the operator was asked', () => service.operator.submits() === 1)
      // A process of the release before took the charge back and died before it freed the key.
      await service.rows('update charges set voided_at = now(), follow_at = null where phone = $1', [phone])
      await service.rows("update rail_attempts set state = 'void'")
      // That release stored the answer only when it had shown the charge.
      await service.rows('update idempotency_keys set status = null, body = null')
      service.pass(31_000)
      assert.equal(await service.run('finish-keys'), 1)
      assert.equal((await service.rows('select 1 from idempotency_keys')).length, 0)
      await hanging
      service.operator.onSubmit({ answer: 'accept' }, phone)
      const anew = await live.charge({ customer: { phone } }, key)
      assert.deepEqual([anew.status, anew.headers.get('idempotent-replayed')], [201, null])
      assert.deepEqual(
        (await live.get('/v1/charges')).body.data.map(({ id }: any) => id),
        [anew.body.id],
      )
    })
  })

  longTest('a row left in state sending is published after 30 seconds and asked about at once', async () => {
    await withService(async (service) => {
      const { live } = await service.shop()
      const phone = newPayer()
      service.operator.onSubmit({ answer: 'silence' }, phone)
      const hanging = live.charge({ customer: { phone } })
      await eventually('the operator was asked', () => service.operator.submits() === 1)
      service.pass(25_000)
      await service.run('follow-charges')
      assert.equal(service.operator.journal.length, 1, 'it belongs to its request for 30 seconds')
      service.pass(6000)
      await service.run('follow-charges')
      assert.equal(service.operator.journal.length, 2)
      const [charge] = (await live.get('/v1/charges')).body.data
      assert.equal(charge.status, 'authorized')
      assert.equal(await attemptOf(service, charge.id), 'accepted', 'the operator knows it')
      assert.equal((await hanging).body.id, charge.id)
      const state = await attemptOf(service, charge.id)
      assert.equal(state, 'accepted', 'nor does it forget that when the caller has waited long enough')
    })
  })
})

async function assertFailed(
  service: LiveService,
  { live }: Shop,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  const { body } = await live.get(`/v1/charges/${id}`)
  assert.deepEqual([body.status, body.failure_reason], ['failed', reason])
  assert.notEqual(body.completed_at, null)
  assert.deepEqual(
    (await eventsOf(service, id)).map(({ type }) => type),
    ['charge.failed'],
  )
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 0 })
  assert.deepEqual(await service.rows('select 1 from exceptions'), [])
}
