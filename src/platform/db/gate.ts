import { count } from '../log/measures.ts'
import { DatabaseAway } from './errors.ts'

/**
 * What a connection is for (reliability.md 6.1). `kind`: `outcome`: money that is under way; `in`: money that comes in; `out`: money
 * that goes out, and all other work. `of`: the merchant, if the work is for one alone. `begun`: this continues work that has begun, so
 * it is not refused.
 */
export type ConnectionRequest = { kind: ConnectionKind; of?: number; begun?: boolean }
type ConnectionKind = 'outcome' | 'in' | 'out'

/** Hands out slots, each for one connection. Some are kept free for each kind, and one merchant gets at most a quarter. */
export type Gate = {
  name: string
  /** Resolves with the function that gives the slot back. Throws DatabaseAway when the wait would be too long. */
  enter(request: ConnectionRequest): Promise<() => void>
  /** How many slots are in use, by kind. */
  inWork(): Readonly<Record<ConnectionKind, number>>
  /** How long no slot has been in use, in ms; 0 while one is. */
  quietMs(): number
  /** How many requests wait. */
  waiting(): number
  /** How long this work would probably wait now, in ms. */
  expectedMs(request: ConnectionRequest): number
}

export type GateOptions = {
  /** The name of its database, for the metrics. */
  name?: string
  size: number
  /** How many slots stay free for each kind while other kinds ask for more. */
  keptFree: Readonly<Record<ConnectionKind, number>>
  /** The longest wait. `patient`: no request is refused because of an estimate. */
  patience: 'service' | 'patient'
}

type GateWaiter = ConnectionRequest & {
  since: number
  resolve: (leave: () => void) => void
  reject: (error: unknown) => void
}

const KINDS: readonly ConnectionKind[] = ['outcome', 'in', 'out']
// Work that would wait longer than this is refused at once; waiting work is refused when no slot has come free for as long.
const MAX_EXPECTED_MS = 1000
// Estimates may be wrong, so this is the longest wait. Work that has begun and answers of a rail wait longer, because no other request
// could finish or record them.
const MAX_WAIT_MS = 3000
const MAX_PATIENT_WAIT_MS = 30_000
const CHECK_EVERY_MS = 50
// When the check comes this late the process itself was stopped, and slots may have come free without its noticing.
const STOOD_STILL_MS = 200
const FIRST_GUESS_MS = 5
const NEWEST_WEIGHT = 0.1

type GateState = GateOptions & {
  used: Record<ConnectionKind, number>
  /** How many slots each merchant uses. */
  usedBy: Map<number, number>
  queues: Record<ConnectionKind, GateWaiter[]>
  ofOneMerchant: number
  /**
   * The recent average time for which a slot is used: by work for one merchant, which may wait for locks, and by work for several, which
   * does not.
   */
  usualMs: Record<ConnectionKind, { alone: number; several: number }>
  lastFreedAt: number
  checkedAt: number
  checkTimer: NodeJS.Timeout | null
}

export function newGate(options: GateOptions): Gate {
  const usual = () => ({ alone: FIRST_GUESS_MS, several: FIRST_GUESS_MS })
  const state: GateState = {
    ...options,
    used: { outcome: 0, in: 0, out: 0 },
    usedBy: new Map(),
    queues: { outcome: [], in: [], out: [] },
    ofOneMerchant: Math.max(1, Math.floor(options.size / 4)),
    usualMs: { outcome: usual(), in: usual(), out: usual() },
    lastFreedAt: performance.now(),
    checkedAt: 0,
    checkTimer: null,
  }
  const { queues } = state
  return {
    name: options.name ?? '',
    enter(request) {
      if (hasRoom(state, request.kind) && !isAtMerchantLimit(state, request))
        return Promise.resolve(takeSlot(state, request))
      if (!isPatient(state, request) && estimateWaitMs(state, request) > MAX_EXPECTED_MS)
        return Promise.reject(noConnection(request.kind))
      return new Promise((resolve, reject) => {
        queues[request.kind].push({ ...request, since: performance.now(), resolve, reject })
        if (state.checkTimer !== null) return
        state.checkedAt = performance.now()
        state.checkTimer = setInterval(refuseLateWaiters, CHECK_EVERY_MS, state)
      })
    },
    inWork: () => ({ ...state.used }),
    quietMs: () => (countUsed(state) > 0 ? 0 : performance.now() - state.lastFreedAt),
    waiting: () => KINDS.reduce((sum, kind) => sum + queues[kind].length, 0),
    expectedMs: (request) =>
      hasRoom(state, request.kind) && !isAtMerchantLimit(state, request) ? 0 : estimateWaitMs(state, request),
  }
}

const countUsed = ({ used }: GateState) => used.outcome + used.in + used.out

