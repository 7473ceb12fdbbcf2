import assert from 'node:assert/strict'
import { deadlineIn } from '../../src/rails/rail.ts'
import { type Wired, wireUp } from '../helpers/payments/op1.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { longTest, test } from '../helpers/service/parts.ts'
import { attemptAt, movementOf, soon } from './rail-attempts.ts'

// Tokens of the operator (rails.md 3.4).
const attempt = ({ clock }: Wired) => attemptAt(clock, { installation: 'ug-1' })
const tokenCalls = ({ emulator }: Wired, product = 'collection') =>
  emulator.journal().filter(({ path }) => path === `/${product}/token/`)

async function withRail(options: Parameters<typeof wireUp>[0], work: (wired: Wired) => Promise<void>): Promise<void> {
  const wired = await wireUp(options)
  await work(wired).finally(wired.close)
}

longTest('500 payments at once share one token call, which has a length of zero and no body', () =>
  withRail({ contract: { submitConnections: 500 } }, async (wired) => {
    const submits = Array.from({ length: 500 }, () =>
      movementOf(wired.rail, 'collect').submit(attempt(wired), deadlineIn(60_000)),
    )
    const kinds = new Set((await Promise.all(submits)).map(({ kind }) => kind))
    assert.deepEqual([...kinds], ['accepted'])
    const [call, ...more] = tokenCalls(wired)
    assert.deepEqual(more, [])
    assert.equal(call?.headers['content-length'], '0')
    assert.equal(call?.headers['user-agent'], 'gateway-op1/1.0')
    assert.equal(call?.headers['x-target-environment'], 'mtnuganda')
  }),
)

test('a token is renewed 600 s before its end in the background; the old one is used meanwhile', () =>
  withRail({}, async (wired) => {
    await movementOf(wired.rail, 'collect').submit(attempt(wired), soon())
    wired.clock.advance(2999 * 1000)
    await movementOf(wired.rail, 'collect').submit(attempt(wired), soon())
    assert.equal(tokenCalls(wired).length, 1)
    await wired.emulator.fault('slowToken', { params: { ms: 20_000 } })
    wired.clock.advance(2 * 1000)
    const submitted = await movementOf(wired.rail, 'collect').submit(attempt(wired), soon())
    assert.equal(submitted.kind, 'accepted', 'nobody waits for the new one')
    await eventually('the new token was asked for', () => tokenCalls(wired).length === 2)
  }))

test('no token from the start: submits and readiness are clean and can wait, and refreshes keep to their times', () =>
  withRail({}, async (wired) => {
    await wired.emulator.fault('tokenDown')
    const ready = await wired.rail.readiness('collect', soon())
    assert.deepEqual([ready.kind, ready.kind === 'unavailable' && ready.cure], ['unavailable', 'wait'])
    const submitted = await movementOf(wired.rail, 'collect').submit(attempt(wired), soon())
    assert.deepEqual([submitted.kind, submitted.evidence.stage], ['unavailable', 'gate'])
    assert.equal(tokenCalls(wired).length, 1, 'a failed refresh is not repeated by everybody who comes')
    wired.clock.advance(1001)
    await wired.rail.readiness('collect', soon())
    assert.equal(tokenCalls(wired).length, 2)
  }))

test('wrong credentials are the fault of a person, and a person hears of it', () =>
  withRail({ contract: { collection: { subscriptionKey: 'wrong', user: 'u', secret: 's' } } }, async (wired) => {
    const ready = await wired.rail.readiness('collect', soon())
    assert.deepEqual(ready.kind === 'unavailable' && [ready.cure, ready.why], ['person', 'credentials refused'])
    assert.ok(wired.alarms.some(({ kind, says }) => kind === 'refused' && says.includes('ug-1')))
    assert.equal((await wired.rail.readiness('disburse', soon())).kind, 'ready', 'the other product works')
  }))

test('a user of the new platform, which ends in "=", goes into the header as it is', () =>
  withRail({ operator: { platform: 'new' } }, async (wired) => {
    assert.match(wired.emulator.credentials.collection.user, /=$/)
    assert.equal((await wired.rail.readiness('collect', soon())).kind, 'ready')
  }))

test('a token that the operator has revoked is replaced once for everybody', () =>
  withRail({}, async (wired) => {
    await movementOf(wired.rail, 'collect').submit(attempt(wired), soon())
    await wired.emulator.fault('tokenRevoked')
    const submits = Array.from({ length: 20 }, () =>
      movementOf(wired.rail, 'collect').submit(attempt(wired), deadlineIn(60_000)),
    )
    const kinds = new Set((await Promise.all(submits)).map(({ kind }) => kind))
    assert.deepEqual([...kinds], ['accepted'])
    assert.equal(tokenCalls(wired).length, 2)
  }))
