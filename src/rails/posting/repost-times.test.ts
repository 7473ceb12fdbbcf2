import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { FOLLOW_SETTINGS, parseLadder } from '../../program/settings/follow-settings.ts'
import { chargeReposts, nextQuestionAt, payoutReposts } from './repost-times.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const NOW_MS = Date.UTC(2026, 0, 1)
const LADDER = parseLadder(FOLLOW_SETTINGS.followLadder.byDefault)
const TIMES = [chargeReposts(MINUTE_MS), chargeReposts(15 * MINUTE_MS), payoutReposts(DAY_MS)]

const before = fc
  .oneof(fc.integer({ max: 10_000 }), fc.integer({ max: 2 * MINUTE_MS }), fc.integer({ max: 3 * DAY_MS }))
  .map((ms) => new Date(NOW_MS - Math.abs(ms)))
const maybe = fc.option(before)
const attempts = fc.record({
  state: fc.constantFrom('sending' as const, 'accepted' as const, 'in_doubt' as const),
  ...{ reposts: fc.nat(6), notFoundCount: fc.nat(5), questionCount: fc.nat(9), nth: fc.nat(6) },
  ...{ refusedAs: fc.option(fc.constant('provider_error')), refusalToConfirm: fc.boolean() },
  ...{ createdAt: before, firstSentAt: maybe, sendingSince: maybe, submitEndedAt: maybe },
  ...{ firstNotFoundAt: maybe, callbackSeenAt: maybe },
  ...{ installation: fc.constant('one'), lastAnswer: fc.constant('not_found') },
})

test('whatever is known of a movement, its next question comes later than now', () => {
  fc.assert(
    fc.property(attempts, fc.boolean(), fc.constantFrom(...TIMES), (attempt, notFound, times) => {
      const at = nextQuestionAt(times, attempt, { ladder: LADDER, nowMs: NOW_MS, notFound })
      assert.ok(at > NOW_MS, new Date(at).toISOString())
    }),
    { numRuns: 5000 },
  )
})