function hasRoom(state: GateState, kind: ConnectionKind): boolean {
  const { keptFree, used, size } = state
  const keptForOthers = KINDS.reduce(
    (sum, other) => sum + (other === kind ? 0 : Math.max(0, keptFree[other] - used[other])),
    0,
  )
  return size - countUsed(state) > keptForOthers
}

const isAtMerchantLimit = ({ usedBy, ofOneMerchant }: GateState, { of }: ConnectionRequest) =>
  of !== undefined && (usedBy.get(of) ?? 0) >= ofOneMerchant

/** Takes a slot and returns the function that gives it back. */
function takeSlot(state: GateState, { kind, of }: ConnectionRequest): () => void {
  const at = performance.now()
  // While no slot was in use, none could come free.
  if (countUsed(state) === 0) state.lastFreedAt = at
  state.used[kind] += 1
  if (of !== undefined) state.usedBy.set(of, (state.usedBy.get(of) ?? 0) + 1)
  let isTaken = true
  return () => {
    if (!isTaken) return
    isTaken = false
    state.lastFreedAt = performance.now()
    const usual = state.usualMs[kind]
    const sort = of === undefined ? 'several' : 'alone'
    usual[sort] += (state.lastFreedAt - at - usual[sort]) * NEWEST_WEIGHT
    state.used[kind] -= 1
    if (of !== undefined) releaseMerchantSlot(state, of)
    admitWaiters(state)
  }
}

function releaseMerchantSlot({ usedBy }: GateState, merchantId: number): void {
  const rest = (usedBy.get(merchantId) ?? 1) - 1
  if (rest === 0) usedBy.delete(merchantId)
  else usedBy.set(merchantId, rest)
}

/** Gives free slots to the first waiters of each kind whose merchant is below its limit. */
function admitWaiters(state: GateState): void {
  for (const kind of KINDS)
    while (state.queues[kind].length > 0 && hasRoom(state, kind)) {
      const next = state.queues[kind].findIndex((waiter) => !isAtMerchantLimit(state, waiter))
      if (next === -1) break
      const [waiter] = state.queues[kind].splice(next, 1)
      waiter?.resolve(takeSlot(state, waiter))
    }
}

const isPatient = ({ patience }: GateState, { kind, begun }: ConnectionRequest) =>
  patience === 'patient' || kind === 'outcome' || begun === true

/** Estimates the wait in ms from the waiters ahead. Those held back by the limit of their merchant count only for that merchant. */
function estimateWaitMs(state: GateState, { kind, of }: ConnectionRequest): number {
  const { queues, usedBy, ofOneMerchant, used } = state
  const before = new Map<number | undefined, number>()
  for (const waiter of queues[kind]) before.set(waiter.of, (before.get(waiter.of) ?? 0) + 1)
  const { alone, several } = state.usualMs[kind]
  let ahead = (before.get(undefined) ?? 0) * several
  for (const [merchant, count] of before)
    if (merchant !== undefined) ahead += Math.min(count, ofOneMerchant - (usedBy.get(merchant) ?? 0)) * alone
  const own = of === undefined ? 0 : ((before.get(of) ?? 0) * alone) / ofOneMerchant
  const stoodMs = countUsed(state) === state.size ? performance.now() - state.lastFreedAt : 0
  // As many run at once as use a slot now.
  return Math.max(ahead / Math.max(1, used[kind]), own, stoodMs)
}

function isTooLate(state: GateState, waiter: GateWaiter, now: number): boolean {
  const waitedMs = now - waiter.since
  if (isPatient(state, waiter)) return waitedMs > MAX_PATIENT_WAIT_MS
  return waitedMs > MAX_WAIT_MS || now - Math.max(state.lastFreedAt, waiter.since) > MAX_EXPECTED_MS
}

/** Refuses the requests that have waited too long. */
function refuseLateWaiters(state: GateState): void {
  const { queues } = state
  const now = performance.now()
  const stoodStill = now - state.checkedAt > STOOD_STILL_MS
  state.checkedAt = now
  for (const kind of stoodStill ? [] : KINDS) {
    const late = new Set(queues[kind].filter((waiter) => isTooLate(state, waiter, now)))
    if (late.size === 0) continue
    queues[kind] = queues[kind].filter((waiter) => !late.has(waiter))
    for (const { reject } of late) reject(noConnection(kind))
  }
  if (state.checkTimer !== null && KINDS.every((kind) => queues[kind].length === 0)) {
    clearInterval(state.checkTimer)
    state.checkTimer = null
  }
}

function noConnection(kind: ConnectionKind) {
  count('admission_refused_total', kind, 'no connection')
  return new DatabaseAway(new Error('no connection came free in time'))
}
