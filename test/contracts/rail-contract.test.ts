import assert from 'node:assert/strict'
import test from 'node:test'
import { movableClock } from '../../src/platform/clock.ts'
import type { Attempt, Rail } from '../../src/rails/rail.ts'
import { sandboxRail } from '../../src/rails/sandbox.ts'
import { startOperator } from '../fakes/operator.ts'
import { followUntilEnded } from '../helpers/following-charges.ts'
import { sendUntilEnded } from '../helpers/following-payouts.ts'
import { httpRail } from '../helpers/http-rail.ts'
import { newPayer } from '../helpers/live-service.ts'
import { balanceOf, eventsOf, transfersOf } from '../helpers/money-rows.ts'
import { opened, openedAndVerified } from '../helpers/opened.ts'
import { PAID, postingsOf, RETURNED } from '../helpers/payout-money.ts'
import { pay, payoutOf, startPayingService } from '../helpers/payouts.ts'
import { attemptAt, EACH_SIDE, movementOf, PHONE, SIDES, type Side, soon } from './rail-attempts.ts'

// The same promises for whoever carries a movement: the simulated operator of test mode and a real one over HTTP.
const clock = movableClock()
const operator = opened(() => startOperator({ pays: 'when told' }))
const http = opened(async () => httpRail(operator.url, clock))
const service = openedAndVerified(() => startPayingService())

type Carrier = {
  mode: 'test' | 'live'
  rail(): Rail
  /** A phone with which it goes well, and one with which it fails. */
  payer: string
  poor: string
  /** Lets the operator decide about an attempt. */
  decide(attempt: Attempt, side: Side): void
}
const CARRIERS: Record<string, Carrier> = {
  sandbox: {
    mode: 'test',
    rail: () => sandboxRail(clock, { outcomeSeconds: 2, pays: true }),
    payer: '256700000000',
    poor: '256700000001',
    decide: () => clock.advance(2000),
  },
  'real operator': {
    mode: 'live',
    rail: () => http,
    payer: PHONE,
    poor: '256712000001',
    decide: ({ reference, phone }, side) =>
      phone.endsWith('000001') ? operator.refuses(reference, SIDES[side].code) : operator.pays(reference),
  },
}

const attemptOf = (phone: string) => attemptAt(clock, { phone })

for (const [name, carrier] of Object.entries(CARRIERS)) {
  test(`${name}: says what it is, and is ready under a name on both sides`, async () => {
    const rail = carrier.rail()
    assert.equal(rail.simulated, carrier.mode === 'test')
    for (const side of EACH_SIDE) assert.equal((await rail.readiness(side, soon())).kind, 'ready')
  })

  test(`${name}: says who holds a wallet`, async () => {
    const holder = await carrier.rail().lookupAccountHolder?.(carrier.payer, soon())
    assert.equal(holder?.active, true)
  })

  for (const side of EACH_SIDE) testMovement(`${name}, ${side}`, carrier, side)
  testThroughService(name, carrier)
}

