import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { freezePlatform } from '../../../../src/merchants/account/payout-freeze.ts'
import type { SubmitHow } from '../../../fakes/operator.ts'
import { gate } from '../../../helpers/database/gate.ts'
import { balanceOf, eventsOf } from '../../../helpers/database/money-rows.ts'
import { settle } from '../../../helpers/payments/following-payouts.ts'
import { attemptOf, heardOf, submitAnswered } from '../../../helpers/payments/operator-heard.ts'
import { AMBIGUOUS, COST, PAID, postingsOf, RESERVED, RETURNED } from '../../../helpers/payments/payout-money.ts'
import { pay, payoutOf, richShop, startPayingService, watchingLocks } from '../../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { DAY, eventually, type LiveService, newPayer, type Shop } from '../../../helpers/service/live-service.ts'
import { onOwnService } from '../../../helpers/service/own-service.ts'
import { longTest, testFor } from '../../../helpers/service/parts.ts'

// The caller's 5 seconds are real time, so each of these tests has a service and a clock of its own.
const ANSWER_DEADLINE_MS = 5000
const FUNDS = 500_000

const CODES = { 'refuse to serve': 'NOT_TAKEN', refuse: 'PAYEE_LOCKED', accept: '' } as const

type Late = {
  how: SubmitHow
  state: string
  /** What the merchant sees once the late answer is recorded. */
  shown: { status: string; failure_reason: string | null }
  finish(service: LiveService, shop: Shop, body: any): Promise<void>
}
const LATE: Late[] = [
  {
    how: { answer: 'accept' },
    state: 'accepted',
    shown: { status: 'authorized', failure_reason: null },
    finish: async (service, { live }, { id, rail_reference }) => {
      await settle(service, id)
      assert.deepEqual(await postingsOf(service, id), PAID)
      assert.equal(service.operator.movements().get(rail_reference), 1)
      assert.deepEqual(await balanceOf(live), { available: FUNDS - COST, pending: 0 })
    },
  },
  {
    how: { answer: 'refuse', code: 'PAYEE_LOCKED' },
    state: 'ended',
    shown: { status: 'failed', failure_reason: 'wallet_locked' },
    finish: async (service, { live }, { id }) => {
      assert.deepEqual(await postingsOf(service, id), RETURNED)
      assert.deepEqual(
        (await eventsOf(service, id)).map(({ type }) => type),
        ['payout.failed'],
      )
      assert.deepEqual(await balanceOf(live), { available: FUNDS, pending: 0 })
      assert.deepEqual(await service.rows('select 1 from exceptions'), [])
    },
  },
  ...(['refuse to serve', 'bar the account'] as const).map(
    (answer): Late => ({
      how: { answer },
      state: 'not_sent',
      shown: { status: 'authorized', failure_reason: null },
      finish: async (service, { live }, { id, rail_reference }) => {
        assert.deepEqual(await postingsOf(service, id), RESERVED, 'the object exists: nothing is taken back')
        assert.deepEqual(await balanceOf(live), { available: FUNDS - COST, pending: 0 })
        service.operator.onSubmit({ answer: 'accept' }, id)
        service.pass(DAY)
        await service.run('send-payouts')
        assert.equal(await attemptOf(service, id), 'accepted', 'it was sent again')
        assert.equal(heardOf(service, 'submit', rail_reference).length, 2)
        await settle(service, id)
        assert.deepEqual(await postingsOf(service, id), PAID)
        assert.equal(service.operator.movements().get(rail_reference), 1)
      },
    }),
  ),
  {
    how: { answer: 'reset late' },
    state: 'in_doubt',
    shown: { status: 'authorized', failure_reason: AMBIGUOUS },
    finish: async (service, { live }, { id, rail_reference }) => {
      service.pass(30 * DAY)
      await service.run('send-payouts')
      const { status, failure_reason } = await payoutOf(live, id)
      assert.deepEqual([status, failure_reason], ['authorized', AMBIGUOUS])
      await settle(service, id)
      assert.deepEqual(await postingsOf(service, id), PAID)
      assert.equal(heardOf(service, 'submit', rail_reference).length, 1)
    },
  },
]

const withService = (work: (service: LiveService) => Promise<void>) => onOwnService(startPayingService, work)

