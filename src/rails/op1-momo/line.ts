import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { InstallationChoice } from '../installation-choice.ts'
import type { Deadline, Evidence, RailSide } from '../rail.ts'
import type { RailAlarm, RailAlarms, RailObserver } from '../rail-observer.ts'
import type { StatusBudget } from '../status-budget.ts'
import { type Breaker, openBreaker } from './breaker.ts'
import { type Gate, openBucket, openGate } from './gate.ts'
import { commonHeaders } from './headers.ts'
import { type Credentials, type Op1Installation, PRODUCT_OF, type Product } from './installation.ts'
import { keepToken, type NoToken, type TokenKeeper } from './token.ts'
import {
  type Asked,
  evidenceOf,
  type Heard,
  notSent,
  type PoolName,
  STATUS_CONNECTIONS,
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
export type Line = {
  own: Op1Installation
  side: RailSide
  product: Product
  credentials: Credentials
  token: TokenKeeper
  breaker: Breaker
  submits: Gate
  questions: Gate
  lookups: { take(): boolean }
  /** References whose posts were not answered, oldest first; the probe asks about the oldest. */
  unanswered: Set<string>
  /** Whether the operator refused our callback address; then it is not sent until a check has passed. */
  callbackRefused: boolean
  call(pool: PoolName, request: Asked, deadline: Deadline): Promise<Called>
  tell(kind: RailAlarm['kind'], says: string): void
}

/** The reply to a call, or why there was none. `unauthorized`: the operator refused the second token as well. */
export type Called = { heard: Heard; noToken: NoToken | null; unauthorized: boolean }

const MOST_UNANSWERED = 50

export function openLine(
  { clock, log, alarms, observer }: Op1Parts,
  wire: Wire,
  { own, side }: { own: Op1Installation; side: RailSide },
): Line | null {
  const product = PRODUCT_OF[side]
  const credentials = own[product]
  if (credentials === null) return null
  const nowMs = () => clock.nowMs()
  const tell: Line['tell'] = (kind, says) => alarms.tell({ installation: own.id, side, kind, says })
  const token = keepToken({ own, product, credentials, wire, clock, log })
  const breaker = openBreaker(own.breaker, {
    nowMs,
    chance: Math.random,
    onChange: (state) => {
      log.warn({ installation: own.id, side, state }, 'the breaker of a rail changed')
      observer.breaker(own.id, side, state)
    },
  })
  const send = (pool: PoolName, request: Asked, bearer: string, deadline: Deadline) =>
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
    questions: openGate(STATUS_CONNECTIONS, { perSecond: null, nowMs }),
    lookups: openBucket(own.lookupsPerSecond, nowMs),
    unanswered: new Set(),
    callbackRefused: false,
    tell,
    /** Calls with the token in hand. A 401 comes before any processing, so the call is repeated once with a new token (rails.md 3.4). */
    async call(pool, request, deadline) {
      const first = await token.get(deadline)
      if (first.kind === 'none') return { heard: notSent('NO_TOKEN'), noToken: first, unauthorized: false }
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
export function rememberUnanswered({ unanswered }: Line, reference: string): void {
  unanswered.add(reference)
  const [oldest] = unanswered
  if (unanswered.size > MOST_UNANSWERED && oldest !== undefined) unanswered.delete(oldest)
}

/** Builds the question about one reference of this line. */
export const askedAbout = ({ side, product }: Line, reference: string): Asked => ({
  method: 'GET',
  path: `/${product}/v1_0/${side === 'collect' ? 'requesttopay' : 'transfer'}/${reference}`,
  headers: {},
})

/** Whether the operator answered, and not with an error of its server. */
export const isReadable = ({ status }: Heard): boolean => status !== null && status < 500

/** Builds the evidence of a call that our own side stopped. */
export const gateEvidence = (
  { clock }: Pick<Op1Parts, 'clock'>,
  operation: Evidence['operation'],
  why = 'NO_INSTALLATION',
): Evidence => evidenceOf(notSent(why), { at: clock.now(), operation })
