import { DecoratorHandler, type Dispatcher, Pool } from 'undici'
import type { Clock } from '../../../src/platform/time/clock.ts'
import {
  type AnswerEvidence,
  type Attempt,
  type CallDeadline,
  ECHOES,
  type Installation,
  type MovementRail,
  type Rail,
} from '../../../src/rails/rail.ts'
import {
  chargeReason,
  type Heard,
  payoutReason,
  type Reasons,
  readHolder,
  readStatus,
  readSubmit,
  unavailable,
} from '../payments/rail-readers.ts'

/** A live rail of the tests: an adapter over real HTTP to the operator of test/fakes. */
export type HttpRail = Rail & {
  /** Sets the readiness answer from now on; `why` belongs to every verdict except `ready`. */
  ready(verdict: 'ready' | 'wait' | 'person', why?: string): void
  /** Adds a contract that shares no data with the others. */
  addInstallation(name: string, url: string): void
  /** Removes the credentials of a contract from this process. */
  removeInstallation(name: string): void
  /** Sends new movements to this contract from now on; without a side, those of both. */
  activate(name: string, side?: Side): void
  /** Sets how many questions a second every contract answers from now on. */
  limit(perSecond: number | null): void
  /** Lets every contract be asked less often while its callbacks come reliably. */
  thin(): void
  /** From now on every contract calls back about each attempt. */
  callBack(): void
  /** Every attempt submitted, as the product passed it. */
  submitted: readonly Attempt[]
  close(): Promise<void>
}

type Side = 'collect' | 'disburse'

/** The first contract of every test rail. */
export const FIRST_INSTALLATION = 'first contract'
/** The second contract, for tests that add one. */
export const SECOND_CONTRACT = 'second contract'

/** `clock` only dates the evidence; no answer depends on time. */
export function httpRail(url: string, clock: Clock): HttpRail {
  const open = (at: string) => new Pool(at, { pipelining: 0, connect: { timeout: 2000 } })
  const pools = new Map([[FIRST_INSTALLATION, open(url)]])
  const active = { collect: FIRST_INSTALLATION, disburse: FIRST_INSTALLATION }
  const submitted: Attempt[] = []
  let statusPerSecond: number | null = null
  let thinLadder = false
  let callbacks: Installation['callbacks'] = 'none'
  let verdict: 'ready' | 'wait' | 'person' = 'ready'
  let why = 'rail not configured'
  const evidence = (operation: AnswerEvidence['operation'], heard: Heard): AnswerEvidence => ({
    at: clock.now(),
    operation,
    elapsedMs: heard.elapsedMs,
    stage: heard.status > 0 ? 'answered' : heard.left ? 'sent' : 'connect',
    ...(heard.status > 0 ? { httpStatus: heard.status } : {}),
    ...(heard.transport === undefined ? {} : { transport: heard.transport }),
  })
  // If this contract is not configured here, nothing is sent.
  const askAt = async ({ installation }: Attempt, deadline: CallDeadline, request: Request): Promise<Heard> => {
    const pool = pools.get(installation)
    return pool ? ask(pool, deadline, request) : NOWHERE
  }
  const movement = <Failure>(path: string, reasonOf: Reasons<Failure>): MovementRail<Failure> => ({
    submit: async (attempt, deadline) => {
      submitted.push(attempt)
      const heard = await askAt(attempt, deadline, { method: 'POST', path, body: bodyOf(attempt) })
      return readSubmit(heard, evidence('submit', heard), reasonOf)
    },
    status: async (attempt, deadline) => {
      const heard = await askAt(attempt, deadline, { method: 'GET', path: `${path}/${attempt.reference}` })
      return readStatus(heard, evidence('status', heard), reasonOf)
    },
  })
  return {
    name: 'operator of the tests',
    simulated: false,
    get installations() {
      return [...pools.keys()].map((id) => ({
        ...contractOf(id, Object.values(active).includes(id)),
        statusPerSecond,
        thinLadder,
        callbacks,
      }))
    },
    submitted,
    collect: movement('/collections', chargeReason),
    disburse: movement('/disbursements', payoutReason),
    lookupAccountHolder: async (phone, deadline) => {
      const attempt = { installation: active.disburse } as Attempt
      const heard = await askAt(attempt, deadline, { method: 'GET', path: `/holders/${phone}` })
      return readHolder(heard, evidence('status', heard))
    },
    readiness: async (side, _deadline, installation = active[side]) => {
      const known = pools.has(installation)
      if (verdict === 'ready' && known) return { kind: 'ready', installation }
      const gate: AnswerEvidence = { ...evidence('ready', NOWHERE), stage: 'gate' }
      if (!known || verdict === 'ready') return unavailable('person', 'rail not configured', gate)
      return unavailable(verdict, why, gate)
    },
    addInstallation: (name, at) => void pools.set(name, open(at)),
    removeInstallation: (name) => {
      void pools.get(name)?.destroy()
      pools.delete(name)
    },
    activate: (name, side) => {
      for (const one of side ? [side] : (['collect', 'disburse'] as const)) active[one] = name
    },
    limit: (perSecond) => {
      statusPerSecond = perSecond
    },
    callBack: () => {
      callbacks = 'each attempt'
    },
    thin: () => {
      thinLadder = true
    },
    ready: (next, because = 'rail not configured') => {
      verdict = next
      why = because
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

/** A contract of this name as the product sees it: of both sides, and it repeats everything. */
export const contractOf = (id: string, active = true): Installation => ({
  ...{ id, active, sides: ['collect', 'disburse'], currency: 'UGX', echoes: ECHOES },
  ...{ callbacks: 'none', statusPerSecond: null, thinLadder: false, floatAlarmAmount: null },
})

const NOWHERE: Heard = { status: 0, body: null, left: false, elapsedMs: 0 }

const bodyOf = ({ reference, amount, currency, phone, publicId, callbackPath }: Attempt) =>
  JSON.stringify({
    reference,
    amount,
    currency,
    phone,
    external_id: publicId,
    ...(callbackPath === null ? {} : { callback_path: callbackPath }),
  })

type Request = { method: 'GET' | 'POST'; path: string; body?: string }

/** One request on a socket of its own. Whatever goes wrong is reported by how far the request got (rails.md 3.9). */
async function ask(pool: Pool, deadline: CallDeadline, request: Request): Promise<Heard> {
  const started = performance.now()
  const elapsedMs = () => performance.now() - started
  let left = false
  const marked = pool.compose((dispatch) => (options, handler) => {
    return dispatch(
      options,
      new Noting(handler, () => {
        left = true
      }),
    )
  })
  try {
    const { statusCode: status, body } = await marked.request({ ...request, signal: deadline.signal })
    return { status, body: readJson(await body.text()), left, elapsedMs: elapsedMs() }
  } catch (error) {
    const { code, name } = error as { code?: string; name: string }
    return { status: 0, body: null, left, transport: String(code ?? name), elapsedMs: elapsedMs() }
  }
}

/** Records the moment at which the request is written to a connected socket. */
class Noting extends DecoratorHandler {
  readonly #handler: Dispatcher.DispatchHandler
  readonly #note: () => void
  constructor(handler: Dispatcher.DispatchHandler, note: () => void) {
    super(handler)
    this.#handler = handler
    this.#note = note
  }
  onRequestStart(...start: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.#note()
    this.#handler.onRequestStart?.(...start)
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
