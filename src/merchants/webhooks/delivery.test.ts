import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { DELIVERY_MOVES, MAX_DELIVERY_ATTEMPTS, nextAttemptInMs } from './delivery.ts'

const SPEC = [0, 60, 300, 1800, 7200, 21_600, 43_200, 86_400]
const attempts = fc.integer({ min: 0, max: 7 })
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('the delays are those of the spec, each counted from the failure before it, and none follows the eighth', () => {
  const delays = SPEC.map((_, made) => nextAttemptInMs(made, SPEC, () => 0))
  assert.deepEqual(
    delays,
    SPEC.map((seconds) => seconds * 1000),
  )
  assert.equal(nextAttemptInMs(8, SPEC), null)
  assert.equal(nextAttemptInMs(9, SPEC), null)
  assert.equal(MAX_DELIVERY_ATTEMPTS, 8)
})

test('the whole ladder takes 44 hours and 36 minutes', () => {
  const total = SPEC.reduce((sum, _, made) => sum + (nextAttemptInMs(made, SPEC, () => 0) ?? 0), 0)
  assert.equal(total, (44 * 60 + 36) * 60_000)
})

test('an attempt is never early, and from five minutes on at most 5 percent late', () => {
  fc.assert(
    fc.property(attempts, chance, (made, drawn) => {
      const least = (SPEC[made] as number) * 1000
      const waitMs = nextAttemptInMs(made, SPEC, () => drawn) as number
      const most = least >= 300_000 ? least * 1.05 : least
      assert.ok(Number.isInteger(waitMs) && waitMs >= least && waitMs <= most, `${waitMs} after ${made}`)
    }),
  )
})

test('after a mass outage the retries do not all come at once', () => {
  const waits = Array.from({ length: 100 }, () => nextAttemptInMs(2, SPEC))
  assert.ok(new Set(waits).size > 90)
})

test('delays from the settings replace the ladder', () => {
  const short = [0, 1, 2, 3, 4, 5, 6, 7]
  assert.deepEqual(
    short.map((_, made) => nextAttemptInMs(made, short)),
    short.map((seconds) => seconds * 1000),
  )
})

test('a delivery that ended changes only by a resend', () => {
  assert.deepEqual(DELIVERY_MOVES, {
    pending: { sent: null, failed: null },
    sent: { pending: null },
    failed: { pending: null },
  })
})
