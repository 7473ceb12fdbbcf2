import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { movableClock } from '../../src/platform/clock.ts'
import { newId, uuidFor } from '../../src/platform/ids.ts'
import { type Attempt, deadlineIn, type Rail } from '../../src/rails/rail.ts'
import { sandboxRail } from '../../src/rails/sandbox.ts'
import { type Operator, startOperator } from '../fakes/operator.ts'
import { type HttpRail, httpRail } from '../helpers/http-rail.ts'
import {
  balanceOf,
  eventsOf,
  followUntilEnded,
  type LiveService,
  newPayer,
  startLiveService,
  transfersOf,
} from '../helpers/live-service.ts'

// The same promises for whoever carries a movement: the simulated operator of test mode and a real one over HTTP.
const clock = movableClock()
let operator: Operator
let http: HttpRail
let service: LiveService
before(async () => {
  operator = await startOperator({ pays: 'when told' })
  http = httpRail(operator.url, clock)
  service = await startLiveService()
})
after(async () => {
  await service.verify()
  await service.close()
  await operator.close()
  await http.close()
})

type Carrier = {
  mode: 'test' | 'live'
  rail(): Rail
  /** A phone whose payer pays, or fails with insufficient funds. */
  payer: string
  poor: string
  /** Lets the operator decide about an attempt. */
  decide(attempt: Attempt): void
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
    payer: '256712345678',
    poor: '256712000001',
    decide: ({ reference, phone }) =>
      phone.endsWith('000001') ? operator.refuses(reference) : operator.pays(reference),
  },
}

function attemptOf(phone: string): Attempt {
  const publicId = newId('txn_', 'abcde')
  const reference = uuidFor(publicId)
  return {
    ...{ reference, publicId, phone, installation: 'first contract', amount: 5000, currency: 'UGX' },
    ...{ note: 'order 1', createdAt: clock.now() },
  }
}
const soon = () => deadlineIn(5000)

for (const [name, carrier] of Object.entries(CARRIERS)) {
  const collect = () => {
    const { collect } = carrier.rail()
    assert.ok(collect)
    return collect
  }

  test(`${name}: says what it is, and is ready under a name`, async () => {
    const rail = carrier.rail()
    assert.equal(rail.simulated, carrier.mode === 'test')
    const verdict = await rail.readiness('collect', soon())
    assert.equal(verdict.kind, 'ready')
  })

  test(`${name}: accepted, pending, then succeeded with exactly what was asked for`, async () => {
    const attempt = attemptOf(carrier.payer)
    const submitted = await collect().submit(attempt, soon())
    assert.equal(submitted.kind, 'accepted')
    assert.equal((await collect().status(attempt, soon())).kind, 'pending')
    carrier.decide(attempt)
    const status = await collect().status(attempt, soon())
    assert.equal(status.kind, 'succeeded')
    if (status.kind !== 'succeeded') return
    const { amount, currency, phone, externalId } = status
    assert.deepEqual(
      { amount, currency, phone, externalId },
      { amount: 5000, currency: 'UGX', phone: carrier.payer, externalId: attempt.publicId },
    )
    assert.match(status.railTransactionId ?? '', /^[0-9]+$/)
    const again = await collect().status(attempt, soon())
    assert.equal(again.kind === 'succeeded' && again.railTransactionId, status.railTransactionId)
  })

  test(`${name}: a payer without money fails with that reason, and stays failed`, async () => {
    const attempt = attemptOf(carrier.poor)
    assert.equal((await collect().submit(attempt, soon())).kind, 'accepted')
    carrier.decide(attempt)
    for (let nth = 0; nth < 2; nth += 1) {
      const status = await collect().status(attempt, soon())
      assert.equal(status.kind === 'failed' && status.reason, 'insufficient_funds')
    }
  })

  test(`${name}: the same attempt twice is one movement, and both are accepted`, async () => {
    const attempt = attemptOf(carrier.payer)
    const kinds = [await collect().submit(attempt, soon()), await collect().submit(attempt, soon())]
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['accepted', 'accepted'],
    )
    carrier.decide(attempt)
    await collect().status(attempt, soon())
    assert.ok((operator.movements().get(attempt.reference) ?? 1) === 1)
  })

  test(`${name}: its evidence is dated by the clock given and holds no phone number`, async () => {
    const attempt = attemptOf(carrier.payer)
    for (const { evidence } of [
      await collect().submit(attempt, soon()),
      await collect().status(attempt, soon()),
    ]) {
      assert.ok(Math.abs(evidence.at.getTime() - clock.nowMs()) < 5000)
      assert.equal(evidence.stage, 'answered')
      assert.ok(!JSON.stringify(evidence).includes(carrier.payer.slice(-9)))
    }
  })

  test(`${name}: through the service one success is one credit and one event, one failure one event`, async () => {
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
}

for (const [answer, kind] of [
  ['pending', 'pending'],
  ['not found', 'not_found'],
  ['unknown', 'unknown'],
  ['garbage', 'unknown'],
  ['error', 'unknown'],
  ['reset', 'unknown'],
] as const)
  test(`real operator: "${answer}" is ${kind}, which ends nothing`, async () => {
    const attempt = attemptOf('256712345678')
    operator.onQuestion({ answer }, attempt.reference)
    await http.collect?.submit(attempt, soon())
    operator.onQuestion({ answer }, attempt.publicId)
    assert.equal((await http.collect?.status(attempt, soon()))?.kind, kind)
  })

for (const [answer, kind, stage] of [
  ['accept', 'accepted', 'answered'],
  ['had it', 'accepted', 'answered'],
  ['refuse', 'rejected', 'answered'],
  ['refuse to serve', 'unavailable', 'answered'],
  ['error', 'ambiguous', 'answered'],
  ['garbage', 'ambiguous', 'sent'],
  ['reset early', 'ambiguous', 'sent'],
  ['reset late', 'ambiguous', 'sent'],
] as const)
  test(`real operator: a submit met with "${answer}" is ${kind}`, async () => {
    operator.onSubmit({ answer })
    const submitted = await http.collect?.submit(attemptOf('256712345678'), soon())
    operator.onSubmit({ answer: 'accept' })
    assert.deepEqual([submitted?.kind, submitted?.evidence.stage], [kind, stage])
  })

test('real operator: nobody at its address is clean, silence up to the deadline is ambiguous', async () => {
  await operator.shut()
  const refused = await http.collect?.submit(attemptOf('256712345678'), soon())
  await operator.open()
  assert.deepEqual([refused?.kind, refused?.evidence.stage], ['unavailable', 'connect'])
  operator.onSubmit({ answer: 'silence' })
  const silent = await http.collect?.submit(attemptOf('256712345678'), deadlineIn(100))
  operator.onSubmit({ answer: 'accept' })
  assert.deepEqual([silent?.kind, silent?.evidence.stage], ['ambiguous', 'sent'])
})
