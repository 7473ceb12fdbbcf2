import assert from 'node:assert/strict'
import test from 'node:test'
import type { Mode } from '../../src/platform/mode.ts'
import { type Clock, movableClock } from '../../src/platform/time/clock.ts'
import type { Attempt, Rail } from '../../src/rails/rail.ts'
import { sandboxRail } from '../../src/rails/sandbox.ts'
import { startOperator } from '../fakes/operator.ts'
import { balanceOf, eventsOf, transfersOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../helpers/payments/following-payouts.ts'
import { NEVER_OPENS, wireUp } from '../helpers/payments/op1.ts'
import { PAID, postingsOf, RETURNED } from '../helpers/payments/payout-money.ts'
import { pay, payoutOf, startPayingService } from '../helpers/payments/payouts.ts'
import { httpRail } from '../helpers/service/http-rail.ts'
import { newPayer, type Shop } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { opened, openedAndVerified } from '../helpers/service/opened.ts'
import type { TestService } from '../helpers/service/test-service.ts'
import { attemptAt, EACH_SIDE, movementOf, PHONE, SIDES, type Side, soon } from './rail-attempts.ts'

// The same promises for whoever carries a movement: the simulated operator of test mode, the simplest one over HTTP, and the adapter
// of live mode with the emulator of its operator.
const clock = movableClock()
const ONLY_BY_TEST = { faultsInRow: 10_000, minCalls: 10_000 }
const operator = opened(() => startOperator({ pays: 'when told' }))
const http = opened(async () => httpRail(operator.url, clock))
const service = openedAndVerified(() => startPayingService())
const wired = opened(() => wireUp({ contract: { breaker: NEVER_OPENS } }))
const op1 = openedAndVerified(() =>
  startOp1Service({ env: { LIVE_HOLD_HOURS: '0' }, entry: { breaker: ONLY_BY_TEST } }),
)

type Carrier = {
  mode: Mode
  installation: string
  clock(): Clock
  rail(): Rail
  /** A phone with which it goes well, and one with which it fails. */
  payer: string
  poor: string
  /** Lets the operator decide about an attempt. */
  decide(attempt: Attempt, side: Side): Promise<unknown>
  /** How many movements the operator has made of a reference; null for one that keeps no book. */
  moved(reference: string): number | null
  through: Through
}
/** A service whose live money goes this way, and its operator's decision about a movement by its public id. */
type Through = {
  service(): TestService & { shop(): Promise<Shop> }
  pays(id: string): Promise<unknown>
  refuses(id: string, code?: string): Promise<unknown>
}
const SIMPLE: Through = {
  service: () => service,
  pays: async (id) => service.operator.pays(id),
  refuses: async (id, code) => service.operator.refuses(id, code),
}
const referenceOf = async (id: string) => {
  const [row] = await op1.rows<{ id: string }>('select id from rail_attempts where subject = $1', [id])
  return row?.id ?? ''
}
const OP1: Through = {
  service: () => op1,
  pays: async (id) => op1.emulator.resolve(await referenceOf(id), { status: 'SUCCESSFUL' }),
  refuses: async (id, code = 'NOT_ENOUGH_FUNDS') =>
    op1.emulator.resolve(await referenceOf(id), { status: 'FAILED', reason: code }),
}
const CARRIERS: Record<string, Carrier> = {
  sandbox: {
    mode: 'test',
    installation: 'sandbox',
    clock: () => clock,
    rail: () => sandboxRail(clock, { outcomeSeconds: 2, pays: true }),
    payer: '256700000000',
    poor: '256700000001',
    decide: async () => clock.advance(2000),
    moved: () => null,
    through: SIMPLE,
  },
  'real operator': {
    mode: 'live',
    installation: 'first contract',
    clock: () => clock,
    rail: () => http,
    payer: PHONE,
    poor: '256712000001',
    decide: async ({ reference, phone }, side) =>
      phone.endsWith('000001') ? operator.refuses(reference, SIDES[side].code) : operator.pays(reference),
    moved: (reference) => operator.movements().get(reference) ?? 0,
    through: SIMPLE,
  },
  'adapter of live mode': {
    mode: 'live',
    installation: 'ug-1',
    clock: () => wired.clock,
    rail: () => wired.rail,
    payer: PHONE,
    poor: '256712000001',
    decide: ({ reference, phone }, side) =>
      wired.emulator.resolve(
        reference,
        phone.endsWith('000001') ? { status: 'FAILED', reason: SIDES[side].code } : { status: 'SUCCESSFUL' },
      ),
    moved: (reference) => wired.emulator.transactions({ reference }).length,
    through: OP1,
  },
}

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
  const attemptOf = (phone: string) => attemptAt(carrier.clock(), { phone, installation: carrier.installation })

  test(`${name}: accepted, pending, then succeeded with exactly what was asked for`, async () => {
    const attempt = attemptOf(carrier.payer)
    const submitted = await movement().submit(attempt, soon())
    assert.equal(submitted.kind, 'accepted')
    assert.equal((await movement().status(attempt, soon())).kind, 'pending')
    await carrier.decide(attempt, side)
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
    await carrier.decide(attempt, side)
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
    await carrier.decide(attempt, side)
    await movement().status(attempt, soon())
    assert.equal(carrier.moved(attempt.reference) ?? 1, 1)
  })

  test(`${name}: its evidence is dated by the clock given and holds no phone number`, async () => {
    const attempt = attemptOf(carrier.payer)
    for (const { evidence } of [await movement().submit(attempt, soon()), await movement().status(attempt, soon())]) {
      assert.ok(Math.abs(evidence.at.getTime() - carrier.clock().nowMs()) < 5000)
      assert.equal(evidence.stage, 'answered')
      assert.ok(!JSON.stringify(evidence).includes(carrier.payer.slice(-9)))
    }
  })
}

function testThroughService(name: string, carrier: Carrier): void {
  const { pays, refuses, service: through } = carrier.through

  test(`${name}: a charge through the service: one success is one credit and one event, one failure one event`, async () => {
    const service = through()
    const shop = await service.shop()
    const api = shop[carrier.mode]
    const poor = carrier.mode === 'test' ? carrier.poor : newPayer()
    const paid = (await api.charge({ customer: { phone: newPayer() } })).body
    const failed = (await api.charge({ customer: { phone: poor } })).body
    assert.deepEqual([paid.status, failed.status], ['authorized', 'authorized'])
    await pays(paid.id)
    await refuses(failed.id)
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
    const service = through()
    const api = (await service.shop())[carrier.mode]
    const charged = (await api.charge({ amount: 405_000, customer: { phone: newPayer() } })).body
    await pays(charged.id)
    await followUntilEnded(service, charged.id)
    const poor = carrier.mode === 'test' ? carrier.poor : newPayer()
    const paid = (await pay(api, { recipient: { phone: newPayer() } })).body
    const failed = (await pay(api, { recipient: { phone: poor } })).body
    assert.deepEqual([paid.status, failed.status], ['authorized', 'authorized'])
    await pays(paid.id)
    await refuses(failed.id, SIDES.disburse.code)
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
