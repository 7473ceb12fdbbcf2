import assert from 'node:assert/strict'
import test, { afterEach } from 'node:test'
import { startReceiver } from '../fakes/receiver.ts'
import { newPayer, startLiveService } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const MONTH = 31 * DAY

const person = opened(() => startReceiver())
const service = opened(() => startLiveService({ env: { ALERT_WEBHOOK: person.url } }))
afterEach(() => service.clock.beWrong(0))

async function readiness(): Promise<unknown> {
  const answer = await fetch(`${service.url}/readyz`)
  return [answer.status, await answer.json()]
}

test('F45: beyond two seconds a process says that it is not ready, and in which direction its clock is wrong', async () => {
  const ready = [200, { ready: true }]
  for (const ms of [0, 1500, -1500]) {
    service.clock.beWrong(ms)
    assert.deepEqual(await readiness(), ready)
  }
  const wrong: [number, RegExp][] = [
    [10 * MINUTE, /^the clock of this process is (600\.\d|599\.\d) s ahead of that of the database$/],
    [-10 * MINUTE, /^the clock of this process is 600\.\d s behind that of the database$/],
    [3000, / s ahead of /],
    [-3000, / s behind /],
  ]
  for (const [ms, says] of wrong) {
    service.clock.beWrong(ms)
    const [status, { reasons }] = (await readiness()) as [number, { reasons: string[] }]
    assert.deepEqual([status, reasons.length], [503, 1])
    assert.match(reasons[0] ?? '', says)
  }
  service.clock.beWrong(0)
  assert.deepEqual(await readiness(), ready)
})

test('F45: a clock that a test has moved on purpose is right, by whatever it was moved', async () => {
  for (const ms of [10 * MINUTE, MONTH]) {
    service.pass(ms)
    assert.deepEqual(await readiness(), [200, { ready: true }])
  }
  await service.gateway.witness.askServer()
  assert.deepEqual(await readiness(), [200, { ready: true }])
})

test('F45: with a wrong clock requests are answered and no sweep claims anything; then everything goes on', async () => {
  const { live } = await service.shop()
  const before = await live.charge({ amount: 7000, customer: { phone: newPayer() } })
  service.operator.pays(before.body.id)
  service.pass(MINUTE)
  for (const ms of [MINUTE, -MINUTE, MONTH, -MONTH]) {
    service.clock.beWrong(ms)
    const digest = await service.digest()
    for (const sweep of ['follow-charges', 'settle-charges', 'send-payouts', 'run-schedules', 'prune', 'verify'])
      assert.equal(await service.run(sweep), 0, sweep)
    assert.equal(await service.digest(), digest)
    assert.equal((await live.get(`/v1/charges/${before.body.id}`)).body.status, 'authorized')
  }
  service.clock.beWrong(MINUTE)
  const meanwhile = await live.charge({ amount: 8000, customer: { phone: newPayer() } })
  assert.equal(meanwhile.status, 201)
  service.clock.beWrong(0)
  await service.run('follow-charges')
  assert.equal((await live.get(`/v1/charges/${before.body.id}`)).body.status, 'succeeded')
  await service.verify()
})

test('F45: a person hears of a wrong clock and of nothing that only it makes late', async () => {
  const { live } = await service.shop()
  await live.charge({ amount: 9000, customer: { phone: newPayer() } })
  const told = () => person.received.map(({ event }) => event)
  await service.run('raise-alerts')
  const earlier = told().length
  service.clock.beWrong(MONTH)
  await service.run('raise-alerts')
  const [first, ...more] = told().slice(earlier)
  assert.deepEqual([first.kind, more], ['clock_skew', []])
  assert.match(first.text, /differ by \d+\.\d s: it is not ready and its background tasks rest/)
  service.clock.beWrong(0)
  service.pass(11 * MINUTE)
  await service.run('raise-alerts')
  const over = told()
    .filter(({ kind }) => kind === 'clock_skew')
    .at(-1)
  assert.equal(over.alerts[0].state, 'closed', 'it was not told at a time that is still to come')
})
