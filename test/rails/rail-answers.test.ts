import assert from 'node:assert/strict'
import test from 'node:test'
import { movableClock } from '../../src/platform/time/clock.ts'
import { deadlineIn } from '../../src/rails/rail.ts'
import { startOperator } from '../fakes/operator.ts'
import { httpRail } from '../helpers/service/http-rail.ts'
import { opened } from '../helpers/service/opened.ts'
import { attemptAt, EACH_SIDE, movementOf, type Side, soon } from './rail-attempts.ts'

// What a real operator may say over HTTP, and what it counts for.
const clock = movableClock()
const operator = opened(() => startOperator({ pays: 'when told' }))
const http = opened(async () => httpRail(operator.url, clock))

test('real operator: what was collected is not found among what was paid out, and the reverse', async () => {
  for (const [side, other] of [EACH_SIDE, [...EACH_SIDE].reverse()] as [Side, Side][]) {
    const attempt = attemptAt(clock)
    await movementOf(http, side).submit(attempt, soon())
    assert.equal((await movementOf(http, other).status(attempt, soon())).kind, 'not_found')
    assert.equal((await movementOf(http, side).status(attempt, soon())).kind, 'pending')
  }
})

for (const [answer, kind] of [
  ['pending', 'pending'],
  ['not found', 'not_found'],
  ['unknown', 'unknown'],
  ['garbage', 'unknown'],
  ['error', 'unknown'],
  ['reset', 'unknown'],
] as const)
  for (const side of EACH_SIDE)
    test(`real operator, ${side}: "${answer}" is ${kind}, which ends nothing`, async () => {
      const attempt = attemptAt(clock)
      operator.onQuestion({ answer }, attempt.reference)
      await movementOf(http, side).submit(attempt, soon())
      operator.onQuestion({ answer }, attempt.publicId)
      assert.equal((await movementOf(http, side).status(attempt, soon())).kind, kind)
    })

for (const [answer, kind, stage] of [
  ['accept', 'accepted', 'answered'],
  ['had it', 'accepted', 'answered'],
  ['refuse', 'rejected', 'answered'],
  ['refuse to serve', 'unavailable', 'answered'],
  ['bar the account', 'unavailable', 'answered'],
  ['error', 'ambiguous', 'answered'],
  ['garbage', 'ambiguous', 'sent'],
  ['reset early', 'ambiguous', 'sent'],
  ['reset late', 'ambiguous', 'sent'],
] as const)
  for (const side of EACH_SIDE)
    test(`real operator, ${side}: a submit met with "${answer}" is ${kind}`, async () => {
      operator.onSubmit({ answer })
      const submitted = await movementOf(http, side).submit(attemptAt(clock), soon())
      operator.onSubmit({ answer: 'accept' })
      assert.deepEqual([submitted.kind, submitted.evidence.stage], [kind, stage])
    })

for (const side of EACH_SIDE)
  test(`real operator, ${side}: nobody at its address is clean, silence up to the deadline is ambiguous`, async () => {
    await operator.shut()
    const refused = await movementOf(http, side).submit(attemptAt(clock), soon())
    await operator.open()
    assert.deepEqual([refused.kind, refused.evidence.stage], ['unavailable', 'connect'])
    operator.onSubmit({ answer: 'silence' })
    const silent = await movementOf(http, side).submit(attemptAt(clock), deadlineIn(100))
    operator.onSubmit({ answer: 'accept' })
    assert.deepEqual([silent.kind, silent.evidence.stage], ['ambiguous', 'sent'])
  })