function testMovement(name: string, carrier: Carrier, side: Side): void {
  const movement = () => movementOf(carrier.rail(), side)

  test(`${name}: accepted, pending, then succeeded with exactly what was asked for`, async () => {
    const attempt = attemptOf(carrier.payer)
    const submitted = await movement().submit(attempt, soon())
    assert.equal(submitted.kind, 'accepted')
    assert.equal((await movement().status(attempt, soon())).kind, 'pending')
    carrier.decide(attempt, side)
    const status = await movement().status(attempt, soon())
    assert.equal(status.kind, 'succeeded')
    if (status.kind !== 'succeeded') return
    const { amount, currency, phone, externalId } = status
    assert.deepEqual(
      { amount, currency, phone, externalId },
      { amount: 5000, currency: 'UGX', phone: carrier.payer, externalId: attempt.publicId },
    )
    assert.match(status.railTransactionId ?? '', /^[0-9]+$/)
    const again = await movement().status(attempt, soon())
    assert.equal(again.kind === 'succeeded' && again.railTransactionId, status.railTransactionId)
  })

  test(`${name}: a phone that fails does so with its reason, and stays failed`, async () => {
    const attempt = attemptOf(carrier.poor)
    assert.equal((await movement().submit(attempt, soon())).kind, 'accepted')
    carrier.decide(attempt, side)
    for (let nth = 0; nth < 2; nth += 1) {
      const status = await movement().status(attempt, soon())
      assert.equal(status.kind === 'failed' && status.reason, SIDES[side].reason)
    }
  })

  test(`${name}: the same attempt twice is one movement, and both are accepted`, async () => {
    const attempt = attemptOf(carrier.payer)
    const kinds = [await movement().submit(attempt, soon()), await movement().submit(attempt, soon())]
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['accepted', 'accepted'],
    )
    carrier.decide(attempt, side)
    await movement().status(attempt, soon())
    assert.ok((operator.movements().get(attempt.reference) ?? 1) === 1)
  })

  test(`${name}: its evidence is dated by the clock given and holds no phone number`, async () => {
    const attempt = attemptOf(carrier.payer)
    for (const { evidence } of [
      await movement().submit(attempt, soon()),
      await movement().status(attempt, soon()),
    ]) {
      assert.ok(Math.abs(evidence.at.getTime() - clock.nowMs()) < 5000)
      assert.equal(evidence.stage, 'answered')
      assert.ok(!JSON.stringify(evidence).includes(carrier.payer.slice(-9)))
    }
  })
}

function testThroughService(name: string, carrier: Carrier): void {
  test(`${name}: a charge through the service: one success is one credit and one event, one failure one event`, async () => {
    const shop = await service.shop()
    const api = shop[carrier.mode]
    const poor = carrier.mode === 'test' ? carrier.poor : newPayer()
    const paid = (await api.charge({ customer: { phone: newPayer() } })).body
    const failed = (await api.charge({ customer: { phone: poor } })).body
    assert.deepEqual([paid.status, failed.status], ['authorized', 'authorized'])
    service.operator.pays(paid.id)
    service.operator.refuses(failed.id)
    for (const { id } of [paid, failed]) {
      await followUntilEnded(service, id)
      await service.run('follow-charges')
    }
    const shown = async (id: string) => (await api.get(`/v1/charges/${id}`)).body
    assert.equal((await shown(paid.id)).status, 'succeeded')
    assert.equal((await shown(failed.id)).failure_reason, 'insufficient_funds')
    assert.equal((await transfersOf(service, paid.id)).length, 2)
    assert.equal((await transfersOf(service, failed.id)).length, 0)
    for (const { id } of [paid, failed]) assert.equal((await eventsOf(service, id)).length, 1)
    const { available, pending } = await balanceOf(api)
    assert.equal(available + pending, 4800)
  })

  test(`${name}: a payout through the service: one success is one debit and one event, one failure gives all back`, async () => {
    const api = (await service.shop())[carrier.mode]
    const charged = (await api.charge({ amount: 405_000, customer: { phone: newPayer() } })).body
    service.operator.pays(charged.id)
    await followUntilEnded(service, charged.id)
    const poor = carrier.mode === 'test' ? carrier.poor : newPayer()
    const paid = (await pay(api, { recipient: { phone: newPayer() } })).body
    const failed = (await pay(api, { recipient: { phone: poor } })).body
    assert.deepEqual([paid.status, failed.status], ['authorized', 'authorized'])
    service.operator.pays(paid.id)
    service.operator.refuses(failed.id, SIDES.disburse.code)
    for (const { id } of [paid, failed]) {
      await sendUntilEnded(service, id)
      await service.run('send-payouts')
    }
    assert.equal((await payoutOf(api, paid.id)).status, 'succeeded')
    assert.equal((await payoutOf(api, failed.id)).failure_reason, 'recipient_not_found')
    assert.deepEqual(await postingsOf(service, paid.id), PAID)
    assert.deepEqual(await postingsOf(service, failed.id), RETURNED)
    for (const { id } of [paid, failed]) assert.equal((await eventsOf(service, id)).length, 1)
    assert.deepEqual(await balanceOf(api), { available: 400_000 - 5200, pending: 0 })
  })
}
