import type { Logger } from 'pino'
import type { Clock } from '../../platform/time/clock.ts'
import type { StatusBudget } from '../following/status-budget.ts'
import type { InstallationChoice } from '../installation-choice.ts'
import type { AnswerEvidence, CallDeadline, RailSide } from '../rail.ts'
import type { RailAlarm, RailAlarms, RailObserver } from '../rail-observer.ts'
import { type Breaker, openBreaker } from './breaker.ts'
import { type ConnectionGate, openBucket, openGate } from './gate.ts'
import { commonHeaders } from './headers.ts'
import { type Credentials, type Op1Installation, PRODUCT_OF, type Product } from './installation.ts'
import { type NoToken, openTokenKeeper, type TokenKeeper } from './token.ts'
import {
  buildEvidence,
  countStatusConnections,
  type OperatorReply,
  type OperatorRequest,
  type PoolName,
  replyNotSent,
  type Wire,
} from './transport.ts'

/** The parts of the adapter. It reads no setting and no clock of its own. */
export type Op1Parts = {
  installations: readonly Op1Installation[]
  /** Chooses the installation that takes new movements of a side; without a choice it is the one that the settings mark as active. */
  choice: InstallationChoice
  clock: Clock
  log: Logger
  budget: Pick<StatusBudget, 'takeFirst' | 'slowDown'>
  alarms: RailAlarms
  observer: RailObserver
}

/** One product of one installation, with everything that a payment through it needs. */
export type Op1Line = {
  own: Op1Installation
  side: RailSide
  product: Product
  credentials: Credentials
  token: TokenKeeper
  breaker: Breaker
  submits: ConnectionGate
  questions: ConnectionGate
  lookups: { take(): boolean }
  /** References whose posts were not answered, oldest first; the probe asks about the oldest. */
  unanswered: Set<string>
  /** Whether the operator refused our callback address; then it is not sent until a check has passed. */
  callbackRefused: boolean
  call(pool: PoolName, request: OperatorRequest, deadline: CallDeadline): Promise<LineExchange>
  raise(kind: RailAlarm['kind'], says: string): void
}

/** The reply to a call, or why there was none. `unauthorized`: the operator refused the second token as well. */
export type LineExchange = { heard: OperatorReply; noToken: NoToken | null; unauthorized: boolean }

const MAX_UNANSWERED = 50

export function openLine(
  { clock, log, alarms, observer }: Op1Parts,
  wire: Wire,
  { own, side }: { own: Op1Installation; side: RailSide },
): Op1Line | null {
  const product = PRODUCT_OF[side]
  const credentials = own[product]
  if (credentials === null) return null
  const nowMs = () => clock.nowMs()
  const tell: Op1Line['raise'] = (kind, says) => alarms.raise({ installation: own.id, side, kind, says })
  const token = openTokenKeeper({ own, product, credentials, wire, clock, log })
  const breaker = openBreaker(own.breaker, {
    nowMs,
    chance: Math.random,
    onChange: (state) => {
      log.warn({ installation: own.id, side, state }, 'the breaker of a rail changed')
      observer.breaker(own.id, side, state)
    },
  })
  const send = (pool: PoolName, request: OperatorRequest, bearer: string, deadline: CallDeadline) =>
    wire.ask(
      pool,
      {
        ...request,
        headers: {
          ...commonHeaders(own, credentials),
          ...request.headers,
          authorization: `Bearer ${bearer}`,
        },
      },
      deadline,
    )
  return {
    own,
    side,
    product,
    credentials,
    token,
    breaker,
    submits: openGate(own.submitConnections, { perSecond: own.submitPerSecond, nowMs }),
    questions: openGate(countStatusConnections(own), { perSecond: null, nowMs }),
    lookups: openBucket(own.lookupsPerSecond, nowMs),
    unanswered: new Set(),
    callbackRefused: false,
    raise: tell,
    /** Calls with the token in hand. A 401 comes before any processing, so the call is repeated once with a new token (rails.md 3.4). */
    async call(pool, request, deadline) {
      const first = await token.get(deadline)
      if (first.kind === 'none') return { heard: replyNotSent('NO_TOKEN'), noToken: first, unauthorized: false }
      const heard = await send(pool, request, first.value, deadline)
      if (heard.status !== 401) return { heard, noToken: null, unauthorized: false }
      const second = await token.replace(first.value, deadline)
      if (second.kind === 'none') return { heard, noToken: second, unauthorized: second.cure === 'person' }
      const retried = await send(pool, request, second.value, deadline)
      return { heard: retried, noToken: null, unauthorized: retried.status === 401 }
    },
  }
}

/** Remembers a reference whose post was not answered, for the probe. */
export function rememberUnanswered({ unanswered }: Op1Line, reference: string): void {
  unanswered.add(reference)
  const [oldest] = unanswered
  if (unanswered.size > MAX_UNANSWERED && oldest !== undefined) unanswered.delete(oldest)
}

/** Builds the question about one reference of this line. */
export const buildStatusRequest = ({ side, product }: Op1Line, reference: string): OperatorRequest => ({
  method: 'GET',
  path: `/${product}/v1_0/${side === 'collect' ? 'requesttopay' : 'transfer'}/${reference}`,
  headers: {},
})

/** Whether the operator answered, and not with an error of its server. */
export const isReadable = ({ status }: OperatorReply): boolean => status !== null && status < 500

/** Builds the evidence of a call that our own side stopped. */
export const buildGateEvidence = (
  { clock }: Pick<Op1Parts, 'clock'>,
  operation: AnswerEvidence['operation'],
  why = 'NO_INSTALLATION',
): AnswerEvidence => buildEvidence(replyNotSent(why), { at: clock.now(), operation })