describe('an operator slower than its caller', { concurrency: 3 }, () => {
  for (const [nth, { how, state, shown, finish }] of LATE.entries())
    testFor(nth === 0)(`201 after five seconds; the operator's later answer, "${how.answer}", is applied`, async () => {
      await withService(async (service) => {
        const shop = await richShop(service, FUNDS)
        const phone = newPayer()
        const held = gate()
        service.operator.onSubmit({ ...how, until: held.opened }, phone)
        const key = { 'idempotency-key': 'a slow operator' }
        const started = performance.now()
        const accepted = await pay(shop.live, { recipient: { phone } }, key)
        const tookMs = performance.now() - started
        assert.ok(tookMs >= ANSWER_DEADLINE_MS - 100, `answered after ${tookMs} ms`)
        const { id, status, failure_reason } = accepted.body
        assert.deepEqual([accepted.status, status, failure_reason], [201, 'authorized', AMBIGUOUS])
        assert.deepEqual(await payoutOf(shop.live, id), accepted.body)
        assert.equal(await attemptOf(service, id), 'in_doubt')
        assert.deepEqual(await eventsOf(service, id), [])
        held.open()
        await eventually('the late answer is recorded', () => submitAnswered(service, id))
        await eventually('it is applied', async () => (await attemptOf(service, id)) === state)
        const now = await payoutOf(shop.live, id)
        assert.deepEqual({ status: now.status, failure_reason: now.failure_reason }, shown)
        await finish(service, shop, accepted.body)
        const again = await pay(shop.live, { recipient: { phone } }, key)
        assert.deepEqual([again.status, again.text], [201, accepted.text])
      })
    })

  for (const answer of ['refuse to serve', 'refuse', 'accept'] as const)
    longTest(
      `an operator that answers "${answer}" at the very moment of the 201: answer, row and ledger agree`,
      async () => {
        await withService(async (service) => {
          const { live } = await richShop(service, FUNDS)
          const payAll = () =>
            Promise.all(
              Array.from({ length: 20 }, (_, nth) => {
                const phone = newPayer()
                service.operator.onSubmit({ answer, code: CODES[answer], afterMs: 4950 + nth * 5 }, phone)
                return pay(live, { recipient: { phone }, reference: `at ${nth}` })
              }),
            )
          const { value: replies, rings } = await watchingLocks(service, async () => {
            const answers = await payAll()
            await eventually('every late answer is applied', () => everyAnswerApplied(service))
            return answers
          })
          assert.deepEqual(rings, [], 'parking and recording never wait for each other')
          for (const { status, body } of replies) {
            if (status === 201) assert.equal((await live.get(`/v1/payouts/${body.id}`)).status, 200)
            else assert.deepEqual([answer, status, body.code], ['refuse to serve', 503, 'rail_unavailable'])
          }
          const shown = (await live.get('/v1/payouts?limit=100')).body.data
          assert.equal(shown.length, replies.filter(({ status }) => status === 201).length)
          const open = shown.filter(({ status }: any) => status === 'authorized').length
          assert.deepEqual(await balanceOf(live), { available: FUNDS - open * COST, pending: 0 })
        })
      },
    )

  longTest('a refusal that arrives after the success was seen is a contradiction, not a failure', async () => {
    await withService(async (service) => {
      const { live } = await richShop(service, FUNDS)
      const phone = newPayer()
      const held = gate()
      service.operator.onSubmit({ answer: 'refuse', takes: true, until: held.opened }, phone)
      const { body } = await pay(live, { recipient: { phone } })
      await settle(service, body.id)
      assert.equal((await payoutOf(live, body.id)).status, 'succeeded')
      held.open()
      await eventually('the exception is open', async () => {
        const rows = await service.rows("select 1 from exceptions where subject = $1 and kind = 'late_contradiction'", [
          body.id,
        ])
        return rows.length === 1
      })
      assert.equal((await payoutOf(live, body.id)).status, 'succeeded')
      assert.deepEqual(await postingsOf(service, body.id), PAID)
      assert.equal((await eventsOf(service, body.id)).length, 1)
      assert.equal((await pay(live)).body.code, 'payouts_paused')
    })
  })

  longTest(
    'a parked payout that was not taken waits during a freeze without being returned, and is sent afterwards',
    async () => {
      await withService(async (service) => {
        const { live } = await richShop(service, FUNDS)
        const phone = newPayer()
        const held = gate()
        service.operator.onSubmit({ answer: 'refuse to serve', until: held.opened }, phone)
        const { body } = await pay(live, { recipient: { phone } })
        held.open()
        await eventually('the late answer is recorded', () => submitAnswered(service, body.id))
        service.operator.onSubmit({ answer: 'accept' }, phone)
        await freezePlatform(service.gateway, BY_HAND, 'a review')
        for (let nth = 0; nth < 3; nth += 1) {
          service.pass(600_000)
          await service.run('send-payouts')
        }
        assert.equal(heardOf(service, 'submit', body.rail_reference).length, 1)
        assert.deepEqual(await postingsOf(service, body.id), RESERVED)
        await freezePlatform(service.gateway, BY_HAND, null)
        await sendOnce(service)
        assert.equal(heardOf(service, 'submit', body.rail_reference).length, 2)
        await settle(service, body.id)
        assert.equal(service.operator.movements().get(body.rail_reference), 1)
      })
    },
  )
})

const everyAnswerApplied = async (service: LiveService) => {
  const open = await service.rows(
    `select 1 from rail_attempts where side = 'disburse'
       and (submit_ended_at is null or (refused_as is not null and state <> 'ended'))`,
  )
  return open.length === 0
}

async function sendOnce(service: LiveService): Promise<void> {
  service.pass(900_000)
  await service.run('send-payouts')
}
