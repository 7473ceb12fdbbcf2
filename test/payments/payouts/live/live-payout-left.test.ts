import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { gate } from '../../../helpers/database/gate.ts'
import { balanceOf, eventsOf } from '../../../helpers/database/money-rows.ts'
import { settle } from '../../../helpers/payments/following-payouts.ts'
import { attemptOf } from '../../../helpers/payments/operator-heard.ts'
import { AMBIGUOUS, COST, PAID, postingsOf } from '../../../helpers/payments/payout-money.ts'
import { pay, richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { eventually, type LiveService, newPayer, startBeside } from '../../../helpers/service/live-service.ts'
import { onOwnService } from '../../../helpers/service/own-service.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'

// The states left by a process that died or hung between the reservation of a payout and its answer.
const FUNDS = 500_000

const withService = (work: (service: LiveService) => Promise<void>) => onOwnService(startPayingService, work)

/**
 * A process sleeps over the operator's answer for more than 30 seconds: another one finishes its key and answers a repeat.
 * `wakeUp`: the first one reads the operator's answer, and gives its own.
 */
async function asleepOver(service: LiveService, answer: 'accept' | 'refuse' | 'refuse to serve' | 'bar the account') {
  const { merchant, live } = await richShop(service, FUNDS)
  const order = { recipient: { phone: newPayer() } }
  const key = { 'idempotency-key': 'a process that slept' }
  const held = gate()
  service.operator.onSubmit(() => ({ answer, until: held.opened }), order.recipient.phone)
  // Before the request, whose 5 seconds are real time.
  const other = await startBeside(service)
  const submits = service.operator.submits()
  const hanging = pay(live, order, key)
  await eventually('the operator was asked', () => service.operator.submits() === submits + 1)
  service.pass(31_000)
  assert.equal(await other.run('finish-keys'), 1)
  const replayed = await pay(other.client(merchant.keys.live), order, key)
  await other.close()
  const wakeUp = () => {
    held.open()
    return hanging
  }
  return { live, replayed, wakeUp }
}

describe('a process that is gone', { concurrency: 2 }, () => {
  longTest('a key whose process hangs for over 30 seconds gets its first answer from another process', async () => {
    await withService(async (service) => {
      const { merchant, live } = await richShop(service, FUNDS)
      const other = await startBeside(service)
      const phone = newPayer()
      const order = { recipient: { phone }, reference: 'orphan' }
      const key = { 'idempotency-key': 'left behind' }
      const held = gate()
      service.operator.onSubmit(() => ({ answer: 'silence', until: held.opened }), phone)
      const submits = service.operator.submits()
      const hanging = pay(live, order, key)
      await eventually('the operator was asked', () => service.operator.submits() === submits + 1)
      const api = other.client(merchant.keys.live)
      const early = await pay(api, order, key)
      assert.deepEqual([early.status, early.body.code], [409, 'conflict'])
      assert.deepEqual((await api.get('/v1/payouts')).body.data, [], 'nobody sees it before it is decided')
      assert.deepEqual(await balanceOf(api), { available: FUNDS - COST, pending: 0 })
      assert.equal(await other.run('finish-keys'), 0, 'its own request still has it')
      service.pass(31_000)
      service.operator.pays(phone)
      await other.run('send-payouts')
      const [paid] = (await api.get('/v1/payouts')).body.data
      assert.equal(paid.status, 'succeeded')
      assert.equal(await other.run('finish-keys'), 1)
      const replayed = await pay(api, order, key)
      assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
      const { status, failure_reason, completed_at, rail_transaction_id, id } = replayed.body
      assert.deepEqual(
        { status, failure_reason, completed_at, rail_transaction_id, id },
        {
          ...{ status: 'authorized', failure_reason: AMBIGUOUS, completed_at: null },
          ...{ rail_transaction_id: null, id: paid.id },
        },
        'as it was created, whatever it has become',
      )
      const late = await hanging
      assert.deepEqual([late.status, late.text], [201, replayed.text])
      assert.equal((await pay(api, order, key)).text, replayed.text)
      assert.equal(service.operator.submits(), submits + 1)
      assert.deepEqual(await postingsOf(service, id), PAID)
      assert.equal((await eventsOf(service, id)).length, 1)
      held.open()
      await other.close()
    })
  })

  for (const answer of ['refuse to serve', 'bar the account'] as const)
    longTest(
      `a payout that a replay has shown stays: a process that wakes up and reads "${answer}" does not undo it`,
      async () => {
        await withService(async (service) => {
          const { live, replayed, wakeUp } = await asleepOver(service, answer)
          const { id } = replayed.body
          const seen = (await live.get(`/v1/payouts/${id}`)).status
          const late = await wakeUp()
          const after = (await live.get(`/v1/payouts/${id}`)).status
          assert.deepEqual([replayed.status, seen, after], [201, 200, 200], 'what a 201 named can be read for good')
          assert.deepEqual([late.status, late.body.id], [201, id], 'both callers hear the same')
          assert.deepEqual(await balanceOf(live), { available: FUNDS - COST, pending: 0 })
        })
      },
    )

  for (const answer of ['accept', 'refuse'] as const)
    longTest(`a process that wakes up and reads "${answer}" answers what its key answers by then`, async () => {
      await withService(async (service) => {
        const { replayed, wakeUp } = await asleepOver(service, answer)
        const late = await wakeUp()
        assert.deepEqual([late.status, late.headers.get('idempotent-replayed')], [201, null])
        assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
        assert.equal(late.text, replayed.text)
      })
    })

  test('a row left in state sending is shown after 30 seconds as in doubt, and asked about at once', async () => {
    await withService(async (service) => {
      const { live } = await richShop(service, FUNDS)
      const phone = newPayer()
      service.operator.onSubmit({ answer: 'silence', takes: false }, phone)
      const hanging = pay(live, { recipient: { phone } })
      const asked = service.operator.journal.length
      await eventually('the operator was asked', () => service.operator.journal.length === asked + 1)
      service.pass(29_000)
      await service.run('send-payouts')
      assert.equal(service.operator.journal.length, asked + 1, 'it belongs to its request for 30 seconds')
      service.pass(2000)
      await service.run('send-payouts')
      assert.equal(service.operator.journal.length, asked + 2)
      const [payout] = (await live.get('/v1/payouts')).body.data
      assert.deepEqual([payout.status, payout.failure_reason], ['authorized', AMBIGUOUS])
      assert.equal(await attemptOf(service, payout.id), 'in_doubt')
      assert.equal((await hanging).body.id, payout.id)
      // The operator never had it: in the end it is posted again, and moves once.
      service.operator.onSubmit({ answer: 'accept' }, phone)
      service.operator.onSubmit({ answer: 'accept' }, payout.id)
      for (let look = 0; look < 20 && service.entryOf(payout.id) === undefined; look += 1) {
        service.pass(60_000)
        await service.run('send-payouts')
      }
      await settle(service, payout.id)
      assert.equal(service.operator.movements().get(payout.rail_reference), 1)
    })
  })

  longTest('a key whose payout was taken back is free again', async () => {
    await withService(async (service) => {
      const { live } = await richShop(service, FUNDS)
      // The state left by a process that took its payout back and died before it freed the key.
      const order = { recipient: { phone: newPayer() } }
      const key = { 'idempotency-key': 'taken back' }
      service.operator.onSubmit({ answer: 'refuse to serve' }, order.recipient.phone)
      assert.equal((await pay(live, order, key)).status, 503)
      await service.rows(
        `insert into idempotency_keys (merchant_id, mode, key, fingerprint, object_id, created_at)
         select merchant_id, mode, 'taken back', sha256('the same request'), id, created_at
         from payouts where recipient_phone = $1`,
        [order.recipient.phone],
      )
      assert.equal((await pay(live, order, key)).status, 409)
      service.pass(31_000)
      assert.equal(await service.run('finish-keys'), 1)
      service.operator.onSubmit({ answer: 'accept' }, order.recipient.phone)
      const anew = await pay(live, order, key)
      assert.deepEqual([anew.status, anew.headers.get('idempotent-replayed')], [201, null])
    })
  })
})
