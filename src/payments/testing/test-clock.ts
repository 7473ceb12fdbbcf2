import { type Static, Type } from 'typebox'
import type { Answer } from '../../api/http/answer.ts'
import { MAX_OFFSET_MS, moveTestClock } from '../../merchants/account/test-clock.ts'
import { domainRefusal, invalidRequest } from '../../platform/refusal.ts'
import { parseIsoTime } from '../../platform/time/times.ts'
import type { App } from '../../program/app.ts'
import { followSandboxClock } from '../charges/test-charges/move-sandbox-clock.ts'
import { makeInTestMode, type TestAct, type TestMade, type TestRequest } from './in-test-mode.ts'

const MAX_ADVANCE_SECONDS = MAX_OFFSET_MS / 1000

export const TestClockMoveShape = Type.Object(
  {
    advance_seconds: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: MAX_ADVANCE_SECONDS },
        description: 'how far the clock goes forward; this or `to`',
        examples: [86400],
      }),
    ),
    to: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'the time that the clock shows then, later than it shows now; this or `advance_seconds`',
      }),
    ),
  },
  { $id: 'TestClockMove', examples: [{ advance_seconds: 86_400 }] },
)
type TestClockMove = Static<typeof TestClockMoveShape>

export const TestClockShape = Type.Object(
  {
    object: Type.Literal('test_clock'),
    test_time: Type.String({ format: 'date-time', description: 'what your test clock showed when it was moved' }),
    ahead_seconds: Type.Integer({ description: 'how far it is ahead of the real time' }),
  },
  { $id: 'TestClock' },
)

/** Moves the merchant's test clock and settles what is due then (`gateway sandbox clock` does the same). Throws Refusal. */
export async function postTestClock(app: App, request: TestRequest<TestClockMove>): Promise<Answer> {
  const answer = await makeInTestMode(app, request, (act) => moveClock(act, request))
  if (answer.status === 201 && !answer.replayed) await followSandboxClock(app, request.caller.merchantId)
  return answer
}

type FindStep = (testNow: Date) => number

/** Reads what was asked for: the step from the test time of now, in ms. Throws 400 where it is no step. */
function buildStep({ advance_seconds: seconds, to: text }: TestClockMove): FindStep {
  if ((seconds === undefined) === (text === undefined)) throw invalidRequest('give advance_seconds or to, one of them')
  if (seconds !== undefined) return () => judgeSeconds(seconds) * 1000
  const to = parseIsoTime(text ?? '')
  if (to === null)
    throw invalidRequest('to must be an ISO 8601 time with its offset, such as 2026-12-01T00:00:00Z', 'to')
  return (testNow) => {
    const step = to.getTime() - testNow.getTime()
    if (step > 0) return step
    throw domainRefusal('bad_request', `the test clock only moves forward: it shows ${testNow.toISOString()} now`, {
      field: 'to',
    })
  }
}

function judgeSeconds(seconds: number): number {
  if (seconds >= 1 && seconds <= MAX_ADVANCE_SECONDS) return seconds
  throw domainRefusal('bad_request', `advance_seconds must be a whole number from 1 to ${MAX_ADVANCE_SECONDS}`, {
    field: 'advance_seconds',
  })
}

async function moveClock({ tx, at }: TestAct, { caller, given }: TestRequest<TestClockMove>): Promise<TestMade> {
  const findStepMs = buildStep(given)
  const moved = await moveTestClock(tx, caller, { merchantId: caller.merchantId, at, findStepMs })
  if (moved === null)
    throw domainRefusal('bad_request', 'the test clock may be ten years ahead of the real time at most')
  const { offsetMs, testTime } = moved.move
  const view = { object: 'test_clock', test_time: testTime.toISOString(), ahead_seconds: Math.floor(offsetMs / 1000) }
  return { view, writes: moved.writes }
}
