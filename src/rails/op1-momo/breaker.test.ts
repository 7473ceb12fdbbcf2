import assert from 'node:assert/strict'
import test from 'node:test'
import { type Breaker, type BreakerCall, openBreaker } from './breaker.ts'

const SETTINGS = { faultsInRow: 5, share: 0.5, minCalls: 20, windowSeconds: 10, openSeconds: 5 }

function breaker(chance = 0): { breaker: Breaker; pass(ms: number): void; states: string[] } {
  let now = 1_000_000
  const states: string[] = []
  return {
    breaker: openBreaker(SETTINGS, {
      nowMs: () => now,
      chance: () => chance,
      onChange: (to) => states.push(to),
    }),
    pass: (ms) => {
      now += ms
    },
    states,
  }
}
const record = (breaker: Breaker, calls: readonly BreakerCall[]) => {
  for (const call of calls) breaker.record(call)
}
const faults = (count: number): BreakerCall[] => Array.from({ length: count }, () => 'fault')

test('five faults in a row open it, four and an answer do not', () => {
  const { breaker: one } = breaker()
  record(one, [...faults(4), 'answer', ...faults(4)])
  assert.equal(one.state, 'closed')
  record(one, ['fault'])
  assert.equal(one.state, 'open')
  assert.deepEqual(one.admits(), { kind: 'no', retryAfterSeconds: 5 })
})

test('half of at least twenty calls within ten seconds open it, older ones do not count', () => {
  const { breaker: one, pass } = breaker()
  const mixed: BreakerCall[] = ['fault', 'answer', 'fault', 'answer']
  record(one, [...mixed, ...mixed])
  pass(11_000)
  record(one, [...mixed, ...mixed, ...mixed, ...mixed])
  assert.equal(one.state, 'closed')
  record(one, mixed)
  assert.equal(one.state, 'open')
})

test('after its time one probe is allowed, and an answer closes it; a fault doubles the time, up to 30 s', () => {
  const { breaker: one, pass } = breaker()
  record(one, faults(5))
  assert.equal(one.takeProbe(), false)
  for (const seconds of [5, 10, 20, 30, 30]) {
    pass(seconds * 1000 - 1)
    assert.equal(one.state, 'open', `${seconds} s`)
    pass(1)
    assert.deepEqual([one.takeProbe(), one.takeProbe()], [true, false])
    assert.equal(one.admits().kind, 'no')
    one.probed('fault')
  }
  pass(30_000)
  assert.equal(one.takeProbe(), true)
  one.probed('answer')
  assert.equal(one.state, 'closed')
})

test('after an outage submits come back from a tenth to all within ten seconds', () => {
  const { breaker: one, pass } = breaker(0.5)
  record(one, faults(5))
  pass(5000)
  one.probed('answer')
  assert.equal(one.admits().kind, 'no')
  pass(3000)
  assert.equal(one.admits().kind, 'no')
  pass(2000)
  assert.equal(one.admits().kind, 'yes')
  record(one, faults(5))
  assert.equal(one.state, 'open', 'faults while it recovers open it again')
})
